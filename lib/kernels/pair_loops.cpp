#include "kernels/pair_loops.hpp"

#include "kernels/fetch.hpp"
#include "kernels/tables.hpp"

namespace ccp::CCP_INSTRUCTION_SET {
namespace {

// Four and two neighbours in the memory. Where a processor has no registers of four, the compiler takes two of two: the
// order of the additions is what is written, and the same for all.
using Four [[gnu::vector_size(32), gnu::aligned(8), gnu::may_alias]] = double;
using Two [[gnu::vector_size(16), gnu::aligned(8), gnu::may_alias]] = double;

// Accesses by reference: a vector as argument would be passed differently for each set, of which compilers warn.
inline const Four& four(const double* p) { return *reinterpret_cast<const Four*>(p); }
inline Four& four(double* p) { return *reinterpret_cast<Four*>(p); }
inline const Two& two(const double* p) { return *reinterpret_cast<const Two*>(p); }
inline Two& two(double* p) { return *reinterpret_cast<Two*>(p); }

/// Of a block of so many columns: where the last two numbers of its columns start, and how many numbers it has.
constexpr int tails(int rows) { return 4 * rows; }
constexpr int pair_numbers(int rows) { return 6 * rows; }

/// Where the numbers of contact k are, the first one and how far the others are apart, with each contact by itself or
/// in lanes; and whether what comes is fetched ahead.
template <int Rows>
struct RowPlaces {
  static constexpr Index apart = 1;
  static constexpr bool ahead = false;
  const int* place;
  Index first(Index k) const { return Rows * Index{place[k]}; }
};
template <int Rows>
struct LanePlaces {
  static constexpr Index apart = lane_count;
  static constexpr bool ahead = true;
  static Index first(Index k) { return lane_place(k, Rows); }
};

template <int Rows, typename Places>
void find_all(const ContactPairs& pairs, Index count, Places places, const double* w, double* u) {
  constexpr int tail = tails(Rows), other = pair_numbers(Rows), both = 2 * other;
  const double* a = pairs.numbers;
  const int* body = pairs.body;
  for (Index k = 0; k < count; ++k, a += both, body += 2) {
    const double *b = a + other, *wa = w + body[0], *wb = w + body[1];
    if constexpr (Places::ahead) fetch(a + pairs_ahead * both, both);
    const Four va = four(wa), vb = four(wb);
    const Two ta = two(wa + 4), tb = two(wb + 4);
    const Four head0 = four(a) * va + four(b) * vb;
    const Four head1 = four(a + 4) * va + four(b + 4) * vb;
    const Four tail01 = four(a + tail) * __builtin_shufflevector(ta, ta, 0, 1, 0, 1) +
                        four(b + tail) * __builtin_shufflevector(tb, tb, 0, 1, 0, 1);
    const Four sum01 =
        __builtin_shufflevector(head0, head1, 0, 1, 4, 5) + __builtin_shufflevector(head0, head1, 2, 3, 6, 7) + tail01;
    [[maybe_unused]] Two sum2;
    if constexpr (Rows == 3) {
      const Four head2 = four(a + 8) * va + four(b + 8) * vb;
      const Two tail2 = two(a + tail + 4) * ta + two(b + tail + 4) * tb;
      sum2 = __builtin_shufflevector(head2, head2, 0, 1) + __builtin_shufflevector(head2, head2, 2, 3) + tail2;
    }
    double* to = u + places.first(k);
    to[0] = sum01[0] + sum01[1];
    to[Places::apart] = sum01[2] + sum01[3];
    if constexpr (Rows == 3) to[2 * Places::apart] = sum2[0] + sum2[1];
  }
}

/// The numbers of an impulse, so far apart; g2 is zero and unused in the plane.
template <int Rows>
struct Impulse {
  double g0, g1, g2;
  [[gnu::always_inline]] Impulse(const double* gamma, Index apart)
      : g0(gamma[0]), g1(gamma[apart]), g2(Rows == 3 ? gamma[2 * apart] : 0.0) {}
};

/// w += of one body and the impulse.
template <int Rows>
[[gnu::always_inline]] inline void add_side(const double* a, const Impulse<Rows>& gamma, double* w) {
  constexpr int tail = tails(Rows);
  const auto [g0, g1, g2] = gamma;
  if constexpr (Rows == 3) {
    four(w) += four(a) * g0 + four(a + 4) * g1 + four(a + 8) * g2;
    two(w + 4) += two(a + tail) * g0 + two(a + tail + 2) * g1 + two(a + tail + 4) * g2;
  } else {
    four(w) += four(a) * g0 + four(a + 4) * g1;
    two(w + 4) += two(a + tail) * g0 + two(a + tail + 2) * g1;
  }
}

template <int Rows, typename Places>
void add_all(const ContactPairs& pairs, Index count, Places places, const double* gamma, double* w) {
  constexpr int other = pair_numbers(Rows);
  const double* a = pairs.numbers;
  const int* body = pairs.body;
  for (Index k = 0; k < count; ++k, a += 2 * other, body += 2) {
    const Impulse<Rows> impulse(gamma + places.first(k), Places::apart);
    add_side(a, impulse, w + body[0]);
    add_side(a + other, impulse, w + body[1]);
  }
}

template <int Rows>
void add_listed(const ContactPairs& pairs, Index count, const int* side, const int* place, const double* gamma, double* w) {
  for (Index k = 0; k < count; ++k) {
    const Index s = side[k];
    const Impulse<Rows> impulse(gamma + Rows * Index{place[s / 2]}, 1);
    add_side(pairs.numbers + pair_numbers(Rows) * s, impulse, w + pairs.body[s]);
  }
}

void find_velocities(const ContactPairs& pairs, Index count, const int* place, const double* w, double* u) {
  if (pairs.rows == 2) return find_all<2>(pairs, count, RowPlaces<2>{place}, w, u);
  find_all<3>(pairs, count, RowPlaces<3>{place}, w, u);
}
void add_impulses(const ContactPairs& pairs, Index count, const int* place, const double* gamma, double* w) {
  if (pairs.rows == 2) return add_all<2>(pairs, count, RowPlaces<2>{place}, gamma, w);
  add_all<3>(pairs, count, RowPlaces<3>{place}, gamma, w);
}
void add_sides(const ContactPairs& pairs, Index count, const int* side, const int* place, const double* gamma, double* w) {
  if (pairs.rows == 2) return add_listed<2>(pairs, count, side, place, gamma, w);
  add_listed<3>(pairs, count, side, place, gamma, w);
}
template <int Rows>
void find_lanes(const ContactPairs& pairs, Index count, const double* w, double* u) {
  find_all<Rows>(pairs, count, LanePlaces<Rows>{}, w, u);
}
template <int Rows>
void add_lanes(const ContactPairs& pairs, Index count, const double* gamma, double* w) {
  add_all<Rows>(pairs, count, LanePlaces<Rows>{}, gamma, w);
}

}  // namespace

const PairLoops pair_loops{find_velocities, add_impulses,  add_sides,   find_lanes<3>,
                           add_lanes<3>,    find_lanes<2>, add_lanes<2>};

}  // namespace ccp::CCP_INSTRUCTION_SET
