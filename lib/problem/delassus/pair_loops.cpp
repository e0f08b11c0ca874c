#include "problem/delassus/pair_loops.hpp"

#include "core/last_cache.hpp"

namespace ccp {
namespace {

// Four and two neighbours in the memory. Where a processor has no registers of four, the compiler takes two of two: the
// order of the additions is what is written, and the same for all.
using Four [[gnu::vector_size(32), gnu::aligned(8), gnu::may_alias]] = double;
using Two [[gnu::vector_size(16), gnu::aligned(8), gnu::may_alias]] = double;

// Accesses by reference, so that no function has a vector as argument, which would be another one for each set.
inline const Four& four(const double* p) { return *reinterpret_cast<const Four*>(p); }
inline Four& four(double* p) { return *reinterpret_cast<Four*>(p); }
inline const Two& two(const double* p) { return *reinterpret_cast<const Two*>(p); }
inline Two& two(double* p) { return *reinterpret_cast<Two*>(p); }

constexpr int tails = 12, pair_numbers = 18, contact_numbers = 36;

/// Where the three numbers of contact k are, the first one and how far the others are apart: with each contact by itself, or
/// in lanes.
struct RowPlaces {
  static constexpr Index apart = 1;
  const int* place;
  Index first(Index k) const { return 3 * Index{place[k]}; }
};
struct LanePlaces {
  static constexpr Index apart = lane_count;
  static Index first(Index k) { return lane_place(k); }
};

namespace portable {
#define CCP_VERSION
#include "problem/delassus/pair_loops.inc"
#undef CCP_VERSION
}  // namespace portable

namespace avx2 {
#define CCP_VERSION CCP_FOR_AVX2
#include "problem/delassus/pair_loops.inc"
#undef CCP_VERSION
}  // namespace avx2

constexpr PairLoops portable_loops{portable::find_velocities, portable::add_impulses, portable::find_lanes,
                                   portable::add_lanes};
constexpr PairLoops avx2_loops{avx2::find_velocities, avx2::add_impulses, avx2::find_lanes, avx2::add_lanes};

}  // namespace

const PairLoops& pair_loops(InstructionSet set) { return version_for(set, portable_loops, avx2_loops, avx2_loops); }

}  // namespace ccp
