#pragma once

#include "core/instruction_set.hpp"
#include "problem/delassus/pair_loops.hpp"
#include "solvers/blocks/largest.hpp"

namespace ccp {

/// What the contacts of a group have in a sweep: one or two whole tiles, in lanes. A lane without a contact has zeros for γ,
/// r, η and μ, and so stays as it is, whatever finite number its product is. (Zeroing that too would cost up to a twentieth
/// of a sweep; after an infinite one, in a run that has diverged, such a lane is NaN, which reaches no contact.)
struct GroupVectors {
  Index tiles;
  double lambda;
  double* gamma;          ///< γ before, λ updated + (1 − λ) γ after
  const double* product;  ///< N γ
  const double* r;
  double* delta;  ///< change of γ
};
constexpr Index most_tiles = 2, tile_numbers = 3 * lane_count;

/// Largest components of the contacts in each lane.
struct LaneLargest {
  double change[lane_count] = {}, impulse[lane_count] = {};
  Largest all() const;
};

/// What a group does between its velocities and the body velocities in a sweep (E26). One version for each instruction set,
/// with the same bits. `largest` grows with the changes and the new γ.
struct GroupLoops {
  /// A change to Π(γ − η (N γ + r)); η and μ have one number for each contact. Whether anything has changed, or is no
  /// number.
  bool (*relax)(const GroupVectors& at, const double* step, const double* friction, LaneLargest& largest);
  /// A change to `updated`.
  bool (*accept)(const GroupVectors& at, const double* updated, LaneLargest& largest);
};

/// One version; the processor must be able to run it.
const GroupLoops& group_loops(InstructionSet set);

}  // namespace ccp
