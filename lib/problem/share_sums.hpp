#pragma once

#include <array>
#include <cmath>
#include <functional>

#include "core/constraints.hpp"
#include "problem/share.hpp"

/// Sums and largest values over a problem or, where it is shared, over all ranks. share: null for a whole problem, whose
/// sums are formed in the order of its blocks or as Eigen does.
namespace ccp {

/// max that keeps a NaN, so that a diverged iterate never looks converged.
inline double max_or_nan(double a, double b) { return std::isnan(b) || b > a ? b : a; }

/// part(begin, end) of all chunks of all ranks, joined by combine(): within cells, then over the cells.
template <typename Combine, typename Part>
double over_chunks(const Share& share, const CellChunks& chunks, const Combine& combine, const Part& part) {
  std::array<double, cell_count> cells{};
  for (Index c = 0; c < chunks.count(); ++c) {
    double& cell = cells[uz(chunks.cell[uz(c)])];
    cell = combine(cell, part(chunks.start[uz(c)], chunks.start[uz(c) + 1]));
  }
  share.gather(cells);
  double all = 0.0;
  for (const double cell : cells) all = combine(all, cell);
  return all;
}

/// of_block(i) of all blocks, joined by combine(), from 0.
template <typename Combine, typename OfBlock>
double over_blocks(const Share* share, const ConstraintSet& set, const Combine& combine, const OfBlock& of_block) {
  const auto part = [&](Index begin, Index end) {
    double value = 0.0;
    for (Index i = begin; i < end; ++i) value = combine(value, of_block(i));
    return value;
  };
  return share != nullptr ? over_chunks(*share, share->blocks(), combine, part) : part(0, set.count());
}
template <typename OfBlock>
double sum_of_blocks(const Share* share, const ConstraintSet& set, const OfBlock& of_block) {
  return over_blocks(share, set, std::plus<>(), of_block);
}
template <typename OfBlock>
double largest_of_blocks(const Share* share, const ConstraintSet& set, const OfBlock& of_block) {
  return over_blocks(share, set, max_or_nan, of_block);
}

/// The sum of of_row(row) over the rows of all ranks.
template <typename OfRow>
double sum_of_rows(const Share& share, const ConstraintSet& set, const OfRow& of_row) {
  return over_blocks(&share, set, std::plus<>(), [&](Index i) {
    double sum = 0.0;
    for (Index row = set.offset(i); row < set.offset(i) + set.rows(i); ++row) sum += of_row(row);
    return sum;
  });
}

/// aᵀb of vectors with an entry for each row.
inline double dot(const Share* share, const ConstraintSet& set, const Vector& a, const Vector& b) {
  if (share == nullptr) return a.dot(b);
  return sum_of_rows(*share, set, [&](Index row) { return a[row] * b[row]; });
}
/// ‖x‖₂
inline double norm(const Share* share, const ConstraintSet& set, const Vector& x) {
  return share == nullptr ? x.norm() : std::sqrt(dot(share, set, x, x));
}
inline bool all_finite(const Share* share, const ConstraintSet& set, const Vector& x) {
  if (share == nullptr) return x.allFinite();
  return sum_of_rows(*share, set, [&](Index row) { return std::isfinite(x[row]) ? 0.0 : 1.0; }) == 0.0;
}
inline bool equal(const Share* share, const ConstraintSet& set, const Vector& a, const Vector& b) {
  if (share == nullptr) return a == b;
  return sum_of_rows(*share, set, [&](Index row) { return a[row] == b[row] ? 0.0 : 1.0; }) == 0.0;
}

}  // namespace ccp
