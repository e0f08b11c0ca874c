#include "bench/analysis/budget.hpp"

#include <algorithm>
#include <cmath>

#include "bench/analysis/profile.hpp"
#include "core/error.hpp"
#include "problem/judge/measure.hpp"

namespace ccp {
namespace {

struct Run {
  double seconds, residual;  ///< to its end; where the budget ends
  bool solved;
};

/// The last value of a trace within the budget.
double residual_at(const CsvTable& trace, double budget_s, const std::string& measure) {
  double residual = never;
  for (std::size_t i = 0; i < trace.rows.size() && trace.number(i, "elapsed_s") <= budget_s; ++i)
    residual = trace.number(i, measure);
  return residual;
}

std::vector<Run> runs_of(const ResultTable& results, const ResultRow& row, double budget_s, const std::string& measure) {
  const auto value = [&](const char* name) { return results.metric(row, name, 0.0); };
  if (!results.has_steps(row)) {
    const double setup = value("setup_s"), seconds = value("solve_s") + (std::isnan(setup) ? 0.0 : setup);
    const bool traced = results.has_trace(row) && results.trace(row).column(measure) >= 0;
    const double end = seconds <= budget_s ? results.metric(row, measure, 0.0) : unknown_number;
    return {{seconds, traced ? residual_at(results.trace(row), budget_s, measure) : end, row.status == Status::solved}};
  }
  std::vector<Run> runs;
  const CsvTable& steps = results.steps(row);
  const auto status = static_cast<std::size_t>(std::max(0, steps.column("status")));
  for (std::size_t i = 0; i < steps.rows.size(); ++i) {
    if (!(steps.number(i, "contacts") > 0.0)) continue;
    const double seconds = steps.number(i, "setup_s") + steps.number(i, "solve_s");
    runs.push_back({seconds, seconds <= budget_s ? steps.number(i, measure) : unknown_number,
                    steps.rows[i][status] == status_name(Status::solved)});
  }
  return runs;
}

/// The smallest value that at least this share of the values does not exceed.
double share_below(std::vector<double> values, double share) {
  if (std::any_of(values.begin(), values.end(), [](double value) { return std::isnan(value); })) return unknown_number;
  std::sort(values.begin(), values.end());
  const double place = std::ceil(share * static_cast<double>(values.size()) - 1e-9);
  return values[static_cast<std::size_t>(std::max(place, 1.0)) - 1];
}

WithinBudget summary(const std::string& label, const std::vector<Run>& runs, double budget_s) {
  WithinBudget made;
  made.label = label;
  made.runs = runs.size();
  std::vector<double> seconds, to_solve, residuals;
  for (const Run& run : runs) {
    made.solved += run.solved && run.seconds <= budget_s ? 1 : 0;
    made.cut = made.cut || !run.solved;
    seconds.push_back(run.seconds);
    to_solve.push_back(run.solved ? run.seconds : never);
    residuals.push_back(run.residual);
  }
  made.median_residual = share_below(residuals, 0.5);
  made.worst_residual = share_below(residuals, 1.0);
  made.median_s = share_below(to_solve, 0.5);
  made.p95_s = share_below(seconds, 0.95);
  made.worst_s = share_below(seconds, 1.0);
  return made;
}

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

std::vector<WithinBudget> within_budget(const std::vector<ResultTable>& results, double budget_s,
                                        const std::optional<Model>& model) {
  std::vector<std::string> labels;
  std::vector<std::vector<Run>> runs;
  for (const ResultTable& result : results) {
    const std::string measure(measure_info(result.config().variants.front().stop.measure).name);
    for (const ResultRow& row : result.rows()) {
      if ((model && row.model != *model) || row.status == Status::unsupported) continue;
      const std::vector<Run> more = runs_of(result, row, budget_s, measure);
      if (more.empty() || std::isnan(more.front().seconds)) continue;  // without contacts, or it did not come to an end
      auto place = static_cast<std::size_t>(std::find(labels.begin(), labels.end(), row.label) - labels.begin());
      if (place == labels.size()) {
        labels.push_back(row.label);
        runs.emplace_back();
      }
      runs[place].insert(runs[place].end(), more.begin(), more.end());
    }
  }
  if (labels.empty()) throw InputError("the results hold no run with a time");
  std::vector<WithinBudget> made;
  for (std::size_t s = 0; s < labels.size(); ++s) made.push_back(summary(labels[s], runs[s], budget_s));
  return made;
}

}  // namespace ccp
