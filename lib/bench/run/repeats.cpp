#include "bench/run/repeats.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "bench/results/cell_record.hpp"

namespace ccp {
namespace {

int highest_pass(const CellRecord& record) {
  int pass = 0;
  for (const TimedRun& run : record.runs) pass = std::max(pass, run.pass);
  return pass;
}

/// Of the runs of the highest pass, in their order.
template <typename Get>
std::vector<double> samples(const CellRecord& record, Get get) {
  std::vector<double> values;
  const int pass = highest_pass(record);
  for (const TimedRun& run : record.runs)
    if (run.pass == pass) values.push_back(get(run));
  return values;
}

double median(std::vector<double> values) {
  values.erase(std::remove_if(values.begin(), values.end(), [](double value) { return std::isnan(value); }), values.end());
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

/// How the iterates of a run differ from those of the first; empty when they do not.
std::string difference(const CellRecord& record, const Result& result) {
  if (result.iterations != record.iterations)
    return fmt::format("{} iterations instead of {}", result.iterations, record.iterations);
  for (std::size_t i = 0; i < record.crossings.size(); ++i)
    if (result.crossings[i].iteration != record.crossings[i].iteration)
      return fmt::format("reached {} at iteration {} instead of {}", decade_name(first_decade + static_cast<int>(i)),
                         result.crossings[i].iteration, record.crossings[i].iteration);
  for (const Measure measure : all_measures()) {
    const double now = result.measures[measure_index(measure)], first = record.measures[measure_index(measure)];
    if (now != first && !(std::isnan(now) && std::isnan(first)) && std::isfinite(now) == std::isfinite(first))
      return fmt::format("{} {:.17g} instead of {:.17g}", measure_info(measure).name, now, first);
  }
  return "";
}

int timed_pass(const Timing& timing, bool replayable) { return timing.passes == 2 && replayable ? 2 : 1; }

}  // namespace

bool can_replay(const Cell& cell, const Catalog& catalog) {
  const auto solver = catalog.make_solver(cell.solver->solver);
  return solver->native(cell.model) && solver->version().empty();
}

std::optional<int> next_pass(const CellRecord& record, const Timing& timing, bool replayable) {
  if (missing_runs(&record, timing, replayable) == 0) return std::nullopt;
  return timed_pass(timing, replayable);
}

int missing_runs(const CellRecord* record, const Timing& timing, bool replayable) {
  const int pass = timed_pass(timing, replayable);
  if (record == nullptr) return timing.repeat + (pass == 2 ? 1 : 0);  // the run that writes the trace comes on top
  if (record->runs.empty()) return 0;
  const auto runs =
      std::count_if(record->runs.begin(), record->runs.end(), [&](const TimedRun& run) { return run.pass == pass; });
  return std::max(0, timing.repeat - static_cast<int>(runs));
}

void add_run(CellRecord& record, const Result& result, TimedRun run) {
  run.setup_s = result.setup_s;
  run.solve_s = result.solve_s;
  run.crossings = result.crossings;
  if (const std::string what = record.runs.empty() ? "" : difference(record, result); !what.empty())
    record.notes.push_back(fmt::format("run {}{}{}", record.runs.size() + 1, differs_remark, what));
  record.runs.push_back(std::move(run));
  record.setup_s = median(samples(record, [](const TimedRun& r) { return r.setup_s; }));
  record.solve_s = median(samples(record, [](const TimedRun& r) { return r.solve_s; }));
  for (std::size_t i = 0; i < record.crossings.size(); ++i)
    record.crossings[i].elapsed_s = median(samples(record, [i](const TimedRun& r) { return r.crossings[i].elapsed_s; }));
}

std::vector<int> pin_to_cores(int count) {
  cpu_set_t allowed, chosen;
  CPU_ZERO(&allowed);
  CPU_ZERO(&chosen);
  std::vector<int> cores;
  if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) < count) return cores;
  // The last ones: the system has more to do on the first.
  for (int core = CPU_SETSIZE - 1; core >= 0 && static_cast<int>(cores.size()) < count; --core) {
    if (!CPU_ISSET(static_cast<std::size_t>(core), &allowed)) continue;
    CPU_SET(static_cast<std::size_t>(core), &chosen);
    cores.insert(cores.begin(), core);
  }
  if (::sched_setaffinity(0, sizeof chosen, &chosen) != 0) cores.clear();
  return cores;
}

KernelShare kernel_share(const CellRecord& record) {
  return {median(samples(record, [](const TimedRun& run) { return run.kernel_work_s; })),
          median(samples(record, [](const TimedRun& run) {
            return run.kernel_work_s > 0.0 ? run.solve_s / run.kernel_work_s : KernelTimes::unknown;
          }))};
}

Spread solve_spread(const CellRecord& record) {
  const auto values = samples(record, [](const TimedRun& run) { return run.solve_s; });
  if (values.empty()) return {record.solve_s, record.solve_s, 0};
  const auto [least, largest] = std::minmax_element(values.begin(), values.end());
  return {*least, *largest, values.size()};
}

}  // namespace ccp
