#pragma once

#include "core/block_rows.hpp"
#include "core/constraints.hpp"
#include "core/types.hpp"

namespace ccp {

/// The entries of one constraint in a vector of m, padded with zeros: to 3, or to most_rows where contacts have moments.
template <int Rows = 3>
BlockVector<Rows> padded_block(const ConstraintSet& set, const Vector& x, Index i) {
  if (set.rows(i) == Rows) return x.segment<Rows>(set.offset(i));
  BlockVector<Rows> value = BlockVector<Rows>::Zero();
  for (Index row = 0; row < set.rows(i); ++row) value[row] = x[set.offset(i) + row];
  return value;
}

/// Writes them back.
template <typename Padded>
void put_block(const ConstraintSet& set, Vector& x, Index i, const Eigen::MatrixBase<Padded>& padded) {
  constexpr int Rows = Padded::RowsAtCompileTime;
  const BlockVector<Rows> value = padded;
  if (set.rows(i) == Rows)
    x.segment<Rows>(set.offset(i)) = value;
  else
    for (Index row = 0; row < set.rows(i); ++row) x[set.offset(i) + row] = value[row];
}

}  // namespace ccp
