#include <signal.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <string>
#include <vector>

#include "cli/program.hpp"
#include "cli/results.hpp"

using namespace ccp::testing;
namespace fs = std::filesystem;

namespace {

constexpr std::size_t long_steps = 400;

/// A sequence that takes a while, with one cell.
std::string long_sequence(const Workplace& place, const std::string& trajectory) {
  return place.write("long.json", R"({"name": "long",
    "problems": [{"scene": "ball_box", "parameters": {"spheres": 30},
                  "sequence": {"steps": 400, "trajectory": ")" +
                                      trajectory + R"(", "driver": {"solver": "ipm_qp"}}}],
    "solvers": [{"solver": "apgd", "start": {"from": "previous"}}]})");
}

fs::path only_cell(const fs::path& results) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(results / "cells", ignored)) return entry.path();
  return {};
}

std::size_t lines_in(const fs::path& file) {
  const std::string text = fs::exists(file) ? read_text(file) : std::string();
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

/// The lines of steps.csv without the columns that depend on the clock.
std::vector<std::vector<std::string>> timeless_steps(const fs::path& results) {
  const Csv table(only_cell(results) / "steps.csv");
  std::vector<std::vector<std::string>> lines;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    lines.emplace_back();
    for (const std::string& name : table.columns()) {
      const bool time = name.rfind("time_to_", 0) == 0 || (name != "time_s" && name.size() > 2 && name.ends_with("_s"));
      if (!time) lines.back().push_back(table.text(row, name));
    }
  }
  return lines;
}

/// Starts the run, and kills it as soon as `reached` says.
void kill_when(const Workplace& place, const std::string& config, const std::function<bool()>& reached) {
  Program program(place, {"run", config, "--out", "out", "--quiet"});
  REQUIRE(wait_until([&] { return reached() || !program.running(); }));
  REQUIRE(program.running());
  program.send(SIGKILL);
  program.wait();
}

}  // namespace

TEST_CASE("a sequence that is killed goes on where it was, and ends with the same steps") {
  const std::string trajectory = GENERATE(std::string("shared"), std::string("own"));
  CAPTURE(trajectory);
  const Workplace place;
  const std::string config = long_sequence(place, trajectory);
  REQUIRE(run_program(place, {"run", config, "--out", "whole", "--quiet"}).code == 0);
  const auto whole = timeless_steps(place / "whole/long");
  REQUIRE(whole.size() == long_steps);

  if (trajectory == "shared")
    kill_when(place, config, [&] {
      for (const auto& entry : fs::recursive_directory_iterator(place.path()))
        if (entry.path().filename() == "tape.000000.hdf5" && entry.path().string().find("/out/") != std::string::npos)
          return true;
      return false;
    });
  kill_when(place, config, [&] { return lines_in(only_cell(place / "out/long") / "steps.csv") > 130; });
  CHECK(fs::exists(only_cell(place / "out/long") / "start.hdf5"));
  CHECK_FALSE(fs::exists(only_cell(place / "out/long") / "cell.json"));
  const Answer answer = run_program(place, {"run", config, "--out", "out", "--quiet"});
  INFO(answer.err);
  REQUIRE(answer.code == 0);
  CHECK(timeless_steps(place / "out/long") == whole);
  const auto results = read_results(place / "out/long");
  REQUIRE(results.size() == 1);
  const auto& cell = results.begin()->second.json;
  CHECK(cell.at("iterations") == read_results(place / "whole/long").begin()->second.json.at("iterations"));
  CHECK_THAT(cell.at("notes").dump(), Catch::Contains("the run was interrupted and went on at step"));
  CHECK_FALSE(fs::exists(only_cell(place / "out/long") / "start.hdf5"));
}

TEST_CASE("a sequence that is killed while its driver settles goes on there") {
  const Workplace place;
  const std::string config = place.write("long.json", R"({"name": "long",
    "problems": [{"scene": "ball_box", "parameters": {"spheres": 30},
                  "sequence": {"steps": 320, "settle": 300, "trajectory": "own", "driver": {"solver": "ipm_qp"}}}],
    "solvers": [{"solver": "apgd"}]})");
  REQUIRE(run_program(place, {"run", config, "--out", "whole", "--quiet"}).code == 0);
  const auto whole = timeless_steps(place / "whole/long");
  REQUIRE(whole.size() == 20);
  kill_when(place, config, [&] { return fs::exists(only_cell(place / "out/long") / "start.hdf5"); });
  CHECK_FALSE(fs::exists(only_cell(place / "out/long") / "cell.json"));
  REQUIRE(run_program(place, {"run", config, "--out", "out", "--quiet"}).code == 0);
  CHECK(timeless_steps(place / "out/long") == whole);
  const auto notes = read_results(place / "out/long").begin()->second.json.at("notes").dump();
  CHECK_THAT(notes, Catch::Contains("the run was interrupted and went on at step"));
}

TEST_CASE("what cannot move is refused in one line that names it") {
  const Workplace place;
  const auto config = [&](const std::string& problem) {
    return place.write("bad.json", R"({"name": "bad", "problems": [)" + problem + R"(], "solvers": [{"solver": "apgd"}]})");
  };
  const auto refused = [&](const std::string& parameters, const std::string& sequence, const std::string& text) {
    CAPTURE(parameters, sequence);
    const std::string file =
        config(R"({"scene": "ball_box", "parameters": {)" + parameters + R"(}, "sequence": {)" + sequence + "}}");
    const std::string line = bad_input_line(run_program(place, {"run", file, "--out", "out"}));
    CHECK_THAT(line, Catch::Contains("bad.json") && Catch::Contains(text));
    CHECK_FALSE(fs::exists(place / "out"));
  };
  const std::string steps = R"("steps": 3)", driver = R"("steps": 3, "driver": )";
  refused(R"("density": 0)", steps, "'density'");
  refused(R"("radius": -0.035)", steps, "'radius'");
  refused(R"("spacing": 2.05)", steps, "spheres would overlap at the start");
  refused(R"("spheres": 2000)", steps, "'spheres' is 2000: their centres would fill a cylinder");
  refused("", R"("steps": 0)", "'steps' is 0");
  refused("", driver + R"({"solver": "nsgs", "model": "ccp"})", "the driver nsgs does not solve the ccp model");
  refused("", steps + R"(, "trajectory": "own", "driver": {"solver": "nsgs"})",
          "the driver nsgs does not solve the ccp model");

  REQUIRE(run_program(place, {"generate", "single_ball", "--steps", "1:1", "--form", "global", "--out", "states"}).code ==
          0);
  const std::string state = "states/single_ball.000001.global.hdf5";
  const auto from = [&](const std::string& file) { return steps + R"(, "state": ")" + file + "\""; };
  refused("", from(state), "state is of 'single_ball', expected 'ball_box'");
  const std::string bytes = read_text(place / state);
  place.write(state, bytes.substr(0, bytes.size() / 2));
  refused("", from(state), state);
  refused("", from("states/none.hdf5"), "none.hdf5");
}

TEST_CASE("a config says how many steps it has, and a scene that it moves") {
  const Workplace place;
  CHECK_THAT(run_program(place, {"check", long_sequence(place, "shared")}).out, Catch::Contains("1 problem of 400 steps"));
  CHECK_THAT(run_program(place, {"list", "scenes", "ball_box"}).out, Catch::Contains("moves: its steps make a sequence"));
  CHECK(run_program(place, {"list", "scenes", "odd_mass_stack"}).out.find("moves") == std::string::npos);
}
