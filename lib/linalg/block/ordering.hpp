#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "linalg/block/block_matrix.hpp"

namespace ccp {

/// A fill-reducing order of a block matrix with symmetric pattern, and the structure of its LU in that order.
struct BlockOrdering {
  std::vector<int> order;        ///< order[new] = old
  std::vector<int> upper_start;  ///< rows + 1, into upper
  std::vector<int> upper;        ///< new columns beyond the diagonal of all rows of U, one row after the other
  std::int64_t flops = 0;        ///< multiplications and additions of one factorisation
  const char* name = "";         ///< "minimum degree" or "nested dissection"

  /// New columns beyond the diagonal of a row of U, sorted.
  std::span<const int> beyond(std::size_t row) const {
    return {upper.data() + upper_start[row], upper.data() + upper_start[row + 1]};
  }
};

/// Operations of eliminating a row with so many blocks beyond the diagonal, those on the padding of blocks not counted.
inline std::int64_t row_flops(int width, std::int64_t beyond) {
  return std::int64_t{2} * width * width * width * beyond * (beyond + 1);
}

/// The cheaper of approximate minimum degree and, where the program has METIS (through CHOLMOD) and the graph is large
/// enough for it to matter, nested dissection.
BlockOrdering best_ordering(const BlockMatrix& A);

/// Up to 128 rows exact minimum degree, which is found sooner (small_ordering.hpp); else the same.
BlockOrdering quick_ordering(const BlockMatrix& A);

/// Nested dissection of a symmetric graph in compressed columns without values (both triangles, diagonal allowed): the
/// permutation, order[new] = old; empty where METIS is not there.
std::vector<int> nested_dissection_order(const std::vector<int>& start, const std::vector<int>& neighbour);

}  // namespace ccp
