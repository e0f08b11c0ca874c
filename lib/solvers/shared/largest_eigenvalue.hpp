#pragma once

#include <cmath>

#include "core/types.hpp"

namespace ccp {

/// λ_max of a symmetric PSD matrix by the power method, from below; 0 for a zero one. multiply(x, y): y <- A x; x, y: room.
template <typename Multiply>
double largest_eigenvalue(const Multiply& multiply, Vector& x, Vector& y) {
  constexpr int power_iterations = 30;
  // Not orthogonal to anything special: entries from the golden section.
  for (Index i = 0; i < x.size(); ++i) x[i] = 0.5 + std::fmod(0.6180339887498949 * static_cast<double>(i + 1), 1.0);
  double value = 0.0;
  for (int k = 0; k < power_iterations && x.size() > 0; ++k) {
    x /= x.norm();
    multiply(x, y);
    value = y.norm();
    if (!(value > 0.0)) break;
    x = y;
  }
  return value;
}

}  // namespace ccp
