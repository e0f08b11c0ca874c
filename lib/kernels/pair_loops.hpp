#pragma once

#include "kernels/index.hpp"

namespace ccp {

/// Contacts of three rows, or of two, between two bodies, one after the other: for each the 12 numbers a row of its two
/// blocks of L⁻¹D, a block with the first four numbers of its columns and then the last two of each, and where the
/// velocities of its two bodies start.
struct ContactPairs {
  const double* numbers;
  const int* body;
  int rows = 3;

  /// Those from that place on.
  ContactPairs from(Index place) const { return {numbers + 12 * rows * place, body + 2 * place, rows}; }
};
/// Contacts by which groups are fetched ahead from the memory: so many numbers must follow those of the last one.
constexpr Index pairs_ahead = 32;

/// Numbers of contacts in lanes, so that one instruction takes the same number of eight contacts: in tiles of lane_count
/// numbers a row, first the normal ones of lane_count contacts, then the tangential ones.
constexpr Index lane_count = 8;
/// Where contact k has its first number; the others follow at distances of lane_count.
[[gnu::always_inline]] constexpr Index lane_place(Index k, Index rows = 3) {
  return rows * lane_count * (k / lane_count) + k % lane_count;
}

/// The two halves of a product with N = (L⁻¹D)ᵀ(L⁻¹D) (E.3) for `count` contacts.
struct PairLoops {
  /// u_k = (L⁻¹D)_kᵀ w for each contact k of the list, to its numbers from u + rows place[k].
  void (*find_velocities)(const ContactPairs& pairs, Index count, const int* place, const double* w, double* u);
  /// w += (L⁻¹D)_k γ_k for each contact k of the list in order, from its numbers from γ + rows place[k].
  void (*add_impulses)(const ContactPairs& pairs, Index count, const int* place, const double* gamma, double* w);
  /// The same for single bodies of contacts: side 2k + s of the list is the first (s = 0) or second body of contact k.
  void (*add_sides)(const ContactPairs& pairs, Index count, const int* side, const int* place, const double* gamma,
                    double* w);
  /// The same for three rows, with u and γ in lanes, contact k of the list as k. Few contacts at a time: these loops are too
  /// short for the processor to see by itself what comes next, so that they ask for it.
  void (*find_lanes)(const ContactPairs& pairs, Index count, const double* w, double* u);
  void (*add_lanes)(const ContactPairs& pairs, Index count, const double* gamma, double* w);
  /// These two for contacts of two rows; a choice inside of them would cost a hundredth of a sweep.
  void (*find_planar_lanes)(const ContactPairs& pairs, Index count, const double* w, double* u);
  void (*add_planar_lanes)(const ContactPairs& pairs, Index count, const double* gamma, double* w);
};

}  // namespace ccp
