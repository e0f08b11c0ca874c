#pragma once

#include "kernels/index.hpp"

namespace ccp {

/// What Gram–Schmidt does with vectors of n numbers. A dot product has four sums, of the terms k = 0, 1, 2, 3 modulo 4, from
/// which ((0) + (2)) + ((1) + (3)) is made; the last terms, n modulo 4, follow.
struct KrylovLoops {
  double (*dot)(Index n, const double* x, const double* y);
  /// y −= factor · x. Gives the dot product of the new y and `next`, or with itself where `next` is null: the next step of
  /// the process then reads y no more than once.
  double (*subtract)(Index n, double factor, const double* x, double* y, const double* next);
};

}  // namespace ccp
