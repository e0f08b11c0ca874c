#pragma once

#include "core/instruction_set.hpp"
#include "core/types.hpp"
#include "solvers/fixed_point/jacobi_loop.hpp"

namespace ccp {

/// What the contacts of a group have in a sweep, three numbers each.
struct GroupVectors {
  Index count;  ///< at most group_size
  double lambda;
  double* gamma;          ///< γ before, λ updated + (1 − λ) γ after
  const double* product;  ///< N γ
  const double* r;
  double* delta;  ///< change of γ
};

/// What a group does between its velocities and the body velocities in a sweep (E26). One version for each instruction set,
/// with the same bits. `largest` grows with the changes and the new γ.
struct GroupLoops {
  /// A change to Π(γ − η (N γ + r)); η has three numbers for each contact, μ one. Whether anything has changed, or is no
  /// number.
  bool (*relax)(const GroupVectors& at, const double* step, const double* friction, Largest& largest);
  /// A change to `updated`.
  bool (*accept)(const GroupVectors& at, double* updated, Largest& largest);
};

/// One version; the processor must be able to run it.
const GroupLoops& group_loops(InstructionSet set);

}  // namespace ccp
