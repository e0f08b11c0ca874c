#include "kernels/group_loops.hpp"

#include <cmath>
#include <cstdint>

#include "kernels/contact_projection.hpp"
#include "kernels/tables.hpp"

namespace ccp::CCP_INSTRUCTION_SET {
namespace {

// What a lane has to tell of its contact: bits.
constexpr std::int64_t has_changed = 1, is_out_of_range = 2;
struct LaneStates {
  std::int64_t of[lane_count] = {};
  std::int64_t all() const {
    std::int64_t bits = 0;
    for (const std::int64_t lane : of) bits |= lane;
    return bits;
  }
};

/// The new number of a contact in place of the old one, and its change. Written out three times below, because a loop over
/// the three numbers of a contact would keep the compiler from vector code of the loop over lanes.
template <bool Average>
struct NewNumber {
  double next, moved;
  [[gnu::always_inline]] NewNumber(double lambda, double old, double updated)
      : next(Average ? lambda * updated + (1.0 - lambda) * old : updated), moved(next - old) {}
  [[gnu::always_inline]] std::uint64_t bits() const { return __builtin_bit_cast(std::uint64_t, moved); }
};

/// The larger one, of which `most` is no NaN: another one does not count.
[[gnu::always_inline]] inline double larger_size(double most, double x) { return std::fabs(x) > most ? std::fabs(x) : most; }

[[gnu::always_inline]] inline ContactNumbers in_lane(const double* numbers, Index k) {
  return {numbers[k], numbers[k + lane_count], numbers[k + 2 * lane_count]};
}
[[gnu::always_inline]] inline void put(double* numbers, Index k, const ContactNumbers& contact) {
  numbers[k] = contact.n;
  numbers[k + lane_count] = contact.s;
  numbers[k + 2 * lane_count] = contact.t;
}

/// The new γ of lane k of a tile, with its change.
template <bool Average>
[[gnu::always_inline]] inline std::int64_t accept_lane(const GroupVectors& tile, Index k, const ContactNumbers& old,
                                                       const ContactNumbers& updated, LaneLargest& largest) {
  const NewNumber<Average> n(tile.lambda, old.n, updated.n), s(tile.lambda, old.s, updated.s),
      t(tile.lambda, old.t, updated.t);
  put(tile.gamma, k, {n.next, s.next, t.next});
  put(tile.delta, k, {n.moved, s.moved, t.moved});
  largest.change[k] = larger_size(larger_size(larger_size(largest.change[k], n.moved), s.moved), t.moved);
  largest.impulse[k] = larger_size(larger_size(larger_size(largest.impulse[k], n.next), s.next), t.next);
  return (n.bits() | s.bits() | t.bits()) << 1 != 0 ? has_changed : 0;  // without the sign of a zero
}

template <bool Average>
[[gnu::always_inline]] inline void accept_tile(const GroupVectors tile, const double* updated, LaneLargest& largest,
                                               LaneStates& states) {
#pragma GCC ivdep
  for (Index k = 0; k < lane_count; ++k)
    states.of[k] |= accept_lane<Average>(tile, k, in_lane(tile.gamma, k), in_lane(updated, k), largest);
}

/// A tile of relax(), whose γ before are left in `old`: in one loop, which keeps a tile in registers.
template <bool Average>
[[gnu::always_inline]] inline void relax_tile(const GroupVectors tile, double* old, LaneLargest& largest,
                                              LaneStates& states) {
#pragma GCC ivdep
  for (Index k = 0; k < lane_count; ++k) {
    const ContactNumbers before = in_lane(tile.gamma, k), u = in_lane(tile.product, k), free = in_lane(tile.r, k);
    put(old, k, before);
    const double step = tile.step[k];
    const ContactNumbers moved{before.n - step * (u.n + free.n), before.s - step * (u.s + free.s),
                               before.t - step * (u.t + free.t)};
    ContactNumbers nearest;
    const bool in_range = project_in_safe_range(tile.friction[k], moved, nearest);
    states.of[k] |= accept_lane<Average>(tile, k, before, nearest, largest) | (in_range ? 0 : is_out_of_range);
  }
}

/// One of the tiles of a group.
[[gnu::always_inline]] inline GroupVectors tile_of(const GroupVectors& at, Index tile) {
  const Index first = tile * tile_numbers, lane = tile * lane_count;
  return {1,
          at.lambda,
          at.gamma + first,
          at.delta + first,
          at.product + first,
          at.r + first,
          at.step + lane,
          at.friction + lane};
}

GroupChange relax(const GroupVectors& at, LaneLargest& largest) {
  double old[most_tiles * tile_numbers];
  LaneStates states;
  LaneLargest grown = largest;
  for (Index tile = 0; tile < at.tiles; ++tile) {
    if (at.lambda == 1.0)
      relax_tile<false>(tile_of(at, tile), old + tile * tile_numbers, grown, states);
    else
      relax_tile<true>(tile_of(at, tile), old + tile * tile_numbers, grown, states);
  }
  const std::int64_t state = states.all();
  if (state >= is_out_of_range) {
    for (Index k = 0; k < at.tiles * tile_numbers; ++k) at.gamma[k] = old[k];
    return GroupChange::out_of_range;
  }
  largest = grown;
  return state != 0 ? GroupChange::some : GroupChange::none;
}

GroupChange accept(const GroupVectors& at, const double* updated, LaneLargest& largest) {
  LaneStates states;
  for (Index tile = 0; tile < at.tiles; ++tile) {
    if (at.lambda == 1.0)
      accept_tile<false>(tile_of(at, tile), updated + tile * tile_numbers, largest, states);
    else
      accept_tile<true>(tile_of(at, tile), updated + tile * tile_numbers, largest, states);
  }
  return states.all() != 0 ? GroupChange::some : GroupChange::none;
}

}  // namespace

const GroupLoops group_loops{relax, accept};

}  // namespace ccp::CCP_INSTRUCTION_SET
