#pragma once

#include "kernels/pair_loops.hpp"

namespace ccp {

/// What the contacts of a group have in a sweep: one or two whole tiles, in lanes. A lane without a contact has zeros for γ,
/// r, η, μ and N_ii, and so stays as it is, whatever finite number its product is. (Zeroing that too would cost up to a
/// twentieth of a sweep; after an infinite one, in a run that has diverged, such a lane is NaN, which reaches no contact.)
struct GroupVectors {
  Index tiles;
  double lambda;
  double* gamma;          ///< γ before, λ updated + (1 − λ) γ after
  double* delta;          ///< change of γ
  const double* product;  ///< N γ
  const double* r;
  const double *step, *friction;   ///< η and μ, one number for each contact
  const double* matrix = nullptr;  ///< N_ii of contacts in the plane, four numbers each, column by column
};
/// Of three rows; one of contacts in the plane has two thirds of them.
constexpr Index most_tiles = 2, tile_numbers = 3 * lane_count;

/// Largest components of the contacts in each lane.
struct LaneLargest {
  double change[lane_count] = {}, impulse[lane_count] = {};
};

/// `out_of_range`: some contact is outside the safe range (safe_range.hpp) and needs a projection that scales, or the closed
/// form does not hold for it. Nothing is done.
enum class GroupChange { none, some, out_of_range };

/// What a group does between its velocities and the body velocities in a sweep (E.2). `largest` grows with the changes and
/// the new γ. A change that is no number is one.
struct RowGroupLoops {
  /// A change to Π(γ − η (N γ + r)).
  GroupChange (*relax)(const GroupVectors& at, LaneLargest& largest);
  /// A change to `updated`; none or some.
  GroupChange (*accept)(const GroupVectors& at, const double* updated, LaneLargest& largest);
};
struct GroupLoops {
  RowGroupLoops space, plane;  ///< for contacts of three rows, of two
  /// A change to the solutions of contacts in the plane, each with the others frozen (planar_contact.hpp).
  GroupChange (*solve)(const GroupVectors& at, LaneLargest& largest);

  template <int Rows>
  const RowGroupLoops& of_rows() const {
    return Rows == 2 ? plane : space;
  }
};

}  // namespace ccp
