#include <catch2/catch.hpp>

#include "core/error.hpp"
#include "io/fclib_reader.hpp"
#include "io/fclib_writer.hpp"
#include "io/hdf5_editor.hpp"
#include "io/hdf5_group.hpp"
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
  stored.end = StepEnd{{{0, 1, 2, 3, 4}, {1, 2, 0, 5, 6}}, {{1, 2, 3}, {4, 5, 6}}, Vector::LinSpaced(6, 0.5, 3.0), 0.5};
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
    REQUIRE(read.end);
    CHECK(read.end->keys == stored.end->keys);
    CHECK(read.end->impulses == stored.end->impulses);
    CHECK(read.end->impulse == stored.end->impulse);
    CHECK(read.end->carried == 0.5);
    StoredState first = stored;
    first.end.reset();
    CHECK_FALSE(read_stored_state(written(folder, &first, form)).end);
    const FclibFile with = read_fclib(path);
    const FclibFile without = read_fclib(written(folder, nullptr, form));
    CHECK(with.remarks == without.remarks);
    CHECK(with.problem->local().r == without.problem->local().r);
  }
}

TEST_CASE("what there is to see is written beside the problem, which is as without it") {
  SceneGeometry seen;
  PlacedSurface brick;
  brick.kind = SurfaceKind::box;
  brick.sizes = {1.0, 2.0, 3.0};
  brick.position = {4.0, 5.0, 6.0};
  brick.rotation << 0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0;
  seen.bodies = {brick, {SurfaceKind::sphere, {0.5, 0.0, 0.0}}};
  seen.bodies[1].present = false;
  seen.obstacles = {{SurfaceKind::drum, {7.0, 0.0, 0.0}}};
  PlacedContact corner;
  corner.point = {1.0, 2.0, 3.0};
  corner.frame << 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0;
  corner.gap = -1e-3;
  corner.body_a = 0;
  corner.body_b = 2;
  seen.contacts = {corner};

  const TemporaryFolder folder;
  SampleProblems samples(5);
  const ContactProblem problem = samples.global(constraint_set({ConstraintKind::contact}), 3).build();
  const std::string with = (folder / "with.hdf5").string(), without = (folder / "without.hdf5").string();
  write_fclib(with, problem, FclibForm::global, {}, {}, nullptr, &seen);
  const SceneGeometry nothing;
  write_fclib(without, problem, FclibForm::global, {}, {}, nullptr, &nothing);

  const hdf5::Group group = hdf5::Group::open(with).group("ccpbench_geometry");
  const auto reals = [&](const char* name) {
    const Vector values = group.reals(name);
    return std::vector<double>(values.begin(), values.end());
  };
  CHECK(group.integer("bodies") == 2);
  CHECK(group.integers("kinds") == std::vector<int>{2, 0, 5});
  CHECK(group.integers("present") == std::vector<int>{1, 0, 1});
  CHECK(reals("sizes") == std::vector<double>{1, 2, 3, 0.5, 0, 0, 7, 0, 0});
  CHECK(reals("positions") == std::vector<double>{4, 5, 6, 0, 0, 0, 0, 0, 0});
  const std::vector<double> rotations = reals("rotations");
  CHECK(std::vector<double>(rotations.begin(), rotations.begin() + 9) == std::vector<double>{0, -1, 0, 1, 0, 0, 0, 0, 1});
  CHECK(reals("contact_points") == std::vector<double>{1, 2, 3});
  CHECK(reals("contact_frames") == std::vector<double>{0, 0, 1, 1, 0, 0, 0, 1, 0});
  CHECK(reals("contact_gaps") == std::vector<double>{-1e-3});
  CHECK(group.integers("contact_sides") == std::vector<int>{0, 2});
  CHECK_FALSE(group.has("velocities"));
  seen.velocities = {{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}};
  const std::string moving = (folder / "moving.hdf5").string();
  write_fclib(moving, problem, FclibForm::global, {}, {}, nullptr, &seen);
  CHECK(hdf5::Group::open(moving).group("ccpbench_geometry").reals("velocities") == Vector::LinSpaced(6, 1.0, 6.0));
  CHECK_FALSE(hdf5::Group::open(without).has("ccpbench_geometry"));
  CHECK(read_fclib(with).remarks == read_fclib(without).remarks);
  CHECK(read_fclib(with).problem->local().r == read_fclib(without).problem->local().r);
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
  refused([](Hdf5Editor& file) { file.reals("/ccpbench_state/end/impulses", {1.0, 2.0, 3.0}); }, "/ccpbench_state/end/keys");
  refused([](Hdf5Editor& file) { file.text("/ccpbench_state/seed", "-3"); },
          "/ccpbench_state/seed: is no whole number >= 0");
  refused([](Hdf5Editor& file) { file.integer("/ccpbench_state/step", -1); }, "/ccpbench_state/step: is negative");
  refused([](Hdf5Editor& file) { file.reals("/ccpbench_state/time", {1.0, 2.0}); }, "is not one finite number");
  refused([](Hdf5Editor& file) { file.reals("/ccpbench_state/values", {1.0, NAN}); }, "has entries that are not finite");
  CHECK_THROWS_AS(read_stored_state("/no/such/file"), InputError);
}
