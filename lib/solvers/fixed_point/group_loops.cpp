#include "solvers/fixed_point/group_loops.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "cones/common_projection.hpp"

namespace ccp {
namespace {

// What a lane has to tell of its contact: bits.
constexpr std::int64_t has_changed = 1, is_uncommon = 2;
using LaneStates = std::int64_t[lane_count];

/// The new number of a contact in place of the old one, and its change. Written out three times below, because a loop over
/// the three numbers of a contact would keep the compiler from vector code of the loop over lanes.
template <bool Average>
struct NewNumber {
  double next, moved;
  [[gnu::always_inline]] NewNumber(double lambda, double old, double updated)
      : next(Average ? lambda * updated + (1.0 - lambda) * old : updated), moved(next - old) {}
  std::uint64_t bits() const { return std::bit_cast<std::uint64_t>(moved); }
};

/// The larger one, of which `most` is no NaN: another one does not count.
[[gnu::always_inline]] inline double larger_size(double most, double x) { return std::abs(x) > most ? std::abs(x) : most; }

/// The new γ of lane k of a tile, with its change.
template <bool Average>
[[gnu::always_inline]] inline std::int64_t accept_lane(Index k, double lambda, const ContactNumbers& old,
                                                       const ContactNumbers& updated, double* __restrict gamma,
                                                       double* __restrict delta, double* __restrict change,
                                                       double* __restrict impulse) {
  const NewNumber<Average> n(lambda, old.n, updated.n), s(lambda, old.s, updated.s), t(lambda, old.t, updated.t);
  gamma[k] = n.next;
  gamma[k + lane_count] = s.next;
  gamma[k + 2 * lane_count] = t.next;
  delta[k] = n.moved;
  delta[k + lane_count] = s.moved;
  delta[k + 2 * lane_count] = t.moved;
  change[k] = larger_size(larger_size(larger_size(change[k], n.moved), s.moved), t.moved);
  impulse[k] = larger_size(larger_size(larger_size(impulse[k], n.next), s.next), t.next);
  return (n.bits() | s.bits() | t.bits()) << 1 != 0 ? has_changed : 0;  // without the sign of a zero
}

[[gnu::always_inline]] inline ContactNumbers in_lane(const double* numbers, Index k) {
  return {numbers[k], numbers[k + lane_count], numbers[k + 2 * lane_count]};
}

template <bool Average>
[[gnu::always_inline]] inline void accept_tile(double lambda, const double* __restrict updated, double* __restrict gamma,
                                               double* __restrict delta, double* __restrict change,
                                               double* __restrict impulse, std::int64_t* __restrict states) {
#pragma GCC ivdep
  for (Index k = 0; k < lane_count; ++k)
    states[k] |= accept_lane<Average>(k, lambda, in_lane(gamma, k), in_lane(updated, k), gamma, delta, change, impulse);
}

[[gnu::always_inline]] inline bool accept_tiles(const GroupVectors& at, const double* updated, LaneLargest& largest) {
  LaneStates states = {};
  for (Index tile = 0; tile < at.tiles; ++tile) {
    const Index first = tile * tile_numbers;
    if (at.lambda == 1.0)
      accept_tile<false>(1.0, updated + first, at.gamma + first, at.delta + first, largest.change, largest.impulse, states);
    else
      accept_tile<true>(at.lambda, updated + first, at.gamma + first, at.delta + first, largest.change, largest.impulse,
                        states);
  }
  return std::any_of(states, states + lane_count, [](std::int64_t state) { return state != 0; });
}

/// A tile of relax(), whose γ before are left in `old`: in one loop, which keeps a tile in registers.
template <bool Average>
[[gnu::always_inline]] inline void relax_tile(double lambda, const double* __restrict step,
                                              const double* __restrict friction, const double* __restrict product,
                                              const double* __restrict r, double* __restrict gamma, double* __restrict delta,
                                              double* __restrict old, double* __restrict change, double* __restrict impulse,
                                              std::int64_t* __restrict states) {
#pragma GCC ivdep
  for (Index k = 0; k < lane_count; ++k) {
    const ContactNumbers before = in_lane(gamma, k), u = in_lane(product, k), free = in_lane(r, k);
    old[k] = before.n;
    old[k + lane_count] = before.s;
    old[k + 2 * lane_count] = before.t;
    const ContactNumbers moved{before.n - step[k] * (u.n + free.n), before.s - step[k] * (u.s + free.s),
                               before.t - step[k] * (u.t + free.t)};
    ContactNumbers nearest;
    const bool common = project_common_contact(friction[k], moved, nearest);
    states[k] |= accept_lane<Average>(k, lambda, before, nearest, gamma, delta, change, impulse);
    states[k] |= common ? 0 : is_uncommon;
  }
}

/// relax() for numbers of any size.
bool relax_one_by_one(const GroupVectors& at, const double* step, const double* friction, LaneLargest& largest) {
  double updated[most_tiles * tile_numbers];
  for (Index k = 0; k < at.tiles * lane_count; ++k) {
    Vector3 moved;
    for (Index c = 0; c < 3; ++c) {
      const Index place = lane_place(k) + c * lane_count;
      moved[c] = at.gamma[place] - step[k] * (at.product[place] + at.r[place]);
    }
    const Vector3 nearest = project_friction_cone(moved, friction[k]);
    for (Index c = 0; c < 3; ++c) updated[lane_place(k) + c * lane_count] = nearest[c];
  }
  return accept_tiles(at, updated, largest);
}

[[gnu::always_inline]] inline bool relax_tiles(const GroupVectors& at, const double* step, const double* friction,
                                               LaneLargest& largest) {
  double old[most_tiles * tile_numbers];
  LaneStates states = {};
  LaneLargest grown = largest;
  for (Index tile = 0; tile < at.tiles; ++tile) {
    const Index first = tile * tile_numbers, lane = tile * lane_count;
    if (at.lambda == 1.0)
      relax_tile<false>(1.0, step + lane, friction + lane, at.product + first, at.r + first, at.gamma + first,
                        at.delta + first, old + first, grown.change, grown.impulse, states);
    else
      relax_tile<true>(at.lambda, step + lane, friction + lane, at.product + first, at.r + first, at.gamma + first,
                       at.delta + first, old + first, grown.change, grown.impulse, states);
  }
  std::int64_t state = 0;
  for (const std::int64_t of_lane : states) state |= of_lane;
  if (state >= is_uncommon) {
    std::copy(old, old + at.tiles * tile_numbers, at.gamma);
    return relax_one_by_one(at, step, friction, largest);
  }
  largest = grown;
  return state != 0;
}

#define CCP_GROUP_LOOPS(name, ...)                                                                                          \
  __VA_ARGS__ bool relax_##name(const GroupVectors& at, const double* step, const double* friction, LaneLargest& largest) { \
    return relax_tiles(at, step, friction, largest);                                                                        \
  }                                                                                                                         \
  __VA_ARGS__ bool accept_##name(const GroupVectors& at, const double* updated, LaneLargest& largest) {                     \
    return accept_tiles(at, updated, largest);                                                                              \
  }                                                                                                                         \
  constexpr GroupLoops loops_##name{relax_##name, accept_##name};

CCP_GROUP_LOOPS(portable)
CCP_GROUP_LOOPS(avx2, CCP_FOR_AVX2)
CCP_GROUP_LOOPS(avx512, CCP_FOR_AVX512)
#undef CCP_GROUP_LOOPS

}  // namespace

Largest LaneLargest::all() const {
  return {*std::max_element(change, change + lane_count), *std::max_element(impulse, impulse + lane_count)};
}

const GroupLoops& group_loops(InstructionSet set) { return version_for(set, loops_portable, loops_avx2, loops_avx512); }

}  // namespace ccp
