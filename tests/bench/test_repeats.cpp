#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/fake_catalog.hpp"
#include "bench/record/cell_record.hpp"
#include "bench/run/manifest.hpp"
#include "bench/run/repeats.hpp"
#include "bench/run/runner.hpp"
#include "support/temporary_folder.hpp"

using namespace ccp;
using Catch::Contains;
using ccp::testing::fake_catalog;
using ccp::testing::read_text;
using ccp::testing::TemporaryFolder;

namespace {

const std::string two_solvers =
    R"({"name": "x", "problems": [{"scene": "pebbles"}], "solvers": [{"solver": "good"}, {"solver": "picky"}, {"solver": "segfault"}]})";

/// The order in which cells were started.
class Order final : public RunProgress {
 public:
  void started(const Cell& cell, const RunCounts&) override { labels_ += cell.label + " "; }
  std::string labels_;
};

std::string run(const TemporaryFolder& folder, int repeat, int passes, const std::string& text = two_solvers) {
  RunOptions options;
  options.out = folder.path().string();
  options.repeat = repeat;
  options.passes = passes;
  Order order;
  const Config config = parse_config(text, "c.json", fake_catalog());
  run_config(config, make_plan(config), fake_catalog(), options, order);
  return order.labels_;
}

nlohmann::json cell_json(const TemporaryFolder& folder) {
  const Plan plan = make_plan(parse_config(two_solvers, "c.json", fake_catalog()));
  return nlohmann::json::parse(read_text(folder.path() / "x" / "cells" / plan.cells.at(0).hash / "cell.json"));
}

TimedRun timed(int pass) {
  TimedRun run;
  run.pass = pass;
  return run;
}

/// A result of three iterations, solved in `solve_s`.
Result result_of(double solve_s) {
  Result result;
  result.iterations = 3;
  result.solve_s = solve_s;
  result.crossings[0] = {2, 0.5 * solve_s};
  return result;
}

CellRecord first_record() {
  CellRecord record;
  Result first = result_of(8.0);
  record.crossings = first.crossings;
  record.iterations = first.iterations;
  record.measures = first.measures;
  add_run(record, first, timed(1));
  return record;
}

}  // namespace

TEST_CASE("Repeats are replays after the traced run, and only those that are missing are run") {
  const TemporaryFolder folder;
  CHECK(run(folder, 3, 0) == "good picky segfault good good good ");
  const auto three = cell_json(folder);
  REQUIRE(three["runs"].size() == 4);
  CHECK(three["runs"][0]["pass"] == 1);
  for (std::size_t i = 1; i < 4; ++i) {
    CHECK(three["runs"][i]["pass"] == 2);
    CHECK(three["runs"][i]["crossings"]["1e-8"]["iteration"] == three["iterations"]);
    CHECK(three["runs"][i]["crossings"]["1e-8"]["elapsed_s"].is_number());
  }
  CHECK(three["notes"].empty());  // the replays ended as the first run did

  CHECK(run(folder, 3, 0).empty());
  CHECK(run(folder, 5, 0) == "good good ");
  CHECK(cell_json(folder)["runs"].size() == 6);
  CHECK(run(folder, 2, 1) == "good ");  // of the first pass there is one
  CHECK(cell_json(folder)["runs"].back()["pass"] == 1);
}

TEST_CASE("Rounds go over all cells") {
  const TemporaryFolder folder;
  const std::string text =
      R"({"name": "x", "problems": [{"scene": "pebbles"}], "solvers": [{"solver": "good"}, {"solver": "liar"}]})";
  CHECK(run(folder, 2, 1, text) == "good liar good liar ");
}

TEST_CASE("A record gives the medians of the runs of its highest pass, and their spread") {
  CellRecord record = first_record();
  CHECK(record.solve_s == 8.0);
  for (const double seconds : {3.0, 1.0, 2.0, 10.0}) add_run(record, result_of(seconds), timed(2));
  CHECK(record.solve_s == 2.5);
  CHECK(record.crossings[0].iteration == 2);
  CHECK(record.crossings[0].elapsed_s == 1.25);
  const Spread spread = solve_spread(record);
  CHECK(spread.least_s == 1.0);
  CHECK(spread.largest_s == 10.0);
  CHECK(spread.runs == 4);
  CHECK(record.notes.empty());
}

