#include "bench/record/metrics.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <type_traits>

#include "bench/record/csv.hpp"
#include "problem/judge/measure.hpp"

namespace ccp {
namespace {

template <typename Number>
std::string column_text(Number value) {
  if constexpr (std::is_floating_point_v<Number>)
    return csv_number(value);
  else
    return std::to_string(value);
}

/// Empty where there is no value.
template <typename Number>
std::string column_text(const std::optional<Number>& value) {
  return value ? column_text(*value) : std::string();
}

/// get: a member or a function of the record that gives a number or, for records that lack it, nothing.
template <typename Get>
Metric column(const std::string& name, Get get, bool claimed = true) {
  return {name,
          MetricSource::column,
          [get](const CellRecord& record) { return column_text(std::invoke(get, record)); },
          {},
          claimed};
}

Metric cost(Metric metric) {
  metric.cost = true;
  return metric;
}

/// Empty for a problem that could not be built, and in configs that do not time kernels.
template <typename Part, typename Number>
Metric column_of(std::optional<Part> CellRecord::*part, const std::string& name, Number Part::*number) {
  return column(name, [=](const CellRecord& record) {
    const std::optional<Part>& whole = record.*part;
    return whole ? std::optional((*whole).*number) : std::nullopt;
  });
}

/// What the trace says, at the iteration that reached a decade or at the end.
Metric traced(const std::string& name, MetricSource source, const std::string& trace_column) {
  return {name, source, {}, {}, true, trace_column};
}

std::optional<double> known(double value) { return std::isnan(value) ? std::nullopt : std::optional(value); }

std::vector<Metric> counter_metrics() {
  std::vector<Metric> list;
  for (const auto& [name, counter] : traced_counters)
    list.push_back(cost(column(name, [counter = counter](const CellRecord& r) { return r.counters.*counter; })));
  list.push_back(column("analyses", [](const CellRecord& r) { return r.counters.analyses; }));
  list.push_back(column("analysis_s", [](const CellRecord& r) { return r.counters.analysis_s; }));
  list.push_back(column("factorization_s", [](const CellRecord& r) { return r.counters.factorization_s; }));
  list.push_back(column("back_solve_s", [](const CellRecord& r) { return r.counters.back_solve_s; }));
  list.push_back(column("linear_solver_s", [](const CellRecord& r) {
    return r.counters.analysis_s + r.counters.factorization_s + r.counters.back_solve_s;
  }));
  return list;
}

std::vector<Metric> time_metrics() {
  constexpr bool unclaimed = false;
  const auto kernels = &CellRecord::kernels;
  return {column("setup_s", &CellRecord::setup_s),
          cost(column("solve_s", &CellRecord::solve_s)),
          cost(column("solve_s_min", [](const CellRecord& r) { return solve_spread(r).least_s; })),
          column(
              "solve_s_max", [](const CellRecord& r) { return solve_spread(r).largest_s; }, unclaimed),
          column(
              "repeats", [](const CellRecord& r) { return solve_spread(r).runs; }, unclaimed),
          column(
              "timing_pass", [](const CellRecord& r) { return r.runs.empty() ? 1 : r.runs.back().pass; }, unclaimed),
          column(
              "judging_s", [](const CellRecord& r) { return known(r.judging_s); }, unclaimed),
          column(
              "busy_runs", [](const CellRecord& r) { return busy_runs(r).count; }, unclaimed),
          column(
              "restarts", [](const CellRecord& r) { return counts_restarts(r) ? 1 : 0; }, unclaimed),
          column("wall_s", &CellRecord::wall_s),
          column_of(kernels, "kernel_product_s", &KernelTimes::product),
          column_of(kernels, "kernel_projection_s", &KernelTimes::projection),
          column_of(kernels, "kernel_block_product_s", &KernelTimes::block_product),
          column_of(kernels, "kernel_csr_product_s", &KernelTimes::csr_product),
          column_of(kernels, "kernel_factors_product_s", &KernelTimes::factors_product),
          column_of(kernels, "bytes_per_contact", &KernelTimes::bytes_per_contact),
          column("kernel_work_s", [](const CellRecord& r) { return known(kernel_share(r).work_s); }),
          column("kernel_ratio", [](const CellRecord& r) { return known(kernel_share(r).ratio); }),
          {"time_to", MetricSource::decade, {}, [](const Crossing& crossing) { return csv_number(crossing.elapsed_s); }},
          {"iterations_to", MetricSource::decade, {}, [](const Crossing& crossing) {
             return crossing.iteration < 0 ? std::string() : std::to_string(crossing.iteration);
           }}};
}

/// Empty where no sequence has run.
template <typename Get>
Metric sequence_column(const std::string& name, Get get, bool claimed = true) {
  return column(
      name,
      [get](const CellRecord& record) {
        return record.sequence ? std::optional(std::invoke(get, *record.sequence)) : std::nullopt;
      },
      claimed);
}

/// A number that the scene knows of its last state, by its name there.
Metric fact_column(const std::string& name) {
  return column(name, [name](const CellRecord& record) -> std::optional<double> {
    if (record.sequence)
      for (const MotionFact& fact : record.sequence->facts)
        if (fact.name == name) return fact.value;
    return std::nullopt;
  });
}

std::vector<Metric> sequence_metrics() {
  constexpr bool unclaimed = false;
  return {sequence_column("steps", &SequenceFacts::steps),
          sequence_column("unsolved_steps", &SequenceFacts::unsolved_steps),
          cost(sequence_column("iterations_per_step", &SequenceFacts::iterations_per_step)),
          sequence_column("iterations_per_solved_step", &SequenceFacts::iterations_per_solved_step),
          cost(sequence_column("iterations_max", &SequenceFacts::iterations_max)),
          sequence_column("contacts_per_step", &SequenceFacts::contacts_per_step),
          sequence_column("contacts_max", &SequenceFacts::contacts_max),
          sequence_column("unknowns_per_step", &SequenceFacts::unknowns_per_step),
          sequence_column("build_s", &SequenceFacts::build_s),
          sequence_column("deepest_gap", &SequenceFacts::deepest_gap),
          sequence_column("energy_gain", &SequenceFacts::energy_gain),
          sequence_column("steps_at_time_limit", &SequenceFacts::steps_at_time_limit, unclaimed),
          fact_column("joint_error"),
          fact_column("missed"),
          fact_column("drift"),
          fact_column("largest_cluster"),
          fact_column("outside")};
}

/// Empty where the method does not stop on its own criterion.
template <typename Number>
Metric native_column(const std::string& name, Number NativeStop::*number) {
  Metric metric = column_of(&CellRecord::native_stop, name, number);
  metric.at_native_stop = true;
  return metric;
}

std::vector<Metric> native_metrics() {
  return {native_column(native_unmet_steps, &NativeStop::unmet_steps),
          native_column("native_iterations_per_step", &NativeStop::iterations_per_step),
          native_column("native_iterations_max", &NativeStop::iterations_max),
          native_column("native_factorizations_per_step", &NativeStop::factorizations_per_step),
          native_column("native_relative_residual", &NativeStop::relative_residual)};
}

std::vector<Metric> all_metrics() {
  std::vector<Metric> list = {cost(column("iterations", &CellRecord::iterations)),
                              column("native_converged", [](const CellRecord& r) { return r.native_converged ? 1 : 0; })};
  for (const Measure measure : all_measures())
    list.push_back(column(std::string(measure_info(measure).name),
                          [measure](const CellRecord& r) { return r.measures[measure_index(measure)]; }));
  const auto problem = &CellRecord::problem;
  const std::vector<Metric> others = {column_of(problem, "contacts", &ProblemFacts::contacts),
                                      column_of(problem, "rows", &ProblemFacts::rows),
                                      column_of(problem, "symmetry_defect", &ProblemFacts::symmetry_defect),
                                      column_of(&CellRecord::balance, "load_carried", &Balance::load_carried),
                                      column_of(&CellRecord::balance, "speed_left", &Balance::speed_left),
                                      column("peak_memory_mb", &CellRecord::peak_memory_mb),
                                      traced("factorizations_to", MetricSource::trace_at, "factorizations"),
                                      traced("back_solves_to", MetricSource::trace_at, "back_solves"),
                                      traced("products_to", MetricSource::trace_at, "products"),
                                      traced("outer_iterations_to", MetricSource::trace_at, "al_iteration"),
                                      traced("failures", MetricSource::trace_end, "failures"),
                                      traced("primal_residual_max", MetricSource::trace_largest, "primal_residual"),
                                      {"seconds_per_iteration", MetricSource::derived},
                                      {"seconds_per_factorization", MetricSource::derived},
                                      {"seconds_per_back_solve", MetricSource::derived},
                                      {"objective_gap", MetricSource::derived},
                                      {"solved_natural_map", MetricSource::derived}};
  for (const auto& part : {counter_metrics(), time_metrics(), sequence_metrics(), native_metrics(), others})
    list.insert(list.end(), part.begin(), part.end());
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
