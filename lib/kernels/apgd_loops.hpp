#pragma once

#include "kernels/block_rows.hpp"

namespace ccp {

/// to <- Π_Υ(from) for the blocks [begin, end) of a set: what the loops know of cones.
struct Projection {
  const void* set;
  void (*project)(const void* set, Index begin, Index end, const double* from, double* to);
};

/// The vectors that an iteration of APGD goes through, of one number a row; `scale` has one a block.
struct ApgdVectors {
  BlockRows blocks;
  Projection projection;
  double beta, step;                                                ///< β_k of (F.2), and t = 1/L
  const double *gamma, *previous, *product, *previous_product, *r;  ///< γ_k, γ_{k−1}, N γ_k, N γ_{k−1}, r
  const double* scale;                                              ///< g_i of (F.6)
  double* next;                                                     ///< γ_{k+1}
};

struct StepSums {
  double square, slope;
};

/// What an iteration does with the blocks [begin, end), in loops of few operations over numbers in the nearest cache.
struct ApgdLoops {
  /// γ_{k+1} = Π(y_k − t(N y_k + r)), where y_k and N y_k are combinations of the last two iterates and their products
  /// (F.2). Sums dᵀd with d = γ_{k+1} − y_k, and gᵀ(γ_{k+1} − γ_k) with g = N y_k + r.
  StepSums (*project)(const ApgdVectors& at, Index begin, Index end);
  /// dᵀ(N γ_{k+1} − N y_k)
  double (*curvature)(const ApgdVectors& at, const double* next_product, Index begin, Index end);
  /// Squares of the residual (F.6) of γ_k.
  double (*residual)(const ApgdVectors& at, Index begin, Index end);
  /// ‖a − b − β (b − c)‖² of vectors of `size` numbers.
  double (*distance)(Index size, double beta, const double* a, const double* b, const double* c);
};

}  // namespace ccp
