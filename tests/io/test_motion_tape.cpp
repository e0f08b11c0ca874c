#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "io/hdf5_editor.hpp"
#include "io/motion_tape.hpp"
#include "support/temporary_folder.hpp"

using namespace ccp;
using ccp::testing::TemporaryFolder;

namespace {

StepEnd sample_end() {
  return {{{0, 1, 2, 3, 4}, {0, 5, ContactKey::joint_row, 0, 1}},
          {Vector3(0.1, 1.0 / 3.0, -2.0), Vector3(-7.0, 0.0, 0.0)},
          Vector::LinSpaced(4, -1.0, 0.3),
          0.7};
}

TapePart sample_part() {
  TapePart part;
  part.key = "key";
  part.first = 200;
  for (int i = 0; i < 3; ++i) {
    part.states.push_back(Vector::LinSpaced(13, i, 1.0 / 7.0));
    part.steps.push_back(std::int64_t{5000000000} + i);
    part.solved.push_back(i % 2);
    part.iterations.push_back(10 * i);
    part.facts.push_back(Vector::Constant(2, 0.1 * i));
  }
  part.fact_names = {"kinetic_J", "missed"};
  part.end = sample_end();
  return part;
}

void check_same(const StepEnd& a, const StepEnd& b) {
  CHECK(a.keys == b.keys);
  CHECK(a.impulses == b.impulses);
  CHECK(a.impulse == b.impulse);
  CHECK(a.carried == b.carried);
  CHECK(a.multipliers == b.multipliers);
  CHECK(a.multiplier == b.multiplier);
}

}  // namespace

TEST_CASE("a part of a tape reads back as it was written") {
  const TemporaryFolder folder;
  const TapePart part = sample_part();
  write_tape_part(folder / "t.hdf5", part);
  const TapePart read = read_tape_part(folder / "t.hdf5");
  CHECK(read.key == part.key);
  CHECK(read.first == part.first);
  CHECK(read.states == part.states);
  CHECK(read.steps == part.steps);
  CHECK(read.solved == part.solved);
  CHECK(read.iterations == part.iterations);
  CHECK(read.fact_names == part.fact_names);
  CHECK(read.facts == part.facts);
  check_same(read.end, part.end);
}

TEST_CASE("the start of a tape has no contacts yet") {
  const TemporaryFolder folder;
  TapePart part = sample_part();
  part.end = {};
  write_tape_part(folder / "t.hdf5", part);
  check_same(read_tape_part(folder / "t.hdf5").end, StepEnd{});
}

TEST_CASE("the multipliers of a method are kept, too") {
  const TemporaryFolder folder;
  TapePart part = sample_part();
  part.end.multipliers = {Vector3(0.5, 0.25, -1.0), Vector3(3.0, 0.0, 0.0)};
  part.end.multiplier = Vector::LinSpaced(4, 0.1, 0.7);
  write_tape_part(folder / "t.hdf5", part);
  check_same(read_tape_part(folder / "t.hdf5").end, part.end);
  part.end.multipliers.pop_back();
  write_tape_part(folder / "u.hdf5", part);
  CHECK_THROWS_WITH(read_tape_part(folder / "u.hdf5"), Catch::Contains("not those of the same contacts"));
}

TEST_CASE("where a run of steps has come is one state, with what the run has used") {
  const TemporaryFolder folder;
  TapePart mark{"cell", 300};
  mark.states = {Vector::LinSpaced(26, 0.0, 1.0)};
  mark.steps = {311};
  mark.solved = mark.iterations = {1};
  mark.facts = {Vector()};
  mark.used = {12.5, 3.25, 200, 7};
  write_tape_part(folder / "m.hdf5", mark);
  const TapePart read = read_tape_part(folder / "m.hdf5");
  CHECK(read.first == 300);
  CHECK(read.states == mark.states);
  CHECK(read.fact_names.empty());
  CHECK(read.used.wall_s == 12.5);
  CHECK(read.used.driver_s == 3.25);
  CHECK(read.used.driven == 200);
  CHECK(read.used.unsolved == 7);
}

