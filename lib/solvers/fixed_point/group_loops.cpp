#include "solvers/fixed_point/group_loops.hpp"

#include <bit>
#include <cmath>
#include <cstdint>

#include "cones/common_projection.hpp"
#include "problem/block_order.hpp"
#include "solvers/gradient/block_loops.hpp"

namespace ccp {
namespace {

[[gnu::always_inline]] inline bool accept_rows(Index rows, double lambda, double* __restrict gamma,
                                               double* __restrict updated, double* __restrict delta, Largest& largest) {
  if (lambda != 1.0)
    for (Index k = 0; k < rows; ++k) updated[k] = lambda * updated[k] + (1.0 - lambda) * gamma[k];
  std::uint64_t any = 0;
  auto change = std::bit_cast<std::int64_t>(largest.change), impulse = std::bit_cast<std::int64_t>(largest.impulse);
  for (Index k = 0; k < rows; ++k) {
    const double moved = updated[k] - gamma[k];
    any |= std::bit_cast<std::uint64_t>(std::abs(moved));
    change = larger(change, moved);
    impulse = larger(impulse, updated[k]);
    delta[k] = moved;
    gamma[k] = updated[k];
  }
  largest = {std::bit_cast<double>(change), std::bit_cast<double>(impulse)};
  return any != 0;
}

[[gnu::always_inline]] inline bool relax_rows(Index count, const GroupVectors& at, const double* __restrict step,
                                              const double* __restrict friction, Largest& largest) {
  double moved[3 * group_size], updated[3 * group_size];
  const double *gamma = at.gamma, *product = at.product, *r = at.r;
  for (Index k = 0; k < 3 * count; ++k) moved[k] = gamma[k] - step[k] * (product[k] + r[k]);
  if (project_common_contacts(count, friction, moved, updated) > 0)
    project_contacts_one_by_one(count, friction, moved, updated);
  return accept_rows(3 * count, at.lambda, at.gamma, updated, at.delta, largest);
}

// Most groups are full: loops of a known length are straight code.
#define CCP_GROUP_LOOPS(name, ...)                                                                                      \
  __VA_ARGS__ bool relax_##name(const GroupVectors& at, const double* step, const double* friction, Largest& largest) { \
    if (at.count == group_size) return relax_rows(group_size, at, step, friction, largest);                             \
    return relax_rows(at.count, at, step, friction, largest);                                                           \
  }                                                                                                                     \
  __VA_ARGS__ bool accept_##name(const GroupVectors& at, double* updated, Largest& largest) {                           \
    if (at.count == group_size) return accept_rows(3 * group_size, at.lambda, at.gamma, updated, at.delta, largest);    \
    return accept_rows(3 * at.count, at.lambda, at.gamma, updated, at.delta, largest);                                  \
  }                                                                                                                     \
  constexpr GroupLoops loops_##name{relax_##name, accept_##name};

CCP_GROUP_LOOPS(portable)
CCP_GROUP_LOOPS(avx2, CCP_FOR_AVX2)
CCP_GROUP_LOOPS(avx512, CCP_FOR_AVX512)
#undef CCP_GROUP_LOOPS

}  // namespace

const GroupLoops& group_loops(InstructionSet set) { return version_for(set, loops_portable, loops_avx2, loops_avx512); }

}  // namespace ccp
