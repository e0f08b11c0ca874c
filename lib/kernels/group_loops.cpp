#include "kernels/group_loops.hpp"

#include <cmath>
#include <cstdint>

#include "kernels/contact_projection.hpp"
#include "kernels/planar_contact.hpp"
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

template <int Rows>
[[gnu::always_inline]] inline ContactNumbers in_lane(const double* numbers, Index k) {
  return {numbers[k], numbers[k + lane_count], Rows == 3 ? numbers[k + 2 * lane_count] : 0.0};
}
template <int Rows>
[[gnu::always_inline]] inline void put(double* numbers, Index k, const ContactNumbers& contact) {
  numbers[k] = contact.n;
  numbers[k + lane_count] = contact.s;
  if constexpr (Rows == 3) numbers[k + 2 * lane_count] = contact.t;
}

/// The new γ of lane k of a tile, with its change.
template <int Rows, bool Average>
[[gnu::always_inline]] inline std::int64_t accept_lane(const GroupVectors& tile, Index k, const ContactNumbers& old,
                                                       const ContactNumbers& updated, LaneLargest& largest) {
  const NewNumber<Average> n(tile.lambda, old.n, updated.n), s(tile.lambda, old.s, updated.s),
      t(tile.lambda, old.t, updated.t);
  put<Rows>(tile.gamma, k, {n.next, s.next, t.next});
  put<Rows>(tile.delta, k, {n.moved, s.moved, t.moved});
  const double change = larger_size(larger_size(largest.change[k], n.moved), s.moved);
  const double impulse = larger_size(larger_size(largest.impulse[k], n.next), s.next);
  largest.change[k] = Rows == 3 ? larger_size(change, t.moved) : change;
  largest.impulse[k] = Rows == 3 ? larger_size(impulse, t.next) : impulse;
  const std::uint64_t bits = n.bits() | s.bits() | (Rows == 3 ? t.bits() : 0);
  return bits << 1 != 0 ? has_changed : 0;  // without the sign of a zero
}

/// To what a contact is changed: to Π(γ − η (N γ + r)),
struct ProjectedStep {
  template <int Rows>
  [[gnu::always_inline]] static bool update(const GroupVectors& tile, Index k, const ContactNumbers& before,
                                            const ContactNumbers& u, ContactNumbers& updated) {
    const double step = tile.step[k];
    return project_in_safe_range<Rows>(tile.friction[k],
                                       {before.n - step * u.n, before.s - step * u.s, before.t - step * u.t}, updated);
  }
};
/// or, in the plane, to its solution.
struct PlanarSolution {
  template <int Rows>
  [[gnu::always_inline]] static bool update(const GroupVectors& tile, Index k, const ContactNumbers& before,
                                            const ContactNumbers& u, ContactNumbers& updated) {
    const double* const N = tile.matrix + k;
    const double nn = N[0], tn = N[lane_count], nt = N[2 * lane_count], tt = N[3 * lane_count];
    const double w_n = u.n - (nn * before.n + nt * before.s), w_t = u.s - (tn * before.n + tt * before.s);
    PlanarImpulse gamma;
    const bool in_range = solve_planar({nn, tn, nt, tt, tile.friction[k], w_n, w_t}, gamma);
    updated = {gamma.n, gamma.t, 0.0};
    return in_range;
  }
};

/// A tile of change_all(), whose γ before are left in `old`: in one loop, which keeps a tile in registers.
template <typename Change, int Rows, bool Average>
[[gnu::always_inline]] inline void change_tile(const GroupVectors tile, double* old, LaneLargest& largest,
                                               LaneStates& states) {
#pragma GCC ivdep
  for (Index k = 0; k < lane_count; ++k) {
    const ContactNumbers before = in_lane<Rows>(tile.gamma, k), u = in_lane<Rows>(tile.product, k),
                         free = in_lane<Rows>(tile.r, k);
    put<Rows>(old, k, before);
    ContactNumbers updated;
    const bool in_range =
        Change::template update<Rows>(tile, k, before, {u.n + free.n, u.s + free.s, u.t + free.t}, updated);
    states.of[k] |= accept_lane<Rows, Average>(tile, k, before, updated, largest) | (in_range ? 0 : is_out_of_range);
  }
}

template <int Rows, bool Average>
[[gnu::always_inline]] inline void accept_tile(const GroupVectors tile, const double* updated, LaneLargest& largest,
                                               LaneStates& states) {
#pragma GCC ivdep
  for (Index k = 0; k < lane_count; ++k)
    states.of[k] |= accept_lane<Rows, Average>(tile, k, in_lane<Rows>(tile.gamma, k), in_lane<Rows>(updated, k), largest);
}

/// One of the tiles of a group.
template <int Rows>
[[gnu::always_inline]] inline GroupVectors tile_of(const GroupVectors& at, Index tile) {
  const Index lane = tile * lane_count, first = Rows * lane;
  return {1,
          at.lambda,
          at.gamma + first,
          at.delta + first,
          at.product + first,
          at.r + first,
          at.step + lane,
          at.friction + lane,
          at.matrix + 4 * lane};
}

template <typename Change, int Rows>
GroupChange change_all(const GroupVectors& at, LaneLargest& largest) {
  constexpr Index numbers = Rows * lane_count;
  double old[most_tiles * numbers];
  LaneStates states;
  LaneLargest grown = largest;
  for (Index tile = 0; tile < at.tiles; ++tile) {
    if (at.lambda == 1.0)
      change_tile<Change, Rows, false>(tile_of<Rows>(at, tile), old + tile * numbers, grown, states);
    else
      change_tile<Change, Rows, true>(tile_of<Rows>(at, tile), old + tile * numbers, grown, states);
  }
  const std::int64_t state = states.all();
  if (state >= is_out_of_range) {
    for (Index k = 0; k < at.tiles * numbers; ++k) at.gamma[k] = old[k];
    return GroupChange::out_of_range;
  }
  largest = grown;
  return state != 0 ? GroupChange::some : GroupChange::none;
}

template <int Rows>
GroupChange accept_all(const GroupVectors& at, const double* updated, LaneLargest& largest) {
  LaneStates states;
  for (Index tile = 0; tile < at.tiles; ++tile) {
    const double* const numbers = updated + tile * Rows * lane_count;
    if (at.lambda == 1.0)
      accept_tile<Rows, false>(tile_of<Rows>(at, tile), numbers, largest, states);
    else
      accept_tile<Rows, true>(tile_of<Rows>(at, tile), numbers, largest, states);
  }
  return states.all() != 0 ? GroupChange::some : GroupChange::none;
}

}  // namespace

const GroupLoops group_loops{{change_all<ProjectedStep, 3>, accept_all<3>},
                             {change_all<ProjectedStep, 2>, accept_all<2>},
                             change_all<PlanarSolution, 2>};

}  // namespace ccp::CCP_INSTRUCTION_SET
