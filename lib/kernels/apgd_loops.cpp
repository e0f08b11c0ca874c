#include "kernels/apgd_loops.hpp"

#include "kernels/fetch.hpp"
#include "kernels/tables.hpp"

namespace ccp::CCP_INSTRUCTION_SET {
namespace {

constexpr Index part = 64;  // blocks whose vectors, and all that is made of them, the nearest cache holds
constexpr Index most_rows = 3 * part;
constexpr Index near = 1 << 15;  // blocks whose vectors stay in the last cache with N; those of more are fetched ahead

inline Index smaller(Index a, Index b) { return a < b ? a : b; }

/// x + β (x − previous)
inline double extrapolated(double x, double previous, double beta) { return x + beta * (x - previous); }

/// A sum over the rows of several parts: for each place in a part its own, so that neither the number of additions under way
/// nor their order depends on the instruction set.
struct RowSum {
  double at[most_rows] = {};

  double total() {
    for (Index k = 0; k < 96; ++k) at[k] += at[k + 96];
    for (Index k = 0; k < 48; ++k) at[k] += at[k + 48];
    for (Index k = 0; k < 24; ++k) at[k] += at[k + 24];
    for (Index k = 0; k < 8; ++k) at[k] += at[k + 8] + at[k + 16];
    return ((at[0] + at[4]) + (at[2] + at[6])) + ((at[1] + at[5]) + (at[3] + at[7]));
  }
  static_assert(most_rows == 192);
};

/// The blocks [begin, end) and their rows, and how many rows of the part behind them are to be fetched ahead.
struct Part {
  Index begin, end, first, rows, later;
};

/// visit(part) for the blocks [begin, end).
template <typename Visit>
void for_parts(const ApgdVectors& at, Index begin, Index end, const Visit& visit) {
  for (Index last = begin; begin < end; begin = last) {
    last = smaller(begin + part, end);
    const Index first = at.blocks.before(begin);
    if (at.blocks.before(last) - first > most_rows) last = begin + part / 2;  // blocks of up to six rows
    const Index rows = at.blocks.before(last) - first;
    const Index later =
        at.blocks.count > near ? at.blocks.before(smaller(last + part, at.blocks.count)) - (first + rows) : 0;
    visit(Part{begin, last, first, rows, later});
  }
}

/// rows_k = s_i for each row k of block i of the part.
void repeat_by_rows(const BlockRows& blocks, const Part& p, const double* __restrict s, double* __restrict rows) {
  if (blocks.offset == nullptr) {
    for (Index i = 0; i < p.end - p.begin; ++i) rows[3 * i] = rows[3 * i + 1] = rows[3 * i + 2] = s[i];
    return;
  }
  for (Index i = p.begin; i < p.end; ++i)
    for (Index k = blocks.before(i); k < blocks.before(i + 1); ++k) rows[k - p.first] = s[i - p.begin];
}

void project_part(const ApgdVectors& at, const Part& p, RowSum& square, RowSum& slope) {
  const double *gamma = at.gamma + p.first, *previous = at.previous + p.first, *r = at.r + p.first;
  const double *product = at.product + p.first, *previous_product = at.previous_product + p.first;
  double* next = at.next + p.first;
  if (p.later > 0) {
    fetch(previous + p.rows, p.later);
    fetch(previous_product + p.rows, p.later);
    fetch_to_write(next + p.rows, p.later);
  }
  double y[most_rows], g[most_rows], moved[most_rows];
  for (Index k = 0; k < p.rows; ++k) {
    y[k] = extrapolated(gamma[k], previous[k], at.beta);
    g[k] = extrapolated(product[k], previous_product[k], at.beta) + r[k];
    moved[k] = y[k] - at.step * g[k];
  }
  at.projection.project(at.projection.set, p.begin, p.end, moved, next);
  for (Index k = 0; k < p.rows; ++k) {
    const double d = next[k] - y[k];
    square.at[k] += d * d;
    slope.at[k] += g[k] * (next[k] - gamma[k]);
  }
}

void residual_part(const ApgdVectors& at, const Part& p, RowSum& squares) {
  const double *gamma = at.gamma + p.first, *product = at.product + p.first, *r = at.r + p.first;
  const double* scale = at.scale + p.begin;
  const Index count = p.end - p.begin;
  if (p.later > 0) {
    fetch(gamma + p.rows, p.later);
    fetch(r + p.rows, p.later);
    fetch(scale + count, smaller(part, at.blocks.count - p.end));
  }
  double moved[most_rows], nearest[most_rows], inverse[part];
  repeat_by_rows(at.blocks, p, scale, moved);
  for (Index k = 0; k < p.rows; ++k) moved[k] = gamma[k] - moved[k] * (product[k] + r[k]);
  at.projection.project(at.projection.set, p.begin, p.end, moved, nearest);
  for (Index i = 0; i < count; ++i) inverse[i] = 1.0 / scale[i];
  repeat_by_rows(at.blocks, p, inverse, moved);
  for (Index k = 0; k < p.rows; ++k) {
    const double apart = (gamma[k] - nearest[k]) * moved[k];
    squares.at[k] += apart * apart;
  }
}

void curvature_part(const ApgdVectors& at, const double* next_product, const Part& p, RowSum& curvature) {
  const double *gamma = at.gamma + p.first, *previous = at.previous + p.first, *next = at.next + p.first;
  const double *product = at.product + p.first, *previous_product = at.previous_product + p.first;
  next_product += p.first;
  for (Index k = 0; k < p.rows; ++k) {
    const double d = next[k] - extrapolated(gamma[k], previous[k], at.beta);
    curvature.at[k] += d * (next_product[k] - extrapolated(product[k], previous_product[k], at.beta));
  }
}

StepSums project(const ApgdVectors& at, Index begin, Index end) {
  RowSum square, slope;
  for_parts(at, begin, end, [&](const Part& p) { project_part(at, p, square, slope); });
  return {square.total(), slope.total()};
}

double curvature(const ApgdVectors& at, const double* next_product, Index begin, Index end) {
  RowSum sum;
  for_parts(at, begin, end, [&](const Part& p) { curvature_part(at, next_product, p, sum); });
  return sum.total();
}

double residual(const ApgdVectors& at, Index begin, Index end) {
  RowSum squares;
  for_parts(at, begin, end, [&](const Part& p) { residual_part(at, p, squares); });
  return squares.total();
}

double distance(Index size, double beta, const double* a, const double* b, const double* c) {
  RowSum squares;
  for (; size > 0; size -= most_rows, a += most_rows, b += most_rows, c += most_rows)
    for (Index k = 0; k < smaller(most_rows, size); ++k) {
      const double apart = a[k] - extrapolated(b[k], c[k], beta);
      squares.at[k] += apart * apart;
    }
  return squares.total();
}

}  // namespace

const ApgdLoops apgd_loops{project, curvature, residual, distance};

}  // namespace ccp::CCP_INSTRUCTION_SET
