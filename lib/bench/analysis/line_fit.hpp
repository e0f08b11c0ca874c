#pragma once

#include <optional>
#include <vector>

namespace ccp {

/// A line through points by least squares.
struct LineFit {
  double slope = 0.0;
  double r_squared = 0.0;     ///< NaN where all y are the same
  double slope_margin = 0.0;  ///< half the 95 % confidence interval of the slope; NaN below three points
};

/// (L.5) and (L.7); nothing where the x are all the same.
std::optional<LineFit> fit_line(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace ccp
