#include "bench/analysis/time_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "bench/results/cell_file.hpp"
#include "bench/results/record_json.hpp"
#include "core/error.hpp"

namespace ccp {
namespace {

constexpr double rare = 0.01;
constexpr std::size_t enough = 5;  // repeats of both, for a chance below `rare`

struct Samples {
  int pass = 0;
  std::vector<double> seconds;
  std::size_t busy = 0;
  bool disturbed = false;
};

Samples samples_of(const ResultTable& results, const ResultRow& row) {
  const auto file = results.folder() / "cells" / row.hash / "cell.json";
  const auto record = record_from_json(read_cell(file.parent_path()));
  if (!record) throw InputError(file.string(), "", "is not the result of a cell");
  Samples samples;
  samples.busy = busy_runs(*record).count;
  std::vector<double> quiet;
  for (const TimedRun& run : record->runs) samples.pass = std::max(samples.pass, run.pass);
  for (const TimedRun& run : record->runs) {
    const double seconds = run.solve_s + run.setup_s;
    if (run.pass != samples.pass || !std::isfinite(seconds)) continue;
    samples.seconds.push_back(seconds);
    if (run.busy.empty()) quiet.push_back(seconds);
  }
  samples.disturbed = quiet.size() < std::min(enough, samples.seconds.size());
  if (!samples.disturbed) samples.seconds = quiet;
  std::sort(samples.seconds.begin(), samples.seconds.end());
  return samples;
}

/// Of one value at least.
TimeSample summary_of(const Samples& samples) {
  const std::vector<double>& sorted = samples.seconds;
  const std::size_t half = sorted.size() / 2;
  const double median = sorted.size() % 2 == 1 ? sorted[half] : 0.5 * (sorted[half - 1] + sorted[half]);
  return {median, sorted.front(), sorted.back(), sorted.size(), samples.busy, samples.disturbed};
}

/// counts[u]: in how many of the orders of n and m values u pairs stand the wrong way round.
std::vector<double> pair_counts(std::size_t n, std::size_t m) {
  // By the largest value: it is one of the first sample, which then is before none of the second's m, or one of the second.
  std::vector<std::vector<std::vector<double>>> counts(n + 1, std::vector<std::vector<double>>(m + 1));
  for (std::size_t i = 0; i <= n; ++i)
    for (std::size_t j = 0; j <= m; ++j) {
      auto& here = counts[i][j];
      here.assign(i * j + 1, 0.0);
      if (i == 0 || j == 0) {
        here[0] = 1.0;
        continue;
      }
      for (std::size_t u = 0; u < counts[i - 1][j].size(); ++u) here[u + j] += counts[i - 1][j][u];
      for (std::size_t u = 0; u < counts[i][j - 1].size(); ++u) here[u] += counts[i][j - 1][u];
    }
  return counts[n][m];
}

}  // namespace

std::string TimeChange::left_out() const {
  if (before.disturbed || now.disturbed)
    return fmt::format("fewer than {} runs on a machine that was not busy", enough);
  return std::min(before.runs, now.runs) < enough ? fmt::format("fewer than {} runs", enough) : "";
}

double rank_sum_chance(const std::vector<double>& a, const std::vector<double>& b) {
  const std::size_t n = a.size(), m = b.size();
  if (n == 0 || m == 0) return 1.0;
  double pairs = 0.0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < m; ++j) pairs += a[i] > b[j] ? 1.0 : a[i] == b[j] ? 0.5 : 0.0;
  const double mean = 0.5 * static_cast<double>(n * m), distance = std::abs(pairs - mean) - 1e-9;
  constexpr std::size_t most = 40;  // beyond, the normal distribution: the table of counts grows with the fourth power
  if (n > most || m > most) return std::erfc(distance / std::sqrt(static_cast<double>(n * m * (n + m + 1)) / 6.0));
  const auto counts = pair_counts(n, m);
  double all = 0.0, far = 0.0;
  for (std::size_t u = 0; u < counts.size(); ++u) {
    all += counts[u];
    if (std::abs(static_cast<double>(u) - mean) >= distance) far += counts[u];
  }
  return far / all;
}

std::vector<TimeChange> compare_times(const ResultTable& before, const ResultTable& now) {
  std::map<std::string, const ResultRow*> rows;
  for (const ResultRow& row : before.rows()) rows[row.id()] = &row;
  std::vector<TimeChange> changes;
  for (const ResultRow& row : now.rows()) {
    const auto other = rows.find(row.id());
    if (other == rows.end()) continue;
    const Samples old_times = samples_of(before, *other->second), new_times = samples_of(now, row);
    if (old_times.pass != new_times.pass || old_times.seconds.size() < 2 || new_times.seconds.size() < 2) continue;
    TimeChange change{row.id(), summary_of(old_times), summary_of(new_times), 0.0, 0.0, false};
    change.ratio = change.now.median / change.before.median;
    change.chance = rank_sum_chance(old_times.seconds, new_times.seconds);
    change.beyond_noise = change.chance < rare;
    changes.push_back(std::move(change));
  }
  return changes;
}

}  // namespace ccp
