#include "bench/analysis/line_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

namespace ccp {
namespace {

/// The 97.5 % quantile of Student's t: a table, and above it the expansion of Cornish and Fisher, to 2e-4.
double student_quantile(std::size_t freedom) {
  constexpr std::array table = {12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281};
  if (freedom <= table.size()) return table[freedom - 1];
  const double f = static_cast<double>(freedom);
  return 1.959964 + 2.372271 / f + 2.822499 / (f * f) + 2.555852 / (f * f * f);
}

}  // namespace

std::optional<LineFit> fit_line(const std::vector<double>& x, const std::vector<double>& y) {
  double n = 0.0, sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) n += 1.0, sx += x[i], sy += y[i], sxx += x[i] * x[i], sxy += x[i] * y[i];
  const double spread = n * sxx - sx * sx;
  if (spread <= 1e-12 * n * sxx) return std::nullopt;
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  LineFit fit{(n * sxy - sx * sy) / spread, unknown, unknown};
  double left = 0.0, all = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double off = y[i] - sy / n, missed = off - fit.slope * (x[i] - sx / n);
    left += missed * missed;
    all += off * off;
  }
  if (x.size() > 2) fit.slope_margin = student_quantile(x.size() - 2) * std::sqrt(left / (n - 2.0) / (spread / n));
  const auto [low, high] = std::minmax_element(y.begin(), y.end());
  if (*low != *high) fit.r_squared = 1.0 - left / all;
  return fit;
}

}  // namespace ccp
