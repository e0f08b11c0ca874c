#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "bench/results/result_table.hpp"
#include "problem/model.hpp"

/// How solvers do under a deadline, such as a step of a controller.
namespace ccp {

/// What one solver setting does within a time. A run is a cell, or a step of a sequence that has contacts.
struct WithinBudget {
  std::string label;
  std::size_t runs = 0, solved = 0;  ///< solved: to the tolerance of the config, within the budget
  /// Of the stop measure, where the budget ends; a run that has no iterate by then counts as +infinity. NaN where a step
  /// that takes longer has no trace, which only `trace_steps` have.
  double median_residual = unknown_number, worst_residual = unknown_number;
  double median_s = unknown_number;                         ///< to solve, set-up included; an unsolved run takes for ever
  double p95_s = unknown_number, worst_s = unknown_number;  ///< set-up and iterations, to the end of a run
  bool cut = false;                                         ///< some runs ended unsolved, so that the times are lower bounds
};

/// The 95 % interval of the share of solved runs, as the bootstrap over runs gives it with endless draws: quantiles of the
/// binomial distribution. NaN below least_problems_for_bands runs.
struct ShareInterval {
  double low = unknown_number, high = unknown_number;
};
ShareInterval share_interval(std::size_t solved, std::size_t runs);

/// One for each label, in the order of the results. model: only its cells. Throws InputError when there is no run.
std::vector<WithinBudget> within_budget(const std::vector<ResultTable>& results, double budget_s,
                                        const std::optional<Model>& model);

}  // namespace ccp
