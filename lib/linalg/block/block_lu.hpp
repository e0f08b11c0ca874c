#pragma once

#include <cstdint>
#include <vector>

#include "kernels/kernels.hpp"
#include "linalg/block/block_matrix.hpp"
#include "linalg/block/ordering.hpp"

namespace ccp {

/// Sparse LU of matrices of 3×3 blocks with a symmetric pattern: one symbolic pass (approximate minimum degree on the graph
/// of the blocks), no pivoting between blocks, partial pivoting inside the pivots. The graph of the blocks is ordered
/// several times faster than that of the scalar rows, with as little fill, and a block is one unrolled product.
///
/// Rows may be identity rows (those of contacts that separate in a semismooth Newton step). Their unknowns are known before
/// the factorisation, so their rows and columns take no part in it.
class BlockLu {
 public:
  /// Symbolic factorisation for matrices with the pattern of A.
  explicit BlockLu(const BlockMatrix& A);
  /// The same in an order found before.
  explicit BlockLu(BlockOrdering ordering);

  /// Factorises the matrix with rows  scale_i A_i· + D_i on the diagonal, scale_i and D_i being 3×3; rows with identity[i]
  /// != 0 are the identity instead. False when a pivot is singular or not finite. The first call allocates
  /// the factors, later ones nothing.
  bool factorize(const BlockMatrix& A, const std::vector<Matrix3>& scale, const std::vector<Matrix3>& diagonal,
                 const std::vector<char>& identity);

  /// x <- solution of the factorised system for a padded right-hand side (3·rows entries; may be the same vector as x). No
  /// allocation.
  void solve(const Vector& rhs, Vector& x);

  /// Floating-point operations of one factorisation without identity rows (multiplications and additions).
  std::int64_t flops() const { return flops_; }
  /// Of one back-solve.
  double solve_flops() const { return 18.0 * static_cast<double>(column_.size() + rows_); }
  /// Bytes of the factors.
  std::size_t bytes() const { return (column_.size() + rows_) * sizeof(WideBlock); }

 private:
  void find_places(const BlockMatrix& A);

  std::size_t rows_ = 0;
  std::vector<int> order_;      ///< order_[new] = old
  std::vector<int> place_;      ///< place_[old] = new
  std::vector<int> row_start_;  ///< rows + 1, into column_ and data_: the filled pattern, by new rows
  std::vector<int> column_;     ///< new columns, sorted, without the diagonal
  std::vector<int> upper_;      ///< per row: first position with a column beyond the diagonal
  std::vector<int> target_;     ///< per block of A: its place in data_, −1 on the diagonal
  std::vector<WideBlock> data_;
  std::vector<WideBlock> pivot_inverse_;
  std::vector<char> identity_;  ///< by new rows
  std::vector<int> position_;   ///< per new column: its place in the row at work, −1 outside its pattern
  const BlockRowLoops& loops_ = kernels().block_rows;
  Vector work_;
  std::int64_t flops_ = 0;
};

}  // namespace ccp
