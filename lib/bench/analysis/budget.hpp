#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "bench/results/result_table.hpp"
#include "problem/model.hpp"

/// How solvers do under a deadline, such as a step of a controller.
namespace ccp {

/// Of a list of values.
struct Spans {
  double median = unknown_number, p95 = unknown_number, worst = unknown_number;
};

/// Results of one solver setting within a time. A run is a cell, or a step of a sequence that has contacts. One that did not
/// come to its end, because it died or was killed, is an unsolved run that took as long as its process.
struct WithinBudget {
  std::string label;
  std::size_t runs = 0, solved = 0;  ///< solved: to the accuracy asked for, within the budget
  /// Of the stop measure, where the budget ends; a run that has no iterate by then counts as +infinity. NaN where a step
  /// that takes longer has no trace, which only `trace_steps` have.
  Spans residual;
  Spans solve_s;              ///< to that accuracy, set-up included; an unsolved run takes for ever
  Spans end_s;                ///< to that accuracy or to the end of the run: what an unsolved one takes at least
  std::size_t not_taken = 0;  ///< problems without a run of this solver that others do take
  std::string why_not;        ///< the reason of the first
};

struct NamedReason {
  std::string name, reason;
};

struct BudgetTable {
  std::vector<WithinBudget> solvers;  ///< one for each label, in the order of the results
  std::size_t problems = 0;           ///< with their models, that some solver takes
  std::vector<NamedReason> left_out;  ///< the others: no solver takes them, they have no contacts or could not be read
  std::vector<NamedReason> ended;     ///< runs that did not come to their end, by their cell
  std::size_t busy = 0, timed = 0;    ///< cells whose times are of a busy machine, of those with times
  bool steps_once = false;            ///< repeats timed whole sequences; the times of steps are those of the first run
};

struct BudgetOptions {
  double budget_s = 0.0;
  std::optional<double> at;    ///< a decade of the stop measure; nothing: to the tolerance of the config
  std::optional<Model> model;  ///< only its cells
};

/// Throws InputError when there is no run.
BudgetTable within_budget(const std::vector<ResultTable>& results, const BudgetOptions& options);

/// The 95 % interval of the share of solved runs, as the bootstrap over runs gives it with endless draws: quantiles of the
/// binomial distribution. NaN below least_problems_for_bands runs.
struct ShareInterval {
  double low = unknown_number, high = unknown_number;
};
ShareInterval share_interval(std::size_t solved, std::size_t runs);

}  // namespace ccp
