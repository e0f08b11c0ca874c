#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "core/constraints.hpp"
#include "core/types.hpp"

/// Loops over the rows of a few blocks, to be inlined into functions that exist once for each instruction set. Plain loops
/// over pointers that do not overlap: the compiler makes vector code of them, of the width that the function is for. Each
/// pointer is to the first row, or the first block, of the range.
namespace ccp {

/// Rows of the blocks [begin, end).
inline Index count_rows(const ConstraintSet& set, Index begin, Index end) {
  return set.offsets()[static_cast<std::size_t>(end)] - set.offset(begin);
}

/// rows_k = s_i for each row k of block i.
[[gnu::always_inline]] inline void repeat_by_rows(const ConstraintSet& set, Index begin, Index end,
                                                  const double* __restrict s, double* __restrict rows) {
  if (set.all_contacts_3d()) {
    for (Index i = 0; i < end - begin; ++i) rows[3 * i] = rows[3 * i + 1] = rows[3 * i + 2] = s[i];
    return;
  }
  const Index first = set.offset(begin);
  for (Index i = begin; i < end; ++i)
    for (Index k = set.offset(i) - first; k < set.offset(i + 1) - first; ++k) rows[k] = s[i - begin];
}

/// to_i = x_i − s_i (product_i + r_i), with one s_i for each block i.
[[gnu::always_inline]] inline void step_blocks(const ConstraintSet& set, Index begin, Index end, const double* __restrict x,
                                               const double* __restrict s, const double* __restrict product,
                                               const double* __restrict r, double* __restrict to) {
  if (set.all_contacts_3d()) {
    for (Index i = 0; i < end - begin; ++i) {
      to[3 * i] = x[3 * i] - s[i] * (product[3 * i] + r[3 * i]);
      to[3 * i + 1] = x[3 * i + 1] - s[i] * (product[3 * i + 1] + r[3 * i + 1]);
      to[3 * i + 2] = x[3 * i + 2] - s[i] * (product[3 * i + 2] + r[3 * i + 2]);
    }
    return;
  }
  const Index first = set.offset(begin);
  for (Index i = begin; i < end; ++i)
    for (Index k = set.offset(i) - first; k < set.offset(i + 1) - first; ++k)
      to[k] = x[k] - s[i - begin] * (product[k] + r[k]);
}

/// The larger one of |x| and a number whose bits are `most`. As integers, in whose order positive doubles are too: a maximum
/// of those may be taken in any order. A NaN does not count.
[[gnu::always_inline]] inline std::int64_t larger(std::int64_t most, double x) {
  const double size = std::abs(x);
  return std::max(most, size == size ? std::bit_cast<std::int64_t>(size) : 0);
}

/// The largest |x_k|; a NaN does not count.
[[gnu::always_inline]] inline double largest_entry(Index size, const double* x) {
  std::int64_t largest = 0;
  for (Index k = 0; k < size; ++k) largest = larger(largest, x[k]);
  return std::bit_cast<double>(largest);
}

}  // namespace ccp
