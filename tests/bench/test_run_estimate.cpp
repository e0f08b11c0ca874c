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

TEST_CASE("A cell is expected to take what its solver took on its problem, or on others, up to its wall limit") {
  const TemporaryFolder folder;
  const auto config = [](double wall_s) {
    return solvers_config({"good", "picky"}, R"(, "limits": {"wall_s": )" + std::to_string(wall_s) + "}");
  };
  const Plan plan = make_plan(parse_config(config(600.0), "c.json", fake_catalog()));
  leave_result(folder, "good", plan.cells.at(0).problem_key, 50.0);
  leave_result(folder, "picky", "another", 70.0);
  const RunEstimate whole = estimate_of(folder, config(600.0), fake_catalog());
  CHECK(whole.expected_cells == 2);
  CHECK(whole.expected_s == Approx(50.0 + 70.0));
  CHECK(estimate_of(folder, config(60.0), fake_catalog()).expected_s == Approx(50.0 + 60.0));
  CHECK(estimate_of(folder, config(40.0), fake_catalog()).expected_s == Approx(40.0 + 40.0));
}

TEST_CASE("Sequences are expected to take what the steps of others took, up to their wall limit") {
  const TemporaryFolder folder;
  leave_result(folder, "apgd", "another", 60.0, 4);
  const auto expected = [&](int wall_s) {
    return estimate_of(folder, sequence_config({{"/limits", {{"wall_s", wall_s}}}}), moving_scenes()).expected_s;
  };
  CHECK(expected(600) == Approx(2 * 12 * 15.0));
  CHECK(expected(100) == Approx(2 * 100.0));
}

TEST_CASE("Cells of which nothing is known can take their wall limit, two at once half of it each and one more") {
  const TemporaryFolder folder;
  const std::string text = solvers_config({"good", "picky", "hang"}, R"(, "limits": {"wall_s": 30})");
  CHECK(estimate_of(folder, text, fake_catalog()).limit_s == Approx(3 * 30.0));
  CHECK(estimate_of(folder, text, fake_catalog(), 2).limit_s == Approx(3 * 30.0 / 2 + 30.0 / 2));
}
