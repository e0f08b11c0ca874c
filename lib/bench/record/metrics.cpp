#include "bench/record/metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "io/csv.hpp"
#include "problem/judge/measure.hpp"

namespace ccp {
namespace {

class Table {
 public:
  template <typename Get>
  Table& integer(const std::string& name, Get get) {
    return column(name, [get](const CellRecord& record) { return std::to_string(get(record)); });
  }

  template <typename Get>
  Table& number(const std::string& name, Get get) {
    return column(name, [get](const CellRecord& record) { return csv_number(get(record)); });
  }

  /// Empty where it is not known.
  template <typename Get>
  Table& known_number(const std::string& name, Get get) {
    return column(name, [get](const CellRecord& record) {
      const double value = get(record);
      return std::isnan(value) ? std::string() : csv_number(value);
    });
  }

  /// Empty in configs that do not time kernels.
  Table& kernel(const std::string& name, double KernelTimes::*time) {
    return column(name, [time](const CellRecord& record) {
      return record.kernels ? csv_number((*record.kernels).*time) : std::string();
    });
  }

  /// Empty for a problem that could not be built.
  template <typename Get>
  Table& fact(const std::string& name, Get get) {
    return column(name, [get](const CellRecord& record) {
      return record.problem ? fmt::format("{}", get(*record.problem)) : std::string();
    });
  }

  template <typename Get>
  Table& decade(const std::string& name, Get get) {
    metrics_.push_back({name, MetricSource::decade, nullptr,
                        [get](const CellRecord& record, std::size_t i) { return get(record.crossings[i]); }});
    return *this;
  }

  Table& without_column(const std::string& name, MetricSource source) {
    metrics_.push_back({name, source, nullptr});
    return *this;
  }

  /// Claims do not name the last one.
  Table& unclaimed() {
    metrics_.back().claimed = false;
    return *this;
  }

  std::vector<Metric> take() { return std::move(metrics_); }

 private:
  Table& column(const std::string& name, std::function<std::string(const CellRecord&)> field) {
    metrics_.push_back({name, MetricSource::column, std::move(field)});
    return *this;
  }

  std::vector<Metric> metrics_;
};

void add_counters(Table& table) {
  using Record = CellRecord;
  table.integer("factorizations", [](const Record& r) { return r.counters.factorizations; })
      .integer("back_solves", [](const Record& r) { return r.counters.back_solves; })
      .integer("products", [](const Record& r) { return r.counters.products; })
      .integer("projections", [](const Record& r) { return r.counters.projections; })
      .integer("analyses", [](const Record& r) { return r.counters.analyses; })
      .number("analysis_s", [](const Record& r) { return r.counters.analysis_s; })
      .number("factorization_s", [](const Record& r) { return r.counters.factorization_s; })
      .number("back_solve_s", [](const Record& r) { return r.counters.back_solve_s; })
      .number("linear_solver_s",
              [](const Record& r) { return r.counters.analysis_s + r.counters.factorization_s + r.counters.back_solve_s; });
}

void add_times(Table& table) {
  using Record = CellRecord;
  table.number("setup_s", [](const Record& r) { return r.setup_s; })
      .number("solve_s", [](const Record& r) { return r.solve_s; })
      .number("solve_s_min", [](const Record& r) { return solve_spread(r).least_s; })
      .number("solve_s_max", [](const Record& r) { return solve_spread(r).largest_s; })
      .unclaimed()
      .integer("repeats", [](const Record& r) { return solve_spread(r).runs; })
      .unclaimed()
      .integer("timing_pass", [](const Record& r) { return r.runs.empty() ? 1 : r.runs.back().pass; })
      .unclaimed()
      .number("wall_s", [](const Record& r) { return r.wall_s; })
      .kernel("kernel_product_s", &KernelTimes::product)
      .kernel("kernel_projection_s", &KernelTimes::projection)
      .kernel("kernel_block_product_s", &KernelTimes::block_product)
      .kernel("kernel_csr_product_s", &KernelTimes::csr_product)
      .kernel("kernel_factors_product_s", &KernelTimes::factors_product)
      .kernel("bytes_per_contact", &KernelTimes::bytes_per_contact)
      .known_number("kernel_work_s", [](const Record& r) { return kernel_share(r).work_s; })
      .known_number("kernel_ratio", [](const Record& r) { return kernel_share(r).ratio; })
      .decade("time_to", [](const Crossing& crossing) { return csv_number(crossing.elapsed_s); })
      .decade("iterations_to", [](const Crossing& crossing) {
        return crossing.iteration < 0 ? std::string() : std::to_string(crossing.iteration);
      });
}

std::vector<Metric> all_metrics() {
  Table table;
  table.integer("iterations", [](const CellRecord& r) { return r.iterations; })
      .integer("native_converged", [](const CellRecord& r) { return r.native_converged ? 1 : 0; });
  for (const Measure measure : all_measures())
    table.number(std::string(measure_info(measure).name),
                 [measure](const CellRecord& r) { return r.measures[measure_index(measure)]; });
  add_counters(table);
  add_times(table);
  table.fact("contacts", [](const ProblemFacts& f) { return f.contacts; })
      .fact("rows", [](const ProblemFacts& f) { return f.rows; })
      .fact("symmetry_defect", [](const ProblemFacts& f) { return csv_number(f.symmetry_defect); })
      .number("peak_memory_mb", [](const CellRecord& r) { return r.peak_memory_mb; })
      .without_column("factorizations_to", MetricSource::trace_at)
      .without_column("back_solves_to", MetricSource::trace_at)
      .without_column("products_to", MetricSource::trace_at)
      .without_column("failures", MetricSource::trace_end)
      .without_column("seconds_per_iteration", MetricSource::derived)
      .without_column("objective_gap", MetricSource::derived);
  return table.take();
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
