#pragma once

#include <string>
#include <vector>

#include "bench/analysis/budget.hpp"
#include "terminal/records.hpp"
#include "terminal/table.hpp"

/// The table of `rank` and `profile --budget`: solvers under a deadline. A time or residual that is not reached is null in
/// JSON and empty in CSV; people read "> 1 s", after what an unsolved run took, and "none".
namespace ccp::cli {

/// The tolerance of the configs of all results; NaN where they differ.
double common_tolerance(const std::vector<ResultTable>& results);

/// Without rows yet.
Records budget_records();
/// accuracy: NaN where each config has its own.
void add_budget(Records& records, const std::vector<WithinBudget>& solvers, double accuracy);

/// For people.
Table budget_page(const std::vector<WithinBudget>& solvers);

/// Notes on stderr: what is left out and why, runs that did not come to their end, and what the times are worth.
void note_budget(const BudgetTable& table);

}  // namespace ccp::cli