TEST_CASE("damaged tapes are refused with the place") {
  const TemporaryFolder folder;
  const auto file = folder / "t.hdf5";
  const auto refused = [&](const std::string& text, const auto& damage) {
    write_tape_part(file, sample_part());
    {
      Hdf5Editor editor(file);
      damage(editor);
    }
    CHECK_THROWS_WITH(read_tape_part(file), Catch::Contains(text));
  };
  refused("/states", [](Hdf5Editor& editor) { editor.reals("/states", {1.0, 2.0, 3.0, 4.0}); });
  refused("/steps", [](Hdf5Editor& editor) { editor.reals("/steps", {1.0, 2.5, 3.0}); });
  refused("/steps", [](Hdf5Editor& editor) { editor.reals("/facts", {1.0, 2.0, 3.0}); });
  refused("/used/wall_s", [](Hdf5Editor& editor) { editor.reals("/used/wall_s", {-1.0}); });
  refused("/used/driven", [](Hdf5Editor& editor) { editor.reals("/used/driven", {1.5}); });
  refused("/checksum", [](Hdf5Editor& editor) { editor.remove("/checksum"); });
  refused("/end/keys", [](Hdf5Editor& editor) { editor.reals("/end/impulses", {1.0, 2.0, 3.0}); });
  refused("/end/impulse", [](Hdf5Editor& editor) { editor.reals("/end/carried", {std::nan("")}); });
  CHECK_THROWS_AS(read_tape_part(folder / "none.hdf5"), InputError);
}

TEST_CASE("the checksum of a tape covers each of its members") {
  const TemporaryFolder folder;
  const auto file = folder / "t.hdf5";
  const auto noticed = [&](const auto& change) {
    write_tape_part(file, sample_part());
    {
      Hdf5Editor editor(file);
      change(editor);
    }
    CHECK_THROWS_WITH(read_tape_part(file), Catch::Contains("is damaged: its checksum"));
  };
  std::vector<double> states(39, 0.5);
  noticed([&](Hdf5Editor& editor) { editor.reals("/states", states); });
  noticed([](Hdf5Editor& editor) { editor.text("/key", "kez"); });
  noticed([](Hdf5Editor& editor) { editor.reals("/first", {300.0}); });
  noticed([](Hdf5Editor& editor) { editor.reals("/steps", {1.0, 2.0, 3.0}); });
  noticed([](Hdf5Editor& editor) { editor.integers("/solved", {1, 1, 1}); });
  noticed([](Hdf5Editor& editor) { editor.integers("/iterations", {0, 10, 21}); });
  noticed([](Hdf5Editor& editor) { editor.text("/fact_names", "kinetic_J mixxed"); });
  noticed([](Hdf5Editor& editor) { editor.reals("/facts", {0.0, 0.1, 0.2, 0.3, 0.4, 0.5}); });
  noticed([](Hdf5Editor& editor) { editor.reals("/end/carried", {0.8}); });
  noticed([](Hdf5Editor& editor) { editor.reals("/used/wall_s", {12.0}); });
  noticed([](Hdf5Editor& editor) { editor.reals("/used/driver_s", {3.5}); });
  noticed([](Hdf5Editor& editor) { editor.reals("/used/driven", {201.0}); });
  noticed([](Hdf5Editor& editor) { editor.reals("/used/unsolved", {8.0}); });
  noticed([](Hdf5Editor& editor) { editor.integers("/end/keys", {0, 1, 2, 3, 4, 0, 5, 0, 0, 1}); });
  noticed([](Hdf5Editor& editor) { editor.reals("/end/impulses", {0.1, 0.2, -2.0, -7.0, 0.0, 0.0}); });
  noticed([](Hdf5Editor& editor) { editor.reals("/end/impulse", {0.1, 0.2, -2.0, -7.0}); });
}
