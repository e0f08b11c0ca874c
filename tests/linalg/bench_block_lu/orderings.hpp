#pragma once

#include <string>
#include <vector>

#include "linalg/block/block_matrix.hpp"

namespace ccp::testing {

/// What an order of elimination costs, and what it took to find it.
struct OrderingCost {
  std::string name;
  double seconds = 0.0;        ///< median
  double mega_nonzeros = 0.0;  ///< of L + U, scalar, diagonal once
  double giga_flops = 0.0;     ///< multiplications and additions of an LU
};

/// best_ordering() beside minimum degree and nested dissection on the graph of the blocks and on that of the scalar rows,
/// each timed so many times, in turns. Libraries that are missing are left out.
std::vector<OrderingCost> compare_orderings(const BlockMatrix& blocks, const SparseMatrix& scalar, int repeats);

}  // namespace ccp::testing
