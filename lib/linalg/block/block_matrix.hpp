#pragma once

#include <optional>
#include <vector>

#include "core/constraints.hpp"
#include "core/types.hpp"

namespace ccp {

/// A square matrix of 3×3 blocks in compressed rows, one block row per constraint. Constraints with fewer than 3 rows are
/// padded with zeros, so that every kernel has one size. The pattern is made symmetric (missing blocks are zero) and holds
/// the diagonal: what a factorisation without pivoting between blocks needs. Blocks are column-major; those of a row are
/// sorted by column.
struct BlockMatrix {
  std::vector<int> row_start;  ///< rows + 1
  std::vector<int> column;     ///< block column of each stored block
  std::vector<Matrix3> block;  ///< the blocks
  std::vector<int> diagonal;   ///< position of the diagonal block of each row
  int width = 3;               ///< 2 where no constraint has three rows: the last row and column of all blocks are padding

  Index rows() const { return std::ssize(diagonal); }
  const Matrix3& diagonal_block(Index i) const { return block[uz(diagonal[uz(i)])]; }

  /// y <- A x on padded vectors (3·rows() entries, unit of A times that of x); y must not overlap x.
  void multiply(const Vector& x, Vector& y) const;
};

/// The blocks of a scalar matrix (m×m, m = constraints.rows()).
BlockMatrix block_matrix(const ConstraintSet& constraints, const SparseMatrix& scalar);

/// The places of the 3×3 blocks of a scalar matrix between contacts in space, of which each row has the columns that it has
/// rows of, as in N: one pass, much faster than for other matrices. As in BlockMatrix.
class ContactBlocks {
 public:
  /// Nothing where a block is not 3×3 or a diagonal block is missing. The matrix must outlive the result.
  static std::optional<ContactBlocks> of(const ConstraintSet& constraints, const SparseMatrix& scalar);
  /// Writes the blocks, 9 numbers each, column-major. False where the pattern of the blocks is not symmetric after all.
  bool copy(double* numbers) const;

  std::vector<int> row_start, column, diagonal;

 private:
  explicit ContactBlocks(const SparseMatrix& scalar) : scalar_(&scalar) {}

  const SparseMatrix* scalar_;
  std::vector<char> whole_;  ///< of each block column, whether all entries of its blocks are stored
};

/// Padded vectors: 3 entries a constraint, those beyond its rows zero. Sizes m and 3·count, asserted.
void pad(const ConstraintSet& constraints, const Vector& x, Vector& padded);
void unpad(const ConstraintSet& constraints, const Vector& padded, Vector& x);

}  // namespace ccp
