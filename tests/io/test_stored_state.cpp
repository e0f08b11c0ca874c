#include <catch2/catch.hpp>

#include "core/error.hpp"
#include "io/fclib_reader.hpp"
#include "io/fclib_writer.hpp"
#include "io/hdf5_editor.hpp"
#include "io/sample_problems.hpp"
#include "io/stored_state.hpp"
#include "support/temporary_folder.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

StoredState sample_state() {
  StoredState stored;
  stored.state.scene = "drum";
  stored.state.step = 120;
  stored.state.values = Vector::LinSpaced(26, -1.0, 1.0);
  stored.time = 0.12;
  stored.parameters = "{\"spheres\":2}";
  stored.seed = 18446744073709551615u;
  return stored;
}

std::string written(const TemporaryFolder& folder, const StoredState* state, FclibForm form = FclibForm::global) {
  const std::string path = (folder / "a.hdf5").string();
  SampleProblems samples(5);
  const ConstraintSet set = constraint_set({ConstraintKind::contact, ConstraintKind::unilateral, ConstraintKind::bilateral});
  write_fclib(path, samples.global(set, 3).build(), form, {}, {}, state);
  return path;
}

}  // namespace

TEST_CASE("a state that is written with a problem is read back, and the problem is as without it") {
  const StoredState stored = sample_state();
  for (const FclibForm form : {FclibForm::local, FclibForm::global}) {
    const TemporaryFolder folder;
    const std::string path = written(folder, &stored, form);
    const StoredState read = read_stored_state(path);
    CHECK(read.state.scene == stored.state.scene);
    CHECK(read.state.step == stored.state.step);
    CHECK(read.state.values == stored.state.values);
    CHECK(read.time == stored.time);
    CHECK(read.parameters == stored.parameters);
    CHECK(read.seed == stored.seed);
    const FclibFile with = read_fclib(path);
    const FclibFile without = read_fclib(written(folder, nullptr, form));
    CHECK(with.remarks == without.remarks);
    CHECK(with.problem->local().r == without.problem->local().r);
  }
}

TEST_CASE("files without a state and damaged states are refused by name") {
  const StoredState stored = sample_state();
  const auto refused = [&](const auto& damage, const std::string& text) {
    CAPTURE(text);
    const TemporaryFolder folder;
    const std::string path = written(folder, &stored);
    {
      Hdf5Editor editor(path);
      damage(editor);
    }
    CHECK_THROWS_AS(read_stored_state(path), InputError);
    CHECK_THROWS_WITH(read_stored_state(path), Catch::Contains(text) && Catch::Contains(path));
  };
  refused([](Hdf5Editor& file) { file.remove("/ccpbench_state"); }, "expected the state of a scene that moves");
  refused([](Hdf5Editor& file) { file.remove("/ccpbench_state/values"); }, "/ccpbench_state/values");
  refused([](Hdf5Editor& file) { file.remove("/ccpbench_state/scene"); }, "/ccpbench_state/scene");
  refused([](Hdf5Editor& file) { file.text("/ccpbench_state/seed", "-3"); },
          "/ccpbench_state/seed: is no whole number >= 0");
  refused([](Hdf5Editor& file) { file.integer("/ccpbench_state/step", -1); }, "/ccpbench_state/step: is negative");
  refused([](Hdf5Editor& file) { file.reals("/ccpbench_state/time", {1.0, 2.0}); }, "is not one finite number");
  refused([](Hdf5Editor& file) { file.reals("/ccpbench_state/values", {1.0, NAN}); }, "has entries that are not finite");
  CHECK_THROWS_AS(read_stored_state("/no/such/file"), InputError);
}
