#include "bench/record/metrics.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "bench/record/csv.hpp"
#include "bench/record/numbers.hpp"
#include "problem/judge/measure.hpp"

namespace ccp {
namespace {

template <typename Value>
std::string column_text(Value value) {
  if constexpr (std::is_floating_point_v<Value>)
    return csv_number(value);
  else
    return std::to_string(value);
}

/// get: a function of the record that gives a number or, for records that lack it, nothing.
template <typename Get>
Metric column(std::string name, std::string unit, std::string meaning, Get get, bool claimed = true) {
  Metric metric{std::move(name), std::move(unit), std::move(meaning), MetricSource::column};
  metric.field = [get](const CellRecord& record) {
    const auto value = get(record);
    if constexpr (requires { value.has_value(); })
      return value ? column_text(*value) : std::string();
    else
      return column_text(value);
  };
  metric.claimed = claimed;
  return metric;
}

/// The columns that the numbers of a part of the record have. part: gives its address, or null for a record without it,
/// whose columns are empty.
template <typename Part, typename Get>
void add_columns(std::vector<Metric>& list, Get part) {
  for (const Number<Part>& number : numbers<Part>()) {
    if (number.column.empty()) continue;
    Metric metric{number.column, number.unit, number.meaning, MetricSource::column};
    metric.field = [part, member = number.member](const CellRecord& record) {
      const Part* values = part(record);
      if (values == nullptr) return std::string();
      return std::visit([&](auto one) { return column_text(values->*one); }, member);
    };
    metric.claimed = number.claimed;
    metric.cost = number.cost;
    metric.at_native_stop = std::is_same_v<Part, NativeStop>;
    list.push_back(std::move(metric));
  }
}

template <typename Part>
void add_columns(std::vector<Metric>& list, std::optional<Part> CellRecord::*part) {
  add_columns<Part>(list, [part](const CellRecord& record) { return record.*part ? &*(record.*part) : nullptr; });
}

/// A column of the trace at the iteration that reached a decade, or at the end.
Metric traced(std::string name, std::string unit, std::string meaning, MetricSource source, std::string trace_column) {
  Metric metric{std::move(name), std::move(unit), std::move(meaning), source};
  metric.traced = std::move(trace_column);
  return metric;
}

std::optional<double> known(double value) { return std::isnan(value) ? std::nullopt : std::optional(value); }

/// Of the clocks that a sequence has: everything but moving the bodies and judging, s.
std::optional<double> runtime(const CellRecord& record) {
  if (!record.sequence) return std::nullopt;
  return known(record.sequence->build_s + record.setup_s + record.solve_s + record.sequence->fallback_s);
}

std::optional<double> solver_share(const CellRecord& record) {
  const std::optional<double> whole = runtime(record);
  if (!whole || !(*whole > 0.0)) return std::nullopt;
  return 1.0 - record.sequence->build_s / *whole;
}

std::optional<int> all_solved(const CellRecord& record) {
  if (!record.sequence) return std::nullopt;
  return record.sequence->unsolved_steps == 0 ? 1 : 0;
}

void add_times(std::vector<Metric>& list) {
  constexpr bool unclaimed = false;
  list.push_back(column("linear_solver_s", "s", "time of analyses, factorisations and back-solves", [](const CellRecord& r) {
    return r.counters.analysis_s + r.counters.factorization_s + r.counters.back_solve_s;
  }));
  list.push_back(
      column("solve_s_min", "s", "solve_s of the fastest run", [](const CellRecord& r) { return solve_spread(r).least_s; }));
  list.back().cost = true;
  list.push_back(column(
      "solve_s_max", "s", "solve_s of the slowest run", [](const CellRecord& r) { return solve_spread(r).largest_s; },
      unclaimed));
  list.push_back(column(
      "repeats", "", "runs of which solve_s is the median", [](const CellRecord& r) { return solve_spread(r).runs; },
      unclaimed));
  list.push_back(column(
      "timing_pass", "", "1: iterates were judged between iterations, 2: they were not",
      [](const CellRecord& r) { return r.runs.empty() ? 1 : r.runs.back().pass; }, unclaimed));
  list.push_back(column(
      "busy_runs", "", "runs during which the machine was busy", [](const CellRecord& r) { return busy_runs(r).count; },
      unclaimed));
  list.push_back(column(
      "restarts", "", "1 where iterations are whole runs of another program",
      [](const CellRecord& r) { return counts_restarts(r) ? 1 : 0; }, unclaimed));
  list.push_back(column("kernel_work_s", "s", "time of the products and projections of the run at their mean times",
                        [](const CellRecord& r) { return known(kernel_share(r).work_s); }));
  list.push_back(column("kernel_ratio", "", "solve_s over kernel_work_s",
                        [](const CellRecord& r) { return known(kernel_share(r).ratio); }));
  list.push_back({"time_to", "s", "solver clock until the stop measure reached `at`", MetricSource::decade});
  list.back().decade_field = [](const Crossing& crossing) { return csv_number(crossing.elapsed_s); };
  list.push_back({"iterations_to", "", "iterations until the stop measure reached `at`", MetricSource::decade});
  list.back().decade_field = [](const Crossing& crossing) {
    return crossing.iteration < 0 ? std::string() : std::to_string(crossing.iteration);
  };
}

void add_traced(std::vector<Metric>& list) {
  for (const auto& [name, meaning, counter] : traced_counters)
    if (std::string(name) != "projections")
      list.push_back(traced(std::string(name) + "_to", "", std::string(meaning) + " until the stop measure reached `at`",
                            MetricSource::trace_at, name));
  list.push_back(traced("outer_iterations_to", "", "outer iterations until the stop measure reached `at`",
                        MetricSource::trace_at, "al_iteration"));
  list.push_back(traced("failures", "", "inner problems not solved and line searches that failed", MetricSource::trace_end,
                        "failures"));
  list.push_back(traced("primal_residual_max", "N·s", "largest primal residual after the start", MetricSource::trace_largest,
                        "primal_residual"));
  list.push_back(traced("combined_residual_rises", "", "iterations whose combined residual is larger than before",
                        MetricSource::trace_rises, "combined_residual"));
}

std::vector<Metric> all_metrics() {
  std::vector<Metric> list;
  add_columns<CellRecord>(list, [](const CellRecord& record) { return &record; });
  list.push_back(column("native_converged", "", "1 where the method's own criterion was met",
                        [](const CellRecord& r) { return r.native_converged ? 1 : 0; }));
  for (const Measure measure : all_measures()) {
    const MeasureInfo& info = measure_info(measure);
    list.push_back(column(std::string(info.name), std::string(info.unit), std::string(info.definition),
                          [measure](const CellRecord& r) { return r.measures[measure_index(measure)]; }));
  }
  add_columns<Counters>(list, [](const CellRecord& record) { return &record.counters; });
  add_columns(list, &CellRecord::kernels);
  add_times(list);
  add_columns(list, &CellRecord::sequence);
  list.push_back(column("all_solved", "", "1 where each step is solved, else 0", all_solved));
  list.push_back(
      column("runtime_s", "s", "build_s, setup_s, solve_s, and the driver's time for steps left unsolved", runtime));
  list.push_back(column("solver_share", "", "share of runtime_s outside of build_s", solver_share));
  add_columns(list, &CellRecord::native_stop);
  add_columns(list, &CellRecord::ranks);
  add_columns(list, &CellRecord::problem);
  add_columns(list, &CellRecord::balance);
  add_traced(list);
  const auto derived = [&](const char* name, const char* unit, const char* meaning) {
    list.push_back({name, unit, meaning, MetricSource::derived});
  };
  derived("seconds_per_iteration", "s", "solve_s over iterations");
  derived("seconds_per_factorization", "s", "factorization_s over factorizations");
  derived("seconds_per_back_solve", "s", "back_solve_s over back_solves");
  derived("flops_per_step", "", "flops over steps of a sequence");
  derived("objective_gap", "J", "objective over that of the reference solution");
  derived("solved_natural_map", "", "natural map where the run is solved, else 0");
  return list;
}

}  // namespace

const std::vector<Metric>& metrics() {
  static const std::vector<Metric> table = all_metrics();
  return table;
}

const Metric* find_metric(const std::string& name) {
  const auto found =
      std::find_if(metrics().begin(), metrics().end(), [&](const Metric& metric) { return metric.name == name; });
  return found == metrics().end() ? nullptr : &*found;
}

const std::vector<std::string>& claim_metrics() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const Metric& metric : metrics())
      if (metric.claimed) list.push_back(metric.name);
    return list;
  }();
  return names;
}

}  // namespace ccp
