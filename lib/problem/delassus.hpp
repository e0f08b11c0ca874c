#pragma once

#include <vector>

#include "core/constraints.hpp"
#include "core/types.hpp"

namespace ccp {

/// The Delassus operator N = DᵀH⁻¹D + C (m×m, 1/kg), seen by the blocks of a ConstraintSet. Implementations: assembled
/// block-CSR (AssembledDelassus) and factored (FactoredDelassus), which never forms N.
class DelassusOperator {
 public:
  explicit DelassusOperator(ConstraintSet constraints) : constraints_(std::move(constraints)) {}
  virtual ~DelassusOperator() = default;

  const ConstraintSet& constraints() const { return constraints_; }
  Index rows() const { return constraints_.rows(); }

  /// y <- N x; bit-identical for any number of threads. x and y must not overlap. No allocation.
  virtual void multiply(ConstVectorRef x, VectorRef y, int threads = 1) const = 0;

  /// N_ii of block i in the leading rows(i)×rows(i) corner, zero elsewhere.
  virtual Matrix3 diagonal_block(Index block) const = 0;

  /// Stored numbers, for reports of memory (bytes).
  virtual std::size_t bytes() const = 0;

 private:
  ConstraintSet constraints_;
};

/// N stored by dense blocks, rows of blocks in compressed form (block-CSR): 3×3 between 3D contacts. Each block is
/// column-major; blocks of a row are sorted by column; the diagonal block is always stored.
class AssembledDelassus final : public DelassusOperator {
 public:
  /// From a scalar sparse matrix (m×m); blocks with any stored entry are kept.
  AssembledDelassus(ConstraintSet constraints, const SparseMatrix& N);

  void multiply(ConstVectorRef x, VectorRef y, int threads = 1) const override;
  Matrix3 diagonal_block(Index block) const override;
  std::size_t bytes() const override;

  /// (N x)_i in the leading rows(i) components, zero elsewhere.
  Vector3 row_product(Index block, const double* x) const;

  /// Σ_j |N_ij||x_j| per scalar row (E13, rounding floor).
  void multiply_absolute(ConstVectorRef x, VectorRef y) const;

  SparseMatrix to_sparse() const;

 private:
  template <typename Kernel>
  void for_row_blocks(Index block, const Kernel& kernel) const;

  std::vector<Index> row_start_;   ///< count + 1
  std::vector<int> column_;        ///< block column of each stored block
  std::vector<Index> data_start_;  ///< first number of each stored block
  std::vector<double> data_;
  std::vector<Index> diagonal_;  ///< position of the diagonal block of each row
};

}  // namespace ccp
