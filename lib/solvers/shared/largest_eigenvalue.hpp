#pragma once

#include <cmath>

#include "core/types.hpp"

namespace ccp {

/// λ_max of a symmetric PSD matrix by the power method, from below; 0 for a zero one. multiply(x, y): y <- A x; x, y: room.
/// norm(x): ‖x‖₂, where x is the part of one rank of several with that of all; first_row: of this part.
template <typename Multiply, typename Norm>
double largest_eigenvalue(const Multiply& multiply, Vector& x, Vector& y, const Norm& norm, Index first_row = 0) {
  constexpr int power_iterations = 30;
  // Not orthogonal to anything special: entries from the golden section.
  for (Index i = 0; i < x.size(); ++i)
    x[i] = 0.5 + std::fmod(0.6180339887498949 * static_cast<double>(first_row + i + 1), 1.0);
  double value = 0.0;
  for (int k = 0; k < power_iterations; ++k) {
    const double size = norm(x);
    if (!(size > 0.0)) break;
    x /= size;
    multiply(x, y);
    value = norm(y);
    if (!(value > 0.0)) break;
    x = y;
  }
  return value;
}

template <typename Multiply>
double largest_eigenvalue(const Multiply& multiply, Vector& x, Vector& y) {
  return largest_eigenvalue(multiply, x, y, [](const Vector& vector) { return vector.norm(); });
}

}  // namespace ccp
