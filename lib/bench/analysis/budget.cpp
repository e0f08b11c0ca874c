#include "bench/analysis/budget.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "bench/analysis/profile.hpp"
#include "bench/record/cell_record.hpp"
#include "core/error.hpp"
#include "problem/judge/measure.hpp"

namespace ccp {
namespace {

struct Run {
  double seconds, residual;  ///< to the accuracy, or to its end; where the budget ends
  bool solved;
};

/// The runs of a cell; the reason where it has none.
struct Told {
  std::vector<Run> runs;
  std::string reason;
  bool ended = true;
};

std::string stop_measure(const ResultTable& results) {
  return std::string(measure_info(results.config().variants.front().stop.measure).name);
}

/// The last value of a trace within the budget, on the clock of the runs that the time of the cell is from: the trace is of
/// the first run, with iterates judged in between, which `total` may be the median of others without.
double residual_at(const CsvTable& trace, double budget_s, double total_s, const std::string& measure) {
  double residual = never;
  if (trace.rows.empty()) return residual;
  const double last = trace.number(trace.rows.size() - 1, "elapsed_s");
  const double scale = last > 0.0 && total_s > 0.0 ? total_s / last : 1.0;
  for (std::size_t i = 0; i < trace.rows.size(); ++i) {
    if (scale * trace.number(i, "elapsed_s") > budget_s) break;
    residual = trace.number(i, measure);
  }
  return residual;
}

Told told_by_cell(const ResultTable& results, const ResultRow& row, const BudgetOptions& options) {
  const auto value = [&](const char* name) { return results.metric(row, name, 0.0); };
  const std::string measure = stop_measure(results);
  if (row.status == Status::unsupported) return {{}, results.reason(row)};
  if (value("rows") == 0.0) return {{}, "no contacts"};
  if (std::isnan(value("rows"))) return {{}, results.reason(row)};  // it could not be read or built
  const double setup = value("setup_s"), total = value("solve_s") + (std::isnan(setup) ? 0.0 : setup);
  const bool ended = !std::isnan(total), traced = results.has_trace(row) && results.trace(row).column(measure) >= 0;
  Run run{ended ? total : value("wall_s"), unknown_number, row.status == Status::solved};
  if (ended && total <= options.budget_s)
    run.residual = value(measure.c_str());
  else if (traced)
    run.residual = residual_at(results.trace(row), options.budget_s, ended ? total : 0.0, measure);
  else if (!ended)
    run.residual = never;
  if (options.at) {
    const double to = results.metric(row, "time_to", *options.at);
    run.solved = std::isfinite(to);
    if (run.solved) run.seconds = to;
  }
  return {{run}, results.reason(row), ended};
}

/// The steps of a sequence that have contacts.
Told told_by_steps(const ResultTable& results, const ResultRow& row, const BudgetOptions& options) {
  const std::string measure = stop_measure(results);
  Told told{{}, "no contacts in any step"};
  const CsvTable& steps = results.steps(row);
  const auto status = static_cast<std::size_t>(std::max(0, steps.column("status")));
  const std::string time_to =
      options.at ? "time_to_" + decade_name(static_cast<int>(-std::lround(std::log10(*options.at)))) : "";
  for (std::size_t i = 0; i < steps.rows.size(); ++i) {
    if (!(steps.number(i, "contacts") > 0.0)) continue;
    const double seconds = steps.number(i, "setup_s") + steps.number(i, "solve_s");
    Run run{seconds, seconds <= options.budget_s ? steps.number(i, measure) : unknown_number,
            steps.rows[i][status] == status_name(Status::solved)};
    if (options.at) {
      const double to = steps.number(i, time_to);
      run.solved = std::isfinite(to);
      if (run.solved) run.seconds = to;
    }
    told.runs.push_back(run);
  }
  return told;
}

/// The smallest value that at least this share of the values does not exceed.
double share_below(std::vector<double> values, double share) {
  if (values.empty() || std::any_of(values.begin(), values.end(), [](double value) { return std::isnan(value); }))
    return unknown_number;
  std::sort(values.begin(), values.end());
  const double place = std::ceil(share * static_cast<double>(values.size()) - 1e-9);
  return values[static_cast<std::size_t>(std::max(place, 1.0)) - 1];
}

Spans spans_of(const std::vector<double>& values) {
  return {share_below(values, 0.5), share_below(values, 0.95), share_below(values, 1.0)};
}

/// made: with its label.
void sum_up(const std::vector<Run>& runs, double budget_s, WithinBudget& made) {
  std::vector<double> solve_s, end_s, residuals;
  for (const Run& run : runs) {
    made.solved += run.solved && run.seconds <= budget_s ? 1 : 0;
    end_s.push_back(run.seconds);
    solve_s.push_back(run.solved ? run.seconds : never);
    residuals.push_back(run.residual);
  }
  made.runs = runs.size();
  made.residual = spans_of(residuals);
  made.solve_s = spans_of(solve_s);
  made.end_s = spans_of(end_s);
}

/// Reads cells into a table.
class BudgetReader {
 public:
  explicit BudgetReader(const BudgetOptions& options) : options_(options) {}

