#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <utility>
#include <vector>

#include "cli/program.hpp"
#include "io/fclib_reader.hpp"
#include "io/hdf5_editor.hpp"
#include "io/hdf5_group.hpp"
#include "io/motion_tape.hpp"
#include "io/stored_state.hpp"
#include "problem/judge/judge.hpp"
#include "problems/registry.hpp"
#include "support/temporary_folder.hpp"
#include "tests/problems/same_bytes.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

std::vector<std::string> series(const std::string& steps, const std::string& folder, std::vector<std::string> more = {}) {
  std::vector<std::string> arguments{"generate", "ball_box", "--set", "spheres=8", "--steps",
                                     steps,      "--out",    folder,  "--form",    "global"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

std::filesystem::path first_part(const std::filesystem::path& sequences) {
  std::filesystem::path file;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(sequences))
    if (entry.path().filename() == "tape.000000.hdf5") file = entry.path();
  return file;
}

}  // namespace

TEST_CASE("Steps without contacts leave their shapes, in files that are no problems") {
  const Workplace place;
  const Answer answer = run_program(place, {"generate", "drum", "--steps", "0:1", "--out", "drum"});
  REQUIRE(answer.code == 0);
  CHECK_THAT(answer.out, Catch::Contains("drum.000001.shapes.h5") && Catch::Contains("no contact: shapes alone"));
  CHECK(std::distance(std::filesystem::directory_iterator(place / "drum"), {}) == 2);
  const auto file = place / "drum/drum.000001.shapes.h5";
  CHECK(read_stored_state(file).state.step == 1);
  const hdf5::Group shapes = hdf5::Group::open(file).group("ccpbench_geometry");
  CHECK(shapes.reals("positions").size() > 300);  // 100 particles and the drum
  CHECK(shapes.reals("contact_points").size() == 0);
  CHECK(run_program(place, {"generate", "drum", "--steps", "1:1", "--start", file.string(), "--out", "on"}).code == 0);
  CHECK(read_text(place / "on/drum.000001.shapes.h5") == read_text(file));
}

TEST_CASE("generate writes the steps of a scene that moves, and each file is a start") {
  const Workplace place;
  const Answer answer = run_program(place, series("2:5", "all"));
  INFO(answer.out << answer.err);
  REQUIRE(answer.code == 0);
  CHECK(lines_of(answer.out).size() == 4);
  CHECK_THAT(answer.out, Catch::Contains("ball_box.000002.global.hdf5"));
  const StoredState third = read_stored_state(place / "all/ball_box.000003.global.hdf5");
  CHECK(third.state.scene == "ball_box");
  CHECK(third.state.step == 3);
  CHECK(third.time == Approx(0.06));
  CHECK(third.state.values.size() == 8 * 13);
  const FclibFile file = read_fclib(place / "all/ball_box.000003.global.hdf5");
  CHECK(file.info.parameters == third.parameters);
  CHECK(file.problem->dofs() == 48);
  // The driver's impulses are a guess, which solves the problem of the file; contacts have a place.
  REQUIRE(file.guesses.size() == 1);
  Judge judge(*file.problem, Model::ncp);
  const Vector guess = *file.impulse(file.guesses[0]);
  CHECK(judge.evaluate(Measure::relative_residual, Point{&guess}) <= 1e-8);
  const hdf5::Group seen = hdf5::Group::open(place / "all/ball_box.000003.global.hdf5").group("ccpbench_geometry");
  CHECK(seen.integer("bodies") == 8);
  CHECK(seen.size("kinds") == 10);
  CHECK(seen.size("contact_points") == 3 * file.problem->constraints().count());
  // From the third step on, the same files to the last byte.
  REQUIRE(run_program(place, series("3:5", "rest", {"--start", "all/ball_box.000003.global.hdf5"})).code == 0);
  for (const char* name : {"ball_box.000003.global.hdf5", "ball_box.000005.global.hdf5"})
    CHECK(read_text(place / "all" / name) == read_text(place / "rest" / name));
}

