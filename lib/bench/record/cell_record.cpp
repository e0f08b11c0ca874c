#include "bench/record/cell_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "peers/peer_solver.hpp"

namespace ccp {
namespace {

/// The values of the runs of the highest pass, in their order.
template <typename Get>
std::vector<double> samples(const CellRecord& record, Get get) {
  std::vector<double> values;
  int pass = 0;
  for (const TimedRun& run : record.runs) pass = std::max(pass, run.pass);
  for (const TimedRun& run : record.runs)
    if (run.pass == pass) values.push_back(get(run));
  return values;
}

double median(std::vector<double> values) {
  values.erase(std::remove_if(values.begin(), values.end(), [](double value) { return std::isnan(value); }), values.end());
  if (values.empty()) return unknown_number;
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

/// How the iterates of a run differ from those of the first; empty when they do not. How far a run comes until its time is
/// over is no difference.
std::string difference(const CellRecord& record, const Result& result) {
  const bool cut = record.status == Status::time_limit || result.status == Status::time_limit;
  if (!cut && result.iterations != record.iterations)
    return fmt::format("{} iterations instead of {}", result.iterations, record.iterations);
  for (std::size_t i = 0; i < record.crossings.size(); ++i)
    if (result.crossings[i].iteration != record.crossings[i].iteration &&
        !(cut && std::min(result.crossings[i].iteration, record.crossings[i].iteration) < 0))
      return fmt::format("reached {} at iteration {} instead of {}", decade_name(first_decade + static_cast<int>(i)),
                         result.crossings[i].iteration, record.crossings[i].iteration);
  if (cut) return "";
  for (const Measure measure : all_measures()) {
    const double now = result.measures[measure_index(measure)], first = record.measures[measure_index(measure)];
    if (now != first && !(std::isnan(now) && std::isnan(first)) && std::isfinite(now) == std::isfinite(first))
      return fmt::format("{} {:.17g} instead of {:.17g}", measure_info(measure).name, now, first);
  }
  return "";
}

/// How run `index` differs from the first; empty when it does not.
std::string difference_text(const CellRecord& record, std::size_t index) {
  const std::string& what = record.runs[index].difference;
  return what.empty() ? what : fmt::format("run {} differs from the first: {}", index + 1, what);
}

}  // namespace

Measures unknown_measures() {
  Measures measures;
  measures.fill(unknown_number);
  return measures;
}

void CellRecord::take(Result&& result) {
  status = result.status;
  reason = std::move(result.reason);
  iterations = result.iterations;
  native_converged = result.native_converged;
  counters = result.counters;
  verdict = result.verdict;
  measures = result.measures;
  crossings = result.crossings;
  notes = std::move(result.notes);
  ranks = result.ranks;
}

std::string decade_name(int decade) { return "1e-" + std::to_string(decade); }

void add_run(CellRecord& record, const Result& result, TimedRun run) {
  run.setup_s = result.setup_s;
  run.solve_s = result.solve_s;
  run.crossings = result.crossings;
  if (!record.runs.empty()) run.difference = difference(record, result);
  record.runs.push_back(std::move(run));
  if (const std::string text = difference_text(record, record.runs.size() - 1); !text.empty()) record.notes.push_back(text);
  record.setup_s = median(samples(record, [](const TimedRun& r) { return r.setup_s; }));
  record.solve_s = median(samples(record, [](const TimedRun& r) { return r.solve_s; }));
  for (std::size_t i = 0; i < record.crossings.size(); ++i)
    record.crossings[i].elapsed_s = median(samples(record, [i](const TimedRun& r) { return r.crossings[i].elapsed_s; }));
}

std::vector<std::string> differing_runs(const CellRecord& record) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < record.runs.size(); ++i)
    if (std::string text = difference_text(record, i); !text.empty()) texts.push_back(std::move(text));
  return texts;
}

BusyRuns busy_runs(const CellRecord& record) {
  BusyRuns busy;
  int pass = 0;
  for (const TimedRun& run : record.runs) pass = std::max(pass, run.pass);
  for (const TimedRun& run : record.runs) {
    if (run.pass != pass || run.busy.empty()) continue;
    if (busy.count++ == 0) busy.text = run.busy;
  }
  return busy;
}

bool counts_restarts(const CellRecord& record) {
  return std::find(record.notes.begin(), record.notes.end(), note_of_restarts) != record.notes.end();
}

KernelShare kernel_share(const CellRecord& record) {
  return {median(samples(record, [](const TimedRun& run) { return run.kernel_work_s; })),
          median(samples(record, [](const TimedRun& run) {
            return run.kernel_work_s > 0.0 ? run.solve_s / run.kernel_work_s : unknown_number;
          }))};
}

Spread solve_spread(const CellRecord& record) {
  const auto values = samples(record, [](const TimedRun& run) { return run.solve_s; });
  if (values.empty()) return {record.solve_s, record.solve_s, 0};
  const auto [least, largest] = std::minmax_element(values.begin(), values.end());
  return {*least, *largest, values.size()};
}

}  // namespace ccp