TEST_CASE("A run with other iterates than the first is noted") {
  CellRecord record = first_record();
  Result other = result_of(8.0);
  SECTION("in their number") {
    other.iterations = 4;
    add_run(record, other, timed(1));
    CHECK(record.notes.at(0) == "run 2 differs from the first: 4 iterations instead of 3");
    CHECK(record.runs[1].difference == "4 iterations instead of 3");
    record.notes.clear();  // they are for readers
    CHECK(differing_runs(record) == std::vector<std::string>{"run 2 differs from the first: 4 iterations instead of 3"});
  }
  SECTION("in a crossing") {
    other.crossings[0].iteration = 1;
    add_run(record, other, timed(1));
    CHECK(record.notes.at(0) == "run 2 differs from the first: reached 1e-2 at iteration 1 instead of 2");
  }
  SECTION("in the last bit of a measure") {
    other.measures[0] = 1e-300;
    add_run(record, other, timed(1));
    CHECK_THAT(record.notes.at(0), Contains("instead of 0"));
  }
}

TEST_CASE("How far a run comes until its time is over is no difference") {
  CellRecord record = first_record();
  Result other = result_of(8.0);
  other.iterations = 4;
  other.measures[0] = 0.5;
  other.status = Status::time_limit;
  SECTION("of the repeat") {}
  SECTION("of the first run") { record.status = Status::time_limit, other.status = Status::solved; }
  other.crossings[1] = {4, 7.0};
  add_run(record, other, timed(1));
  CHECK(record.notes.empty());
  other.crossings[0].iteration = 1;  // both have come that far
  add_run(record, other, timed(1));
  CHECK(record.notes.at(0) == "run 3 differs from the first: reached 1e-2 at iteration 1 instead of 2");
}

TEST_CASE("A cell whose first run is hopelessly late is not repeated") {
  Timing timing;
  timing.repeat = 3;
  const CellRecord record = first_record();  // of 8 s
  timing.hopeless_s = 8.0;
  CHECK(missing_runs(&record, timing, true) == 2);
  timing.hopeless_s = 7.9;
  CHECK(missing_runs(&record, timing, true) == 0);
  CHECK_FALSE(next_pass(record, timing, true));
}

TEST_CASE("Only runs that came to their end are repeated") {
  Timing timing;
  timing.repeat = 2;
  timing.passes = 2;
  CHECK_FALSE(next_pass(CellRecord(), timing, true));
  const CellRecord record = first_record();
  CHECK(next_pass(record, timing, true) == 2);
  CHECK(next_pass(record, timing, false) == 1);
  timing.repeat = 1;
  CHECK(next_pass(record, timing, true) == 2);
  CHECK_FALSE(next_pass(record, timing, false));
}

TEST_CASE("A machine or build unfit for timing is warned of, an unknown governor is not") {
  Environment environment;
  environment.cores = 4;
  environment.build_type = "Release";
  environment.governor = "unknown";
  CHECK(timing_warnings(environment).empty());
  environment.governor = "powersave";
  CHECK_THAT(timing_warnings(environment).at(0), Contains("powersave"));
  environment.governor = "performance";
  environment.build_type = "Debug";
  CHECK_THAT(timing_warnings(environment).at(0), Contains("Debug"));
  environment.build_type = "Release";
  environment.sanitizers = "address";
  CHECK_THAT(timing_warnings(environment).at(0), Contains("address"));
}

TEST_CASE("A manifest tells what times depend on") {
  const TemporaryFolder folder;
  run(folder, 2, 0);
  const auto manifest = nlohmann::json::parse(read_text(folder.path() / "x" / "manifest.json"));
  CHECK(manifest["options"]["repeat"] == 2);
  CHECK(manifest["options"]["passes"] == 2);
  CHECK(manifest["warnings"].is_array());
  CHECK(manifest["load_at_start"].is_number());
  CHECK(manifest["environment"]["governor"].is_string());
  CHECK(manifest["environment"]["boost"].is_string());
  CHECK(manifest["program"]["sanitizers"].is_string());
}
