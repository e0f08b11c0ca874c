#include "bench/analysis/change_points.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ccp {
namespace {

double middle_of(std::vector<double> values) {
  if (values.empty()) return 0.0;
  const auto half = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), half, values.end());
  return *half;
}

double noise_of(const std::vector<double>& values) {
  std::vector<double> steps;
  for (std::size_t i = 1; i < values.size(); ++i) steps.push_back(values[i] - values[i - 1]);
  const double usual = middle_of(steps);
  for (double& step : steps) step = std::abs(step - usual);
  return middle_of(steps) / (0.6745 * std::sqrt(2.0));
}

}  // namespace

std::vector<std::size_t> change_points(const std::vector<double>& values, const ChangeRule& rule) {
  const std::size_t n = values.size();
  if (n < 2 * rule.shortest) return {};
  const double noise = std::max(noise_of(values), rule.least_noise);
  const double penalty = 3.0 * std::log(static_cast<double>(n));
  std::vector<double> best(n + 1, std::numeric_limits<double>::infinity());
  std::vector<std::size_t> begin(n + 1, 0);  // of the last piece
  best[0] = -penalty;
  for (std::size_t end = 1; end <= n; ++end) {
    // Of the values from `first` on, one by one, which keeps equal ones exact (Welford).
    double mean = 0.0, deviations = 0.0;
    for (std::size_t first = end; first-- > 0;) {
      const double x = (values[first] - values.front()) / noise, step = x - mean;
      mean += step / static_cast<double>(end - first);
      deviations += step * (x - mean);
      if (end - first < rule.shortest) continue;
      const double cost = best[first] + deviations + penalty;
      if (!(cost < best[end])) continue;
      best[end] = cost;
      begin[end] = first;
    }
  }
  std::vector<std::size_t> changes;
  for (std::size_t end = begin[n]; end > 0; end = begin[end]) changes.insert(changes.begin(), end);
  return changes;
}

std::vector<double> levels_of(const std::vector<double>& values, const std::vector<std::size_t>& changes) {
  std::vector<double> levels;
  std::size_t first = 0;
  for (std::size_t piece = 0; piece <= changes.size(); ++piece) {
    const std::size_t end = piece < changes.size() ? changes[piece] : values.size();
    double sum = 0.0;
    for (std::size_t i = first; i < end; ++i) sum += values[i];
    levels.insert(levels.end(), end - first, sum / static_cast<double>(end - first));
    first = end;
  }
  return levels;
}

}  // namespace ccp
