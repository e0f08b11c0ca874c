#include "bench/analysis/ensemble_number.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace ccp {
namespace {

double quantile_of(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const double weight = place - static_cast<double>(below);
  return weight > 0.0 ? (1.0 - weight) * sorted[below] + weight * sorted[below + 1] : sorted[below];
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double geometric_mean_of(std::vector<double> values) {
  for (double& value : values) value = std::log(value);
  return std::exp(mean_of(values));
}

}  // namespace

bool is_quantile(ClaimOver over) {
  return over == ClaimOver::lower_quartile || over == ClaimOver::median || over == ClaimOver::upper_quartile;
}

double ensemble_number(ClaimOver over, std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const double low = values.front(), high = values.back();
  switch (over) {
    case ClaimOver::largest: return high;
    case ClaimOver::smallest: return low;
    case ClaimOver::spread: return high == low ? 1.0 : high / low;
    case ClaimOver::lower_quartile: return quantile_of(values, 0.25);
    case ClaimOver::median: return quantile_of(values, 0.5);
    case ClaimOver::upper_quartile: return quantile_of(values, 0.75);
    case ClaimOver::mean: return mean_of(values);
    case ClaimOver::geometric_mean: return geometric_mean_of(std::move(values));
    default: throw std::logic_error("several cells give no number in this way");
  }
}

}  // namespace ccp
