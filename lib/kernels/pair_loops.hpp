#pragma once

#include "kernels/index.hpp"

namespace ccp {

/// 3D contacts between two bodies, one after the other: for each the 36 numbers of its two blocks of L⁻¹D, a block with the
/// first four numbers of its three columns and then the last two of each, and where the velocities of its two bodies start.
struct ContactPairs {
  const double* numbers;
  const int* body;

  /// Those from that place on.
  ContactPairs from(Index place) const { return {numbers + 36 * place, body + 2 * place}; }
};
/// Contacts by which groups are fetched ahead from the memory: so many numbers must follow those of the last one.
constexpr Index pairs_ahead = 32;

/// Numbers of contacts in lanes, so that one instruction takes the same number of eight contacts: in tiles of 3 lane_count
/// numbers, first the normal ones of lane_count contacts, then the tangential ones.
constexpr Index lane_count = 8;
/// Where contact k has its first number; the other two follow at distances of lane_count.
[[gnu::always_inline]] constexpr Index lane_place(Index k) { return 3 * lane_count * (k / lane_count) + k % lane_count; }

/// The two halves of a product with N = (L⁻¹D)ᵀ(L⁻¹D) (E.3) for `count` contacts.
struct PairLoops {
  /// u_k = (L⁻¹D)_kᵀ w for each contact k of the list, to the three numbers from u + 3 place[k].
  void (*find_velocities)(const ContactPairs& pairs, Index count, const int* place, const double* w, double* u);
  /// w += (L⁻¹D)_k γ_k for each contact k of the list in order, from the three numbers from γ + 3 place[k].
  void (*add_impulses)(const ContactPairs& pairs, Index count, const int* place, const double* gamma, double* w);
  /// The same for single bodies of contacts: side 2k + s of the list is the first (s = 0) or second body of contact k.
  void (*add_sides)(const ContactPairs& pairs, Index count, const int* side, const int* place, const double* gamma,
                    double* w);
  /// The same with u and γ in lanes, contact k of the list as k. Few contacts at a time: these loops are too short for the
  /// processor to see by itself what comes next, so that they ask for it.
  void (*find_lanes)(const ContactPairs& pairs, Index count, const double* w, double* u);
  void (*add_lanes)(const ContactPairs& pairs, Index count, const double* gamma, double* w);
};

}  // namespace ccp
