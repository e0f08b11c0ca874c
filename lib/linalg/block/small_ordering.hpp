#pragma once

#include "linalg/block/ordering.hpp"

namespace ccp {

/// Rows that fit.
constexpr Index most_small_rows = 128;

/// The order of minimum degree, exact, of a graph of at most most_small_rows rows, with its structure: neighbours are bits
/// of two words, so that an elimination step is a few operations and allocates nothing. Rows alike are eliminated together.
BlockOrdering small_ordering(const BlockMatrix& A);

}  // namespace ccp