  void read(const ResultTable& results, const ResultRow& row) {
    const bool steps = results.has_steps(row);
    Told told = steps ? told_by_steps(results, row, options_) : told_by_cell(results, row, options_);
    if (!told.ended) table_.ended.push_back({row.id(), told.reason});
    if (!told.runs.empty() && told.ended) {
      ++table_.timed;
      table_.busy += results.metric(row, "busy_runs", 0.0) > 0.0 ? 1 : 0;
      table_.steps_once = table_.steps_once || (steps && results.metric(row, "repeats", 0.0) > 1.0);
    }
    const auto [label, new_label] = label_of_.try_emplace(row.label, runs_.size());
    if (new_label) {
      runs_.emplace_back();
      table_.solvers.emplace_back().label = row.label;
    }
    auto& runs = runs_[label->second];
    runs.insert(runs.end(), told.runs.begin(), told.runs.end());
    const std::string name = fmt::format("{}/{}/{}", results.config().name, row.problem, model_name(row.model));
    const auto [problem, new_problem] = problem_of_.try_emplace(name, problems_.size());
    if (new_problem) problems_.push_back({row.problem, told.reason, {}, false});
    Problem& of = problems_[problem->second];
    of.taken = of.taken || !told.runs.empty();
    if (told.runs.empty()) of.without.push_back({label->second, told.reason});
  }

  BudgetTable table() {
    for (std::size_t s = 0; s < runs_.size(); ++s) sum_up(runs_[s], options_.budget_s, table_.solvers[s]);
    for (const Problem& problem : problems_) {
      if (!problem.taken) {
        table_.left_out.push_back({problem.name, problem.reason});
        continue;
      }
      ++table_.problems;
      for (const auto& [label, reason] : problem.without) {
        WithinBudget& solver = table_.solvers[label];
        if (solver.not_taken++ == 0) solver.why_not = reason;
      }
    }
    if (table_.problems == 0)
      throw InputError(problems_.empty() ? "the results hold no run with a time"
                                         : fmt::format("the results hold no run with a time: {}: {}", problems_.front().name,
                                                       problems_.front().reason));
    return table_;
  }

 private:
  struct Problem {
    std::string name, reason;                                  ///< of its first cell
    std::vector<std::pair<std::size_t, std::string>> without;  ///< labels that have no run of it, and why
    bool taken;                                                ///< some label has
  };

  const BudgetOptions& options_;
  BudgetTable table_;
  std::map<std::string, std::size_t> label_of_, problem_of_;
  std::vector<std::vector<Run>> runs_;  ///< by label
  std::vector<Problem> problems_;
};

}  // namespace

ShareInterval share_interval(std::size_t solved, std::size_t runs) {
  if (runs < least_problems_for_bands) return {};
  const double n = static_cast<double>(runs), share = static_cast<double>(solved) / n;
  ShareInterval interval{0.0, 1.0};
  double below = 0.0;  // chance of fewer than k solved runs in a redrawn sample
  for (std::size_t k = 0; k <= runs; ++k) {
    const double x = static_cast<double>(k);
    // By logarithms: the number of choices overflows beyond a thousand runs.
    const double choices = std::lgamma(n + 1.0) - std::lgamma(x + 1.0) - std::lgamma(n - x + 1.0);
    const auto log_power = [](double base, double exponent) { return exponent > 0.0 ? exponent * std::log(base) : 0.0; };
    const double chance = std::exp(choices + log_power(share, x) + log_power(1.0 - share, n - x));
    if (below < 0.025) interval.low = x / n;
    if (below < 0.975) interval.high = x / n;
    below += chance;
  }
  return interval;
}

BudgetTable within_budget(const std::vector<ResultTable>& results, const BudgetOptions& options) {
  BudgetReader reader(options);
  for (const ResultTable& result : results)
    for (const ResultRow& row : result.rows())
      if (!options.model || row.model == *options.model) reader.read(result, row);
  return reader.table();
}

}  // namespace ccp
