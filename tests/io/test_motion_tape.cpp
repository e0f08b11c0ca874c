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

TEST_CASE("where a run of steps has come reads back as it was written") {
  const TemporaryFolder folder;
  write_step_mark(folder / "m.hdf5",
                  {300, sample_end(), {"ball_box", 311, Vector::LinSpaced(26, 0.0, 1.0)}, {12.5, 3.25, 200, 7}});
  const StepMark mark = read_step_mark(folder / "m.hdf5");
  CHECK(mark.step == 300);
  check_same(mark.end, sample_end());
  CHECK(mark.state.scene == "ball_box");
  CHECK(mark.state.step == 311);
  CHECK(mark.state.values == Vector::LinSpaced(26, 0.0, 1.0));
  CHECK(mark.used.wall_s == 12.5);
  CHECK(mark.used.driver_s == 3.25);
  CHECK(mark.used.driven == 200);
  CHECK(mark.used.unsolved == 7);
  write_step_mark(folder / "m.hdf5", {1, {}, {}, {}});
  CHECK(read_step_mark(folder / "m.hdf5").state.values.size() == 0);
}

TEST_CASE("damaged tapes are refused with the place") {
  const TemporaryFolder folder;
  const auto file = folder / "t.hdf5";
  const auto refused = [&](const std::string& text, const auto& damage) {
    write_tape_part(file, sample_part());
    {
      Hdf5Editor editor(file);
      editor.remove("/checksum");  // as of earlier programs
      damage(editor);
    }
    CHECK_THROWS_WITH(read_tape_part(file), Catch::Contains(text));
  };
  refused("/states", [](Hdf5Editor& editor) { editor.reals("/states", {1.0, 2.0, 3.0, 4.0}); });
  refused("/steps", [](Hdf5Editor& editor) { editor.reals("/steps", {1.0, 2.5, 3.0}); });
  refused("/steps", [](Hdf5Editor& editor) { editor.reals("/facts", {1.0, 2.0, 3.0}); });
  refused("/end/keys", [](Hdf5Editor& editor) { editor.reals("/end/impulses", {1.0, 2.0, 3.0}); });
  refused("/end/impulse", [](Hdf5Editor& editor) { editor.reals("/end/carried", {std::nan("")}); });
  CHECK_THROWS_AS(read_tape_part(folder / "none.hdf5"), InputError);
}

TEST_CASE("a tape or a mark that says something else than when it was written is refused, and earlier ones are read") {
  const TemporaryFolder folder;
  const auto tape = folder / "t.hdf5", mark = folder / "m.hdf5";
  const auto damage = [](const auto& file, const std::string& path, double value) { Hdf5Editor(file).reals(path, {value}); };
  const std::string damaged = "is damaged: its checksum is not that of when it was written; `ccpbench run`";
  write_tape_part(tape, sample_part());
  damage(tape, "/end/carried", 0.8);
  CHECK_THROWS_WITH(read_tape_part(tape), Catch::Contains("t.hdf5: " + damaged));
  write_step_mark(mark, {300, sample_end(), {"ball_box", 311, Vector::Ones(26)}, {12.5, 3.25, 200, 7}});
  damage(mark, "/used/driver_s", 3.5);
  CHECK_THROWS_WITH(read_step_mark(mark), Catch::Contains("m.hdf5: " + damaged));
  for (const auto& file : {tape, mark}) Hdf5Editor(file).remove("/checksum");
  CHECK(read_tape_part(tape).end.carried == 0.8);
  CHECK(read_step_mark(mark).used.driver_s == 3.5);
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
  noticed([](Hdf5Editor& editor) { editor.integers("/end/keys", {0, 1, 2, 3, 4, 0, 5, 0, 0, 1}); });
  noticed([](Hdf5Editor& editor) { editor.reals("/end/impulses", {0.1, 0.2, -2.0, -7.0, 0.0, 0.0}); });
  noticed([](Hdf5Editor& editor) { editor.reals("/end/impulse", {0.1, 0.2, -2.0, -7.0}); });
}

TEST_CASE("the checksum of a mark covers each of its members") {
  const TemporaryFolder folder;
  const auto file = folder / "m.hdf5";
  const auto noticed = [&](const std::string& path, const auto& change) {
    CAPTURE(path);
    write_step_mark(file, {300, sample_end(), {"ball_box", 311, Vector::Ones(2)}, {12.5, 3.25, 200, 7}});
    {
      Hdf5Editor editor(file);
      change(editor, path);
    }
    CHECK_THROWS_WITH(read_step_mark(file), Catch::Contains("is damaged: its checksum"));
  };
  const auto number = [&](const std::string& path, std::vector<double> values) {
    noticed(path, [&](Hdf5Editor& editor, const std::string& place) { editor.reals(place, values); });
  };
  number("/step", {301.0});
  number("/state/step", {312.0});
  number("/state/values", {1.0, 1.5});
  number("/used/wall_s", {12.0});
  number("/used/driver_s", {3.5});
  number("/used/driven", {201.0});
  number("/used/unsolved", {8.0});
  number("/end/impulse", {0.1, 0.2, -2.0, -7.0});
  number("/end/carried", {0.8});
  noticed("/state/scene", [](Hdf5Editor& editor, const std::string& path) { editor.text(path, "ball_bax"); });
}
