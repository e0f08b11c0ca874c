#pragma once

#include "kernels/block_rows.hpp"

namespace ccp {

/// Vectors of a step, of one number a row; `step` has one a block.
struct StepVectors {
  const double *gamma, *product, *r;
  const double* step;
  double* to;  ///< overlaps with none of the others
};

/// Largest components of an iteration, N·s; NaNs do not count.
struct Largest {
  double change = 0.0, impulse = 0.0;
};

/// What an iteration of Jacobi (E.1) does around the projection.
struct JacobiLoops {
  /// to = γ − s (N γ + r)
  void (*step)(const BlockRows& blocks, const StepVectors& at);
  /// next <- λ next + (1 − λ) γ; the largest |next − γ| and |next|.
  Largest (*average)(Index rows, double lambda, const double* gamma, double* next);
};

}  // namespace ccp
