#pragma once

#include <cstdint>
#include <random>

#include "core/types.hpp"

namespace ccp::testing {

/// Uniform random numbers that are the same with every standard library.
class Uniform {
 public:
  explicit Uniform(std::uint64_t seed) : bits_(seed) {}

  /// In [−1, 1).
  double operator()() { return static_cast<double>(bits_() >> 11) * 0x1p-52 - 1.0; }
  /// In [low, high).
  double operator()(double low, double high) { return low + (high - low) * static_cast<double>(bits_() >> 11) * 0x1p-53; }
  /// An index in [0, bound).
  Index below(Index bound) { return static_cast<Index>(bits_() % static_cast<std::uint64_t>(bound)); }

  /// A vector of fixed size with entries in [−size, size).
  template <typename Point>
  Point point(double size) {
    Point p;
    for (Index i = 0; i < p.size(); ++i) p[i] = (*this)(-size, size);
    return p;
  }
  /// Entries in [−1, 1), by columns.
  DenseMatrix matrix(Index rows, Index columns) {
    DenseMatrix result(rows, columns);
    for (Index j = 0; j < columns; ++j)
      for (Index i = 0; i < rows; ++i) result(i, j) = (*this)();
    return result;
  }
  Vector vector(Index size) { return matrix(size, 1); }

 private:
  std::mt19937_64 bits_;
};

}  // namespace ccp::testing
