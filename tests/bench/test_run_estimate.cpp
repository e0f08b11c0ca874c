#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/fake_catalog.hpp"
#include "bench/run/run_estimate.hpp"
#include "bench/runs.hpp"
#include "bench/sequence_runs.hpp"
#include "support/temporary_folder.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace fs = std::filesystem;

namespace {

/// A stored result with other settings than those of the config; steps: of a sequence, 0: none.
void leave_result(const TemporaryFolder& folder, const std::string& solver, const std::string& problem_key, double wall_s,
                  int steps = 0) {
  nlohmann::json cell = {{"times", {{"wall_s", wall_s}}},
                         {"problem", {{"rows", 3}, {"sha256", problem_key}}},
                         {"solver", {{"name", solver}}}};
  if (steps > 0) cell["steps"] = {{"steps", steps}};
  const fs::path place = folder / "x" / "cells" / ("other-" + solver);
  fs::create_directories(place);
  write_text(place / "cell.json", cell.dump());
}

/// Looks at nothing.
RunEstimate estimate_of(const TemporaryFolder& folder, const std::string& text, const Catalog& catalog, int jobs = 1) {
  const Plan plan = make_plan(parse_config(text, "c.json", catalog));
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < plan.cells.size(); ++i) all.push_back(i);
  RunOptions options;
  options.out = folder.path().string();
  options.jobs = jobs;
  return estimate_run(plan, all, catalog, options, 0.0);
}

}  // namespace

TEST_CASE("A cell is expected to take what its solver took on its problem, or on others of the config, up to its wall limit") {
  const TemporaryFolder folder;
  const auto config = [](double wall_s) {
    nlohmann::json json = nlohmann::json::parse(solvers_config({"good", "picky"}));
    json["problems"].push_back({{"scene", "pebbles"}, {"label", "others"}, {"seed", 2}});
    json["limits"] = {{"wall_s", wall_s}};
    return json.dump();
  };
  const Plan plan = make_plan(parse_config(config(600.0), "c.json", fake_catalog()));
  REQUIRE(plan.cells.size() == 4);
  const std::string first = plan.cells.front().problem_key, second = plan.cells.back().problem_key;
  REQUIRE(first != second);
  leave_result(folder, "good", first, 50.0);
  leave_result(folder, "picky", second, 70.0);
  const RunEstimate whole = estimate_of(folder, config(600.0), fake_catalog());
  CHECK(whole.expected_cells == 4);
  CHECK(whole.results == 2);
  CHECK(whole.expected_s == Approx(2 * 50.0 + 2 * 70.0));
  CHECK(estimate_of(folder, config(60.0), fake_catalog()).expected_s == Approx(2 * 50.0 + 2 * 60.0));
  CHECK(estimate_of(folder, config(40.0), fake_catalog()).expected_s == Approx(4 * 40.0));
}

TEST_CASE("Results on problems that the config does not have, as of another size, say nothing about a cell") {
  const TemporaryFolder folder;
  leave_result(folder, "good", "another", 0.01);
  const RunEstimate estimate = estimate_of(folder, solvers_config({"good"}, R"(, "limits": {"wall_s": 30})"), fake_catalog());
  CHECK(estimate.expected_cells == 0);
  CHECK(estimate.results == 0);
  CHECK(estimate.limit_s == Approx(30.0));
}

TEST_CASE("Sequences are expected to take what the steps of others of the config took, up to their wall limit") {
  const TemporaryFolder folder;
  const auto config = [](int wall_s) {
    nlohmann::json json = nlohmann::json::parse(sequence_config({{"/limits", {{"wall_s", wall_s}}}}));
    json["problems"].push_back(json["problems"][0]);
    json["problems"][1]["label"] = "nine";
    json["problems"][1]["parameters"]["spheres"] = 9;
    json["problems"][1]["sequence"]["steps"] = 4;
    return json.dump();
  };
  const Plan plan = sequence_plan(config(600));
  REQUIRE(plan.cells.size() == 4);
  leave_result(folder, "apgd", plan.cells.back().problem_key, 60.0, 4);
  const auto expected = [&](int wall_s) { return estimate_of(folder, config(wall_s), moving_scenes()).expected_s; };
  CHECK(expected(600) == Approx(2 * 12 * 15.0 + 2 * 60.0));
  CHECK(expected(30) == Approx(4 * 30.0));
}

TEST_CASE("Cells of which nothing is known can take their wall limit, two at once half of it each and one more") {
  const TemporaryFolder folder;
  const std::string text = solvers_config({"good", "picky", "hang"}, R"(, "limits": {"wall_s": 30})");
  CHECK(estimate_of(folder, text, fake_catalog()).limit_s == Approx(3 * 30.0));
  CHECK(estimate_of(folder, text, fake_catalog(), 2).limit_s == Approx(3 * 30.0 / 2 + 30.0 / 2));
}
