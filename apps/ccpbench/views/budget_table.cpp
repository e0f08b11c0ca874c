#include "views/budget_table.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "core/text.hpp"
#include "terminal/terminal.hpp"

namespace ccp::cli {
namespace {

/// end: what an unsolved run takes at least.
Datum time_until(double solve_s, double end_s) {
  if (std::isinf(solve_s)) return {Json(), std::isfinite(end_s) ? "> " + duration(end_s) : "none"};
  return seconds(solve_s);
}

Datum residual_at_end(double value) {
  return {json_number(value), std::isinf(value) ? "none" : std::isnan(value) ? "–" : fmt::format("{:.1e}", value)};
}

Datum share(double value) { return {json_number(value), std::isnan(value) ? "–" : fmt::format("{:.0f} %", 100.0 * value)}; }

/// "A, B and 7 more"
std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t most = 10;
  if (names.size() <= most) return join(names, ", ");
  return fmt::format("{} and {} more", join({names.begin(), names.begin() + most}, ", "), names.size() - most);
}

/// A note for each reason: "left out: A, B: they have no contacts"
void note_each(const std::vector<NamedReason>& list, const std::string& what) {
  std::vector<std::string> reasons;
  std::map<std::string, std::vector<std::string>> names;
  for (const NamedReason& one : list) {
    if (names.count(one.reason) == 0) reasons.push_back(one.reason);
    names[one.reason].push_back(one.name);
  }
  for (const std::string& reason : reasons)
    report_note(fmt::format("{}: {}: {}", what, some_of(names[reason]), reason.empty() ? "no reason is known" : reason));
}

}  // namespace

double common_tolerance(const std::vector<ResultTable>& results) {
  const double first = results.front().config().variants.front().stop.tolerance;
  for (const ResultTable& result : results)
    for (const ConfigVariant& variant : result.config().variants)
      if (variant.stop.tolerance != first) return unknown_number;
  return first;
}

Records budget_records() {
  return Records({{"accuracy", "accuracy", true},
                  {"solver", "solver"},
                  {"solved", "solved", true},
                  {"runs", "of", true},
                  {"share_low", "share (95 % interval), from", true},
                  {"share_high", "share, to", true},
                  {"median_s", "median time", true},
                  {"p95_s", "time of 95 %", true},
                  {"worst_s", "longest time", true},
                  {"median_residual", "median residual", true},
                  {"worst_residual", "worst residual", true},
                  {"unsolved", "with unsolved runs"}});
}

void add_budget(Records& records, const std::vector<WithinBudget>& solvers, double accuracy) {
  for (const WithinBudget& solver : solvers) {
    const ShareInterval interval = share_interval(solver.solved, solver.runs);
    records.row({Datum(json_number(accuracy), std::isnan(accuracy) ? "–" : fmt::format("{:g}", accuracy)), solver.label,
                 Json(solver.solved), Json(solver.runs), share(interval.low), share(interval.high),
                 time_until(solver.solve_s.median, solver.end_s.median), time_until(solver.solve_s.p95, solver.end_s.p95),
                 time_until(solver.solve_s.worst, solver.end_s.worst), residual_at_end(solver.residual.median),
                 residual_at_end(solver.residual.worst), Json(std::isinf(solver.solve_s.worst))});
  }
}

Table budget_page(const std::vector<WithinBudget>& solvers) {
  Table rows({{"solver", false, Fit::shorten},
              {"solved", true},
              {"residual, median", true},
              {"worst", true},
              {"95 % take", true},
              {"longest", true}});
  for (const WithinBudget& solver : solvers)
    rows.row({printable(solver.label), fmt::format("{}/{}", solver.solved, solver.runs),
              residual_at_end(solver.residual.median).text, residual_at_end(solver.residual.worst).text,
              time_until(solver.solve_s.p95, solver.end_s.p95).text,
              time_until(solver.solve_s.worst, solver.end_s.worst).text});
  return rows;
}

void note_budget(const BudgetTable& table) {
  note_each(table.left_out, "left out");
  for (const WithinBudget& solver : table.solvers)
    if (solver.not_taken > 0)
      report_note(fmt::format("{} has no run of {} that others have: {}", solver.label, counted(solver.not_taken, "problem"),
                              solver.why_not));
  note_each(table.ended, "without an end, so unsolved");
  if (table.steps_once)
    report_note(
        "the times of steps are those of the first run, which is judged and traced; repeats time sequences as a whole");
  if (table.busy > 0)
    report_note(fmt::format("the times of {} of {} cells were taken on a busy machine", table.busy, table.timed));
}

}  // namespace ccp::cli
