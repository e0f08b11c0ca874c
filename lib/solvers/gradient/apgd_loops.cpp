#include "solvers/gradient/apgd_loops.hpp"

#include "cones/product_cone.hpp"
#include "core/last_cache.hpp"
#include "solvers/blocks/block_loops.hpp"

namespace ccp {
namespace {

constexpr Index part = 64;  // blocks whose vectors, and all that is made of them, the nearest cache holds
constexpr Index most_rows = 3 * part;

/// x + β (x − previous)
[[gnu::always_inline]] inline double extrapolated(double x, double previous, double beta) {
  return x + beta * (x - previous);
}

/// A sum over the rows of several parts: for each place in a part its own, so that neither the number of additions under way
/// nor their order depends on the instruction set.
struct RowSum {
  double at[most_rows] = {};

  [[gnu::always_inline]] double total() {
    for (Index k = 0; k < 96; ++k) at[k] += at[k + 96];
    for (Index k = 0; k < 48; ++k) at[k] += at[k + 48];
    for (Index k = 0; k < 24; ++k) at[k] += at[k + 24];
    for (Index k = 0; k < 8; ++k) at[k] += at[k + 8] + at[k + 16];
    return ((at[0] + at[4]) + (at[2] + at[6])) + ((at[1] + at[5]) + (at[3] + at[7]));
  }
  static_assert(most_rows == 192);
};

/// Rows of the part from that block on, where they are to be fetched ahead.
[[gnu::always_inline]] inline Index rows_after(const ApgdVectors& at, Index begin) {
  return at.far ? count_rows(at.set, begin, std::min(begin + part, at.set.count())) : 0;
}

[[gnu::always_inline]] inline void project_part(const ApgdVectors& at, Index begin, Index end, RowSum& square,
                                                RowSum& slope) {
  const Index first = at.set.offset(begin), rows = count_rows(at.set, begin, end);
  const double *gamma = at.gamma + first, *previous = at.previous + first, *r = at.r + first;
  const double *product = at.product + first, *previous_product = at.previous_product + first;
  double* next = at.next + first;
  if (const Index later = rows_after(at, end)) {
    fetch(previous + rows, later);
    fetch(previous_product + rows, later);
    fetch_to_write(next + rows, later);
  }
  double y[most_rows], g[most_rows], moved[most_rows];
  for (Index k = 0; k < rows; ++k) {
    y[k] = extrapolated(gamma[k], previous[k], at.beta);
    g[k] = extrapolated(product[k], previous_product[k], at.beta) + r[k];
    moved[k] = y[k] - at.step * g[k];
  }
  project_blocks(at.set, begin, end, moved, next);
  for (Index k = 0; k < rows; ++k) {
    const double d = next[k] - y[k];
    square.at[k] += d * d;
    slope.at[k] += g[k] * (next[k] - gamma[k]);
  }
}

[[gnu::always_inline]] inline void curvature_part(const ApgdVectors& at, const double* next_product, Index begin, Index end,
                                                  RowSum& curvature) {
  const Index first = at.set.offset(begin), rows = count_rows(at.set, begin, end);
  const double *gamma = at.gamma + first, *previous = at.previous + first, *next = at.next + first;
  const double *product = at.product + first, *previous_product = at.previous_product + first;
  next_product += first;
  for (Index k = 0; k < rows; ++k) {
    const double d = next[k] - extrapolated(gamma[k], previous[k], at.beta);
    curvature.at[k] += d * (next_product[k] - extrapolated(product[k], previous_product[k], at.beta));
  }
}

[[gnu::always_inline]] inline void residual_part(const ApgdVectors& at, Index begin, Index end, RowSum& squares) {
  const Index first = at.set.offset(begin), rows = count_rows(at.set, begin, end);
  const double *gamma = at.gamma + first, *product = at.product + first, *r = at.r + first, *scale = at.scale + begin;
  if (const Index later = rows_after(at, end)) {
    fetch(gamma + rows, later);
    fetch(r + rows, later);
    fetch(scale + (end - begin), std::min(part, at.set.count() - end));
  }
  double moved[most_rows], nearest[most_rows], inverse[part];
  repeat_by_rows(at.set, begin, end, scale, moved);
  for (Index k = 0; k < rows; ++k) moved[k] = gamma[k] - moved[k] * (product[k] + r[k]);
  project_blocks(at.set, begin, end, moved, nearest);
  for (Index i = 0; i < end - begin; ++i) inverse[i] = 1.0 / scale[i];
  repeat_by_rows(at.set, begin, end, inverse, moved);
  for (Index k = 0; k < rows; ++k) {
    const double apart = (gamma[k] - nearest[k]) * moved[k];
    squares.at[k] += apart * apart;
  }
}

[[gnu::always_inline]] inline void distance_part(Index size, double beta, const double* a, const double* b, const double* c,
                                                 RowSum& squares) {
  for (Index k = 0; k < size; ++k) {
    const double apart = a[k] - extrapolated(b[k], c[k], beta);
    squares.at[k] += apart * apart;
  }
}

// One set of functions per instruction set: the loops are inlined into them.
#define CCP_APGD_LOOPS(name, ...)                                                                                       \
  __VA_ARGS__ BlockPass::Sums<2> project_##name(const ApgdVectors& at, Index begin, Index end) {                        \
    RowSum square, slope;                                                                                               \
    for (; begin < end; begin += part) project_part(at, begin, std::min(begin + part, end), square, slope);             \
    return {square.total(), slope.total()};                                                                             \
  }                                                                                                                     \
  __VA_ARGS__ BlockPass::Sums<1> curvature_##name(const ApgdVectors& at, const double* next_product, Index begin,       \
                                                  Index end) {                                                          \
    RowSum curvature;                                                                                                   \
    for (; begin < end; begin += part) curvature_part(at, next_product, begin, std::min(begin + part, end), curvature); \
    return {curvature.total()};                                                                                         \
  }                                                                                                                     \
  __VA_ARGS__ BlockPass::Sums<1> residual_##name(const ApgdVectors& at, Index begin, Index end) {                       \
    RowSum squares;                                                                                                     \
    for (; begin < end; begin += part) residual_part(at, begin, std::min(begin + part, end), squares);                  \
    return {squares.total()};                                                                                           \
  }                                                                                                                     \
  __VA_ARGS__ double distance_##name(Index size, double beta, const double* a, const double* b, const double* c) {      \
    RowSum squares;                                                                                                     \
    for (Index k = 0; k < size; k += most_rows)                                                                         \
      distance_part(std::min(most_rows, size - k), beta, a + k, b + k, c + k, squares);                                 \
    return squares.total();                                                                                             \
  }                                                                                                                     \
  constexpr ApgdLoops loops_##name{project_##name, curvature_##name, residual_##name, distance_##name};

CCP_APGD_LOOPS(portable)
CCP_APGD_LOOPS(avx2, CCP_FOR_AVX2)
CCP_APGD_LOOPS(avx512, CCP_FOR_AVX512)
#undef CCP_APGD_LOOPS

}  // namespace

const ApgdLoops& apgd_loops(InstructionSet set) { return version_for(set, loops_portable, loops_avx2, loops_avx512); }

}  // namespace ccp
