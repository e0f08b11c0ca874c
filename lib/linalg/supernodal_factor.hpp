#pragma once

#include <span>

namespace ccp {

/// A Cholesky factor P A Pᵀ = L Lᵀ by supernodes, groups of consecutive columns with one pattern, as a linear solver holds
/// it (seen, not owned). With `begin = row_start[s]` and `end = row_start[s + 1]`, supernode s has the columns [first[s],
/// first[s + 1]) of L and the rows row[begin], …, row[end − 1], ascending, of which those of its own columns come first. Its
/// numbers start at value[value_start[s]], column by column, end − begin in each; those above the diagonal of L have no
/// meaning. L may hold explicit zeros.
struct SupernodalFactor {
  std::span<const int> order;  ///< n: the row of A that is row k of P A Pᵀ
  std::span<const int> first, row_start, value_start;
  std::span<const int> row;
  std::span<const double> value;
};

}  // namespace ccp
