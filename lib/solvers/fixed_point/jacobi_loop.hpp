#pragma once

#include "core/constraints.hpp"
#include "core/instruction_set.hpp"
#include "solvers/blocks/largest.hpp"

namespace ccp {

/// Vectors of an iteration of Jacobi (E25), of one number a row; `step` has one a block.
struct JacobiVectors {
  const ConstraintSet& set;
  double lambda;
  const double *gamma, *r;
  const double* step;  ///< ω η_i
  double* next;        ///< N γ before, the new iterate after
};

/// next <- λ Π(γ − ω η (N γ + r)) + (1 − λ) γ for the blocks [begin, end), at most jacobi_chunk of them.
using JacobiLoop = Largest (*)(const JacobiVectors& at, Index begin, Index end);
constexpr Index jacobi_chunk = 256;  ///< blocks whose vectors the nearest cache holds

/// One version, all of the same bits; the processor must be able to run it.
JacobiLoop jacobi_loop(InstructionSet set);

}  // namespace ccp
