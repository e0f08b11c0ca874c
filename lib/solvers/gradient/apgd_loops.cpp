#include "solvers/gradient/apgd_loops.hpp"

#include "cones/product_cone.hpp"
#include "solvers/gradient/block_loops.hpp"

namespace ccp {
namespace {

constexpr Index part = 64;  // blocks whose vectors, and all that is made of them, the nearest cache holds
constexpr Index most_rows = 3 * part;

/// x + β (x − previous)
[[gnu::always_inline]] inline double extrapolated(double x, double previous, double beta) {
  return x + beta * (x - previous);
}

/// Adds up the shares of blocks, all sums at once: one alone would wait for each of its additions.
template <std::size_t Count>
[[gnu::always_inline]] inline void add_shares(Index blocks, const double (&shares)[Count][part],
                                              BlockPass::Sums<Count>& sums) {
  for (Index i = 0; i < blocks; ++i)
    for (std::size_t s = 0; s < Count; ++s) sums[s] += shares[s][i];
}

[[gnu::always_inline]] inline void project_part(const ApgdVectors& at, Index begin, Index end, BlockPass::Sums<2>& sums) {
  const Index first = at.set.offset(begin), rows = count_rows(at.set, begin, end);
  const double *gamma = at.gamma + first, *previous = at.previous + first, *r = at.r + first;
  const double *product = at.product + first, *previous_product = at.previous_product + first;
  double* next = at.next + first;
  double y[most_rows], g[most_rows], moved[most_rows], shares[2][part];
  for (Index k = 0; k < rows; ++k) {
    y[k] = extrapolated(gamma[k], previous[k], at.beta);
    g[k] = extrapolated(product[k], previous_product[k], at.beta) + r[k];
    moved[k] = y[k] - at.step * g[k];
  }
  project_blocks(at.set, begin, end, moved, next);
  for (Index k = 0; k < rows; ++k) {
    const double d = next[k] - y[k];
    y[k] = d * d;
    g[k] = g[k] * (next[k] - gamma[k]);
  }
  sum_blocks(at.set, begin, end, y, shares[0]);
  sum_blocks(at.set, begin, end, g, shares[1]);
  add_shares(end - begin, shares, sums);
}

[[gnu::always_inline]] inline void examine_part(const ApgdVectors& at, Index begin, Index end, BlockPass::Sums<3>& sums) {
  const Index first = at.set.offset(begin), rows = count_rows(at.set, begin, end);
  const double *gamma = at.gamma + first, *previous = at.previous + first, *r = at.r + first;
  const double *product = at.product + first, *previous_product = at.previous_product + first;
  const double *next = at.next + first, *next_product = at.next_product + first, *scale = at.scale + begin;
  double along[most_rows], squares[most_rows], moved[most_rows], nearest[most_rows], shares[3][part];
  repeat_by_rows(at.set, begin, end, scale, moved);
  for (Index k = 0; k < rows; ++k) {
    const double d = next[k] - extrapolated(gamma[k], previous[k], at.beta);
    const double change = next_product[k] - extrapolated(product[k], previous_product[k], at.beta);
    along[k] = d * change;
    squares[k] = next[k] * next[k];
    moved[k] = next[k] - moved[k] * (next_product[k] + r[k]);
  }
  project_blocks(at.set, begin, end, moved, nearest);
  for (Index k = 0; k < rows; ++k) {
    const double difference = next[k] - nearest[k];
    nearest[k] = difference * difference;
  }
  sum_blocks(at.set, begin, end, along, shares[0]);
  sum_blocks(at.set, begin, end, squares, shares[1]);
  sum_blocks(at.set, begin, end, nearest, shares[2]);
  for (Index i = 0; i < end - begin; ++i) shares[2][i] /= scale[i] * scale[i];
  add_shares(end - begin, shares, sums);
}

// One set of functions per instruction set: the loops are inlined into them.
#define CCP_APGD_LOOPS(name, ...)                                                                  \
  __VA_ARGS__ BlockPass::Sums<2> project_##name(const ApgdVectors& at, Index begin, Index end) {   \
    BlockPass::Sums<2> sums{};                                                                     \
    for (; begin < end; begin += part) project_part(at, begin, std::min(begin + part, end), sums); \
    return sums;                                                                                   \
  }                                                                                                \
  __VA_ARGS__ BlockPass::Sums<3> examine_##name(const ApgdVectors& at, Index begin, Index end) {   \
    BlockPass::Sums<3> sums{};                                                                     \
    for (; begin < end; begin += part) examine_part(at, begin, std::min(begin + part, end), sums); \
    return sums;                                                                                   \
  }                                                                                                \
  constexpr ApgdLoops loops_##name{project_##name, examine_##name};

CCP_APGD_LOOPS(portable)
CCP_APGD_LOOPS(avx2, CCP_FOR_AVX2)
CCP_APGD_LOOPS(avx512, CCP_FOR_AVX512)
#undef CCP_APGD_LOOPS

}  // namespace

const ApgdLoops& apgd_loops(InstructionSet set) { return version_for(set, loops_portable, loops_avx2, loops_avx512); }

}  // namespace ccp
