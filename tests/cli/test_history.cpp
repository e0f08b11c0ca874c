#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/program.hpp"
#include "io/file.hpp"

/// history: a metric over versions of the program.
using namespace ccp::testing;

namespace {

/// Results as a program of that commit, day and rate of relaxation would leave them.
void run_as(const Workplace& place, const std::string& folder, const std::string& commit, int day,
            const std::string& omega) {
  const std::string config = place.write("two.json", R"({ "name": "two", "model": "ccp",
    "problems": [ { "scene": "odd_mass_stack", "parameters": { "spheres": 2, "heavy_index": 1 } } ],
    "solvers": [ { "solver": "jacobi", "label": "J", "parameters": { "omega": 0.2 } }, { "solver": "apgd", "label": "A" } ],
    "stop": { "tolerance": 1e-2, "max_iterations": 2000 } })");
  const Answer answer =
      run_program(place, {"run", config, "--quiet", "--out", folder, "--set", "/solvers/0/parameters/omega=" + omega});
  INFO(answer.err);
  REQUIRE(answer.code == 0);
  const std::filesystem::path file = place / (folder + "/two/manifest.json");
  auto manifest = nlohmann::ordered_json::parse(ccp::read_file(file).value());
  manifest["start"] = "2026-01-0" + std::to_string(day) + "T00:00:00Z";
  manifest["program"]["git_commit"] = commit;
  ccp::write_file_atomically(file, manifest.dump(2) + "\n");
}

}  // namespace

TEST_CASE("history puts runs in their order in time and finds where a count changed") {
  const Workplace place;
  run_as(place, "c", "ccccccc", 3, "0.3");
  run_as(place, "a", "aaaaaaa", 1, "0.2");
  run_as(place, "d", "ddddddd", 4, "0.3");
  run_as(place, "b", "bbbbbbb", 2, "0.2");
  const Arguments arguments = {"history", "a/two", "c/two", "d/two", "b/two", "--no-figure"};
  Arguments as_json = arguments;
  as_json.emplace_back("--json");
  const Answer told = run_program(place, as_json);
  INFO(told.err << told.out);
  REQUIRE(told.code == 0);
  const auto rows = nlohmann::json::parse(told.out);
  REQUIRE(rows.size() == 8);
  const std::string order = "abcd";
  for (std::size_t i = 0; i < 8; ++i) {
    CAPTURE(i);
    CHECK(rows[i].at("solver") == (i < 4 ? "J" : "A"));
    CHECK(rows[i].at("commit") == std::string(7, order[i % 4]));
    CHECK(rows[i].at("change").is_null() == (i != 2));
    CHECK(rows[i].at("level").get<double>() == Approx(rows[i].at("value").get<double>()));
  }
  CHECK(rows[2].at("value").get<double>() < rows[1].at("value").get<double>());
  CHECK(rows[2].at("change").get<double>() == Approx(rows[2].at("value").get<double>() / rows[1].at("value").get<double>()));
  const Answer text = run_program(place, arguments);
  CHECK(contains(text.out, "ccccccc, 2026-01-03:"));
  CHECK(contains(text.out, "none"));
  CHECK(contains(text.out, "history: history\n"));
  CHECK(lines_of(ccp::read_file(place / "history/history.csv").value()).size() == 9);
  Arguments only = as_json;
  only.insert(only.end(), {"--of", "A", "--metric", "flops", "--out", "flops"});
  CHECK(nlohmann::json::parse(run_program(place, only).out).size() == 4);
}

TEST_CASE("history leaves out cells that a folder lacks or does not solve, and says what is wrong") {
  const Workplace place;
  run_as(place, "a", "aaaaaaa", 1, "0.2");
  run_as(place, "b", "bbbbbbb", 2, "0.001");  // not solved
  const Answer answer = run_program(place, {"history", "a/two", "b/two", "--no-figure", "--format", "csv"});
  CHECK(answer.code == 0);
  CHECK(contains(answer.err, "1 cell left out"));
  CHECK_FALSE(contains(answer.out, "\nJ,"));
  const auto line = [&](Arguments arguments) {
    arguments.insert(arguments.begin(), "history");
    return bad_input_line(run_program(place, arguments));
  };
  CHECK_THAT(line({"a/two"}), Catch::Contains("expected two at least"));
  CHECK_THAT(line({"a/two", "b/two", "--metric", "time_to"}), Catch::Contains("--at: is needed for time_to"));
  CHECK_THAT(line({"a/two", "b/two", "--at", "1e-2"}), Catch::Contains("--at: is not for iterations"));
  CHECK_THAT(line({"a/two", "b/two", "--of", "Z*"}), Catch::Contains("no cell in common"));
  CHECK_THAT(line({"a/two", "elsewhere"}), Catch::Contains("elsewhere"));
  CHECK_FALSE(std::filesystem::exists(place / "history/history-iterations.png"));
}
