#include "solvers/fixed_point/jacobi_loop.hpp"

#include "cones/product_cone.hpp"
#include "solvers/blocks/block_loops.hpp"

namespace ccp {
namespace {

[[gnu::always_inline]] inline void average(Index rows, double lambda, const double* __restrict old, double* __restrict next,
                                           double* __restrict change) {
  for (Index k = 0; k < rows; ++k) {
    next[k] = lambda * next[k] + (1.0 - lambda) * old[k];
    change[k] = next[k] - old[k];
  }
}

// In loops of few operations, of which a processor has several at work at a time.
[[gnu::always_inline]] inline Largest update_body(const JacobiVectors& at, Index begin, Index end) {
  const Index first = at.set.offset(begin), rows = count_rows(at.set, begin, end);
  const double* gamma = at.gamma + first;
  double* next = at.next + first;
  double moved[3 * jacobi_chunk], change[3 * jacobi_chunk];
  step_blocks(at.set, begin, end, gamma, at.step + begin, next, at.r + first, moved);
  project_blocks(at.set, begin, end, moved, next);
  average(rows, at.lambda, gamma, next, change);
  return {largest_entry(rows, change), largest_entry(rows, next)};
}

// One function per instruction set: the loops are inlined into it.
Largest update_portable(const JacobiVectors& at, Index begin, Index end) { return update_body(at, begin, end); }
CCP_FOR_AVX2 Largest update_avx2(const JacobiVectors& at, Index begin, Index end) { return update_body(at, begin, end); }
CCP_FOR_AVX512 Largest update_avx512(const JacobiVectors& at, Index begin, Index end) { return update_body(at, begin, end); }

}  // namespace

JacobiLoop jacobi_loop(InstructionSet set) {
  return version_for<JacobiLoop>(set, update_portable, update_avx2, update_avx512);
}

}  // namespace ccp
