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

constexpr int tails = 12, pair_numbers = 18, contact_numbers = 36;

/// Where the three numbers of contact k are, the first one and how far the others are apart, with each contact by itself or
/// in lanes; and whether what comes is fetched ahead.
struct RowPlaces {
  static constexpr Index apart = 1;
  static constexpr bool ahead = false;
  const int* place;
  Index first(Index k) const { return 3 * Index{place[k]}; }
};
struct LanePlaces {
  static constexpr Index apart = lane_count;
  static constexpr bool ahead = true;
  static Index first(Index k) { return lane_place(k); }
};

template <typename Places>
void find_all(const ContactPairs& pairs, Index count, Places places, const double* w, double* u) {
  const double* a = pairs.numbers;
  const int* body = pairs.body;
  for (Index k = 0; k < count; ++k, a += contact_numbers, body += 2) {
    const double *b = a + pair_numbers, *wa = w + body[0], *wb = w + body[1];
    if constexpr (Places::ahead) fetch(a + pairs_ahead * contact_numbers, contact_numbers);
    const Four va = four(wa), vb = four(wb);
    const Two ta = two(wa + 4), tb = two(wb + 4);
    const Four head0 = four(a) * va + four(b) * vb;
    const Four head1 = four(a + 4) * va + four(b + 4) * vb;
    const Four head2 = four(a + 8) * va + four(b + 8) * vb;
    const Four tail01 = four(a + tails) * __builtin_shufflevector(ta, ta, 0, 1, 0, 1) +
                        four(b + tails) * __builtin_shufflevector(tb, tb, 0, 1, 0, 1);
    const Two tail2 = two(a + tails + 4) * ta + two(b + tails + 4) * tb;
    const Four sum01 =
        __builtin_shufflevector(head0, head1, 0, 1, 4, 5) + __builtin_shufflevector(head0, head1, 2, 3, 6, 7) + tail01;
    const Two sum2 = __builtin_shufflevector(head2, head2, 0, 1) + __builtin_shufflevector(head2, head2, 2, 3) + tail2;
    double* to = u + places.first(k);
    to[0] = sum01[0] + sum01[1];
    to[Places::apart] = sum01[2] + sum01[3];
    to[2 * Places::apart] = sum2[0] + sum2[1];
  }
}

/// w += of one body and the impulse (g0, g1, g2).
inline void add_side(const double* a, double g0, double g1, double g2, double* w) {
  four(w) += four(a) * g0 + four(a + 4) * g1 + four(a + 8) * g2;
  two(w + 4) += two(a + tails) * g0 + two(a + tails + 2) * g1 + two(a + tails + 4) * g2;
}

template <typename Places>
void add_all(const ContactPairs& pairs, Index count, Places places, const double* gamma, double* w) {
  const double* a = pairs.numbers;
  const int* body = pairs.body;
  for (Index k = 0; k < count; ++k, a += contact_numbers, body += 2) {
    const double* from = gamma + places.first(k);
    const double g0 = from[0], g1 = from[Places::apart], g2 = from[2 * Places::apart];
    add_side(a, g0, g1, g2, w + body[0]);
    add_side(a + pair_numbers, g0, g1, g2, w + body[1]);
  }
}

void find_velocities(const ContactPairs& pairs, Index count, const int* place, const double* w, double* u) {
  find_all(pairs, count, RowPlaces{place}, w, u);
}
void add_impulses(const ContactPairs& pairs, Index count, const int* place, const double* gamma, double* w) {
  add_all(pairs, count, RowPlaces{place}, gamma, w);
}
void add_sides(const ContactPairs& pairs, Index count, const int* side, const int* place, const double* gamma, double* w) {
  for (Index k = 0; k < count; ++k) {
    const Index s = side[k];
    const double* from = gamma + 3 * Index{place[s / 2]};
    add_side(pairs.numbers + pair_numbers * s, from[0], from[1], from[2], w + pairs.body[s]);
  }
}
void find_lanes(const ContactPairs& pairs, Index count, const double* w, double* u) {
  find_all(pairs, count, LanePlaces{}, w, u);
}
void add_lanes(const ContactPairs& pairs, Index count, const double* gamma, double* w) {
  add_all(pairs, count, LanePlaces{}, gamma, w);
}

}  // namespace

const PairLoops pair_loops{find_velocities, add_impulses, add_sides, find_lanes, add_lanes};

}  // namespace ccp::CCP_INSTRUCTION_SET
