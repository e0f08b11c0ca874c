#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <string>

#include "bench/analysis/budget.hpp"
#include "bench/fake_catalog.hpp"
#include "bench/runs.hpp"
#include "core/error.hpp"
#include "support/temporary_folder.hpp"

using namespace ccp;
using Catch::Contains;
using ccp::testing::fake_catalog;
using ccp::testing::TemporaryFolder;

namespace {

ResultTable budget_results(const TemporaryFolder& folder, const std::string& text, int repeat = 1) {
  RunOptions options;
  options.out = folder.path().string();
  options.repeat = repeat;
  RunProgress silent;
  const Config config = parse_config(text, "c.json", fake_catalog());
  run_config(config, make_plan(config), fake_catalog(), options, silent);
  return ResultTable(folder.path() / "x", fake_catalog());
}

std::map<std::string, WithinBudget> by_label(const BudgetTable& table) {
  std::map<std::string, WithinBudget> solvers;
  for (const WithinBudget& solver : table.solvers) solvers[solver.label] = solver;
  return solvers;
}

}  // namespace

TEST_CASE("the residual at a budget is on the clock of the repeats that the times are from") {
  const TemporaryFolder folder;
  const ResultTable results = budget_results(folder, ccp::testing::solvers_config({"good"}), 3);
  const ResultRow& row = results.rows().at(0);
  const CsvTable& trace = results.trace(row);
  const double total = results.metric(row, "setup_s", 0.0) + results.metric(row, "solve_s", 0.0);
  const std::size_t last = trace.rows.size() - 1;
  REQUIRE(last > 3);
  REQUIRE(total != trace.number(last, "elapsed_s"));  // judged, and not judged
  const auto at = [&](double budget) {
    return within_budget({results}, {budget, std::nullopt, std::nullopt}).solvers.at(0);
  };
  CHECK(at(total).solved == 1);
  CHECK(at(total).residual.worst == results.metric(row, "relative_residual", 0.0));
  CHECK(at(total * (1.0 - 1e-9)).solved == 0);
  for (std::size_t i = 1; i < last; ++i) {
    if (trace.number(i + 1, "elapsed_s") == trace.number(i, "elapsed_s")) continue;
    const double budget = total * trace.number(i, "elapsed_s") / trace.number(last, "elapsed_s");
    CHECK(at(budget * (1.0 + 1e-9)).residual.worst == trace.number(i, "relative_residual"));
  }
  CHECK(std::isinf(at(0.0).residual.worst));
  const auto decade = [&](double accuracy, double budget) {
    return within_budget({results}, {budget, accuracy, std::nullopt}).solvers.at(0);
  };
  const double to = results.metric(row, "time_to", 1e-4);
  CHECK(decade(1e-4, to).solved == 1);
  CHECK(decade(1e-4, to).solve_s.worst == to);
  CHECK(decade(1e-12, 1e3).solved == 0);  // it stopped before
  CHECK(std::isinf(decade(1e-12, 1e3).solve_s.worst));
  CHECK(decade(1e-12, 1e3).end_s.worst == total);
}

TEST_CASE("a dead or stopped run is unsolved, what a solver does not take is said, what nobody can take is in no number") {
  const TemporaryFolder folder;
  const ResultTable results = budget_results(folder, R"({"name": "x", "problems": [{"scene": "pebbles"},
      {"scene": "quirk", "label": "broken", "parameters": {"deed": "sigfpe"}}],
    "solvers": [{"solver": "good"}, {"solver": "late_hang"}, {"solver": "segfault"}, {"solver": "picky"}],
    "limits": {"wall_s": 0.5}})");
  const BudgetTable table = within_budget({results}, {1e3, std::nullopt, std::nullopt});
  CHECK(table.problems == 1);
  REQUIRE(table.left_out.size() == 1);
  CHECK(table.left_out[0].name == "broken");
  CHECK_THAT(table.left_out[0].reason, Contains("SIGFPE"));
  const auto solvers = by_label(table);
  CHECK(solvers.at("good").runs == 1);
  CHECK(solvers.at("good").solved == 1);
  for (const char* dead : {"late_hang", "segfault"}) {
    CHECK(solvers.at(dead).runs == 1);
    CHECK(solvers.at(dead).solved == 0);
    CHECK(std::isinf(solvers.at(dead).solve_s.worst));
    CHECK(std::isfinite(solvers.at(dead).end_s.worst));
  }
  CHECK(solvers.at("late_hang").residual.worst < 1.0);                                    // what its trace has
  CHECK(solvers.at("segfault").residual.worst > solvers.at("late_hang").residual.worst);  // it shows its start alone
  REQUIRE(table.ended.size() == 2);
  CHECK_THAT(table.ended[0].name + table.ended[0].reason, Contains("late_hang") && Contains("wall limit of 0.5 s"));
  CHECK(solvers.at("picky").runs == 0);
  CHECK(solvers.at("picky").not_taken == 1);
  CHECK_FALSE(solvers.at("picky").why_not.empty());

  const TemporaryFolder other;
  CHECK_THROWS_WITH(within_budget({budget_results(other, ccp::testing::solvers_config({"picky"}))}, {1.0, {}, {}}),
                    Contains("hold no run with a time: pebbles: "));
}