TEST_CASE("a series and a tape are moved by the same driver, to the last byte") {
  const Workplace place;
  const std::string config = place.write("tape.json", R"({"name": "tape",
    "problems": [{"scene": "ball_box", "parameters": {"spheres": 8, "friction": 0.3},
                  "sequence": {"steps": 15, "driver": {"solver": "apgd", "tolerance": 1e-6}}}],
    "solvers": [{"solver": "proximal_newton"}]})");
  REQUIRE(run_program(place, {"run", config, "--out", "out", "--quiet"}).code == 0);
  const TapePart tape = read_tape_part(first_part(place / "out/tape/sequences"));
  REQUIRE(tape.states.size() == 16);
  const std::vector<std::string> driver{"--set", "friction=0.3", "--driver", "apgd",   "--model",
                                        "ccp",   "--tolerance",  "1e-6",     "--seed", "0"};
  REQUIRE(run_program(place, series("0:15", "steps", driver)).code == 0);
  // Gone on with, too: the file knows the impulses that the driver started from.
  auto rest = driver;
  rest.insert(rest.end(), {"--start", "steps/ball_box.000007.global.hdf5"});
  REQUIRE(run_program(place, series("7:15", "rest", rest)).code == 0);
  const auto scene = make_scene("ball_box");
  scene->parameters().set("spheres", std::int64_t{8});
  scene->parameters().set("friction", 0.3);
  const auto motion = scene->motion(0);
  for (std::size_t step = 0; step < 16; ++step) {
    const std::string name = fmt::format("ball_box.{:06}.global.hdf5", step);
    CAPTURE(name);
    const FclibFile dump = read_fclib(place / "steps" / name);
    CHECK(read_stored_state(place / "steps" / name).state.values == tape.states[step]);
    motion->restore({"ball_box", tape.steps[step], tape.states[step]});
    const ContactProblem problem = motion->problem().problem;
    CHECK(same_bytes(*dump.problem, problem));
    if (step >= 7) CHECK(read_text(place / "steps" / name) == read_text(place / "rest" / name));
  }
}

TEST_CASE("files of each moving scene hold the problems of its tape, to the last byte") {
  using Settings = std::vector<std::pair<std::string, std::string>>;
  struct Moved {
    std::string scene;
    Settings settings;
    int steps;
  };
  const Settings drum{{"particles", "8"}, {"time_step", "0.01"}, {"mass_unit", "0.001"}, {"kinematics", "rigid"}};
  Settings deforming = drum;
  deforming.back().second = "pseudo_rigid";
  const std::vector<Moved> scenes{{"drum", drum, 45},
                                  {"drum", deforming, 45},
                                  {"wrecking_ball", {{"walls", "1"}, {"rows", "2"}, {"columns", "2"}}, 3},
                                  {"cohesive_ball", {{"spheres", "13"}, {"cohesion", "100"}}, 3},
                                  {"mixer", {{"bodies", "12"}, {"time_step", "0.004"}, {"envelope", "0.04"}}, 30}};
  for (const Moved& one : scenes) {
    CAPTURE(one.scene, one.settings.back().second);
    const Workplace place;
    const auto scene = make_scene(one.scene);
    Arguments generate{"generate", one.scene, "--steps",     fmt::format("0:{}", one.steps),
                       "--out",    "steps",   "--form",      "global",
                       "--seed",   "0",       "--driver",    "proximal_newton",
                       "--model",  "ncp",     "--tolerance", "1e-6"};
    std::string parameters;
    for (const auto& [name, value] : one.settings) {
      scene->parameters().set_from_text(name, value);
      generate.insert(generate.end(), {"--set", name + "=" + value});
      const bool number = value.find_first_not_of("0123456789.") == std::string::npos;
      parameters += fmt::format(R"({}"{}": {})", parameters.empty() ? "" : ", ", name, number ? value : '"' + value + '"');
    }
    const std::string config =
        place.write("tape.json", fmt::format(R"({{"name": "tape", "problems": [{{"scene": "{}", "parameters": {{ {} }},
          "sequence": {{"steps": {}, "driver": {{"solver": "proximal_newton", "model": "ncp", "tolerance": 1e-6}}}}}}],
          "solvers": [{{"solver": "proximal_newton"}}]}})",
                                             one.scene, parameters, one.steps));
    REQUIRE(run_program(place, {"run", config, "--out", "out", "--quiet"}).code == 0);
    REQUIRE(run_program(place, generate).code == 0);
    const TapePart tape = read_tape_part(first_part(place / "out/tape/sequences"));
    REQUIRE(tape.states.size() == static_cast<std::size_t>(one.steps) + 1);
    const auto motion = scene->motion(0);
    Index contacts = 0;
    for (std::size_t step = 0; step < tape.states.size(); ++step) {
      motion->restore({one.scene, tape.steps[step], tape.states[step]});
      const ContactProblem problem = motion->problem().problem;
      if (problem.constraints().count() == 0) continue;  // no file
      const FclibFile file = read_fclib(place / "steps" / fmt::format("{}.{:06}.global.hdf5", one.scene, step));
      CHECK(same_bytes(*file.problem, problem));
      contacts = std::max(contacts, problem.constraints().count());
    }
    CHECK(contacts > 0);
  }
}

