#include "bench/analysis/line_fit.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace ccp {

std::optional<LineFit> fit_line(const std::vector<double>& x, const std::vector<double>& y) {
  double n = 0.0, sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) n += 1.0, sx += x[i], sy += y[i], sxx += x[i] * x[i], sxy += x[i] * y[i];
  const double spread = n * sxx - sx * sx;
  if (spread <= 1e-12 * n * sxx) return std::nullopt;
  LineFit fit{(n * sxy - sx * sy) / spread, std::numeric_limits<double>::quiet_NaN()};
  const auto [low, high] = std::minmax_element(y.begin(), y.end());
  if (*low == *high) return fit;
  double left = 0.0, all = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double off = y[i] - sy / n, missed = off - fit.slope * (x[i] - sx / n);
    left += missed * missed;
    all += off * off;
  }
  fit.r_squared = 1.0 - left / all;
  return fit;
}

}  // namespace ccp