// The numbers are those of a release build.
TEST_CASE("ten steps are the same in every build, to 1e-12 m") {
  const Workplace place;
  REQUIRE(run_program(place, series("10:10", "steps", {"--set", "friction=0.3", "--tolerance", "1e-12"})).code == 0);
  const Vector values = read_stored_state(place / "steps/ball_box.000010.global.hdf5").state.values;
  const std::vector<std::pair<Index, Vector3>> expected{
      {0, {0.0003818235431533696, -0.07690157703555117, 0.035}},
      {3, {0.07680634817269985, 0.0010156628789632083, 0.035}},
      {7, {-0.006498357776919066, -0.003048653392051975, 0.10426702084634644}}};
  for (const auto& [ball, centre] : expected) CHECK((values.segment<3>(13 * ball) - centre).norm() < 1e-12);
}

TEST_CASE("series that cannot be are refused in one line") {
  const Workplace place;
  REQUIRE(run_program(place, series("0:1", "all")).code == 0);
  const std::string start = "all/ball_box.000001.global.hdf5";
  const auto refused = [&](const std::vector<std::string>& arguments, const std::string& text) {
    CAPTURE(text);
    CHECK_THAT(bad_input_line(run_program(place, arguments)), Catch::Contains(text));
  };
  for (const char* steps : {"5:3", "0:-1", "3", "a:b", "1:2:3"})
    refused(series(steps, "no"), "expected FIRST:LAST with 0 <= FIRST <= LAST");
  refused({"generate", "sphere_press", "--steps", "0:1"}, "scene 'sphere_press' does not move");
  refused(series("0:1", "no", {"--driver", "nobody"}), "unknown solver 'nobody'");
  refused(series("0:1", "no", {"--driver", "ipm_qp", "--set", "friction=0.3"}),
          "the driver: step 0: ipm_qp takes no friction");
  refused(series("0:1", "no", {"--start", start}), "begins at 0, expected at least 1");
  refused(series("1:2", "no", {"--start", "no.hdf5"}), "no.hdf5");
  refused(series("1:2", "no", {"--start", start, "--seed", "9"}), "with seed 9");
  refused(series("1:2", "no", {"--start", start, "--set", "friction=0.3"}), "is of parameters");
  refused(series("1:2", "no", {"--start", start, "--set", "spheres=9"}), "expected 117");
  refused({"generate", "single_ball", "--steps", "1:2", "--start", start}, "state is of 'ball_box', expected 'single_ball'");
  refused(series("0:1", start), "is no folder");
  refused({"generate", "ball_box", "--start", start}, "has no --steps");
  refused({"generate", "drum", "--set", "particles=15", "--set", "kinematics=pseudo_rigid", "--set", "young=300", "--steps",
           "600:600", "--out", "no/soft"},
          "inside out, det F = -0.0");
  Hdf5Editor(place / start).reals("/ccpbench_state/values", {1.0, 2.0});
  refused(series("1:2", "no", {"--start", start}), "/ccpbench_state: state has 2 numbers, expected 104");
  CHECK_FALSE(std::filesystem::exists(place / "no"));
}
