#pragma once

#include <memory>
#include <vector>

#include "core/block_rows.hpp"
#include "core/constraints.hpp"
#include "core/types.hpp"
#include "problem/delassus/split_product.hpp"

namespace ccp {

/// The Delassus operator N = DᵀH⁻¹D + C (m×m, 1/kg), seen by the blocks of a ConstraintSet. Implementations: assembled
/// block-CSR (AssembledDelassus); factored by bodies (FactoredDelassus) and by solves with H (SolvedDelassus), which never
/// form N.
class DelassusOperator {
 public:
  explicit DelassusOperator(ConstraintSet constraints) : constraints_(std::move(constraints)) {}
  virtual ~DelassusOperator() = default;

  const ConstraintSet& constraints() const { return constraints_; }
  Index rows() const { return constraints_.rows(); }

  /// y <- N x; bit-identical for any number of threads. x and y must not overlap. No allocation.
  virtual void multiply(ConstVectorRef x, VectorRef y, int threads = 1) const = 0;

  /// The same in two halves. The operator must outlive what is returned.
  virtual std::unique_ptr<SplitProduct> split_product() const = 0;

  /// N_ii of block i in the leading rows(i)×rows(i) corner, zero elsewhere.
  virtual BlockSquare diagonal_block(Index block) const = 0;

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
  std::unique_ptr<SplitProduct> split_product() const override;
  BlockSquare diagonal_block(Index block) const override;
  std::size_t bytes() const override;

  /// (N x)_i of one block of `Rows` rows.
  template <int Rows>
  BlockVector<Rows> row_product(Index block, const double* x) const;

  /// Σ_j |N_ij||x_j| per scalar row (D.2, rounding floor).
  void multiply_absolute(ConstVectorRef x, VectorRef y) const;

  SparseMatrix to_sparse() const;

 private:
  class Split;
  void multiply_rows(BlockSpan span, ConstVectorRef x, VectorRef y) const;
  template <typename Kernel>
  void for_row_blocks(Index block, const Kernel& kernel) const;

  std::vector<Index> row_start_;   ///< count + 1
  std::vector<int> column_;        ///< block column of each stored block
  std::vector<Index> data_start_;  ///< first number of each stored block
  std::vector<double> data_;
  std::vector<Index> diagonal_;  ///< position of the diagonal block of each row
};

template <int Rows>
[[gnu::always_inline]] inline BlockVector<Rows> AssembledDelassus::row_product(Index block, const double* x) const {
  const auto i = uz(block);
  if constexpr (Rows == 2) {
    if (constraints().count(ConstraintKind::contact2d) == constraints().count()) {
      double sum0 = 0.0, sum1 = 0.0;
      for (Index k = row_start_[i]; k < row_start_[i + 1]; ++k) {
        const double* a = data_.data() + 4 * k;
        const double* p = x + 2 * column_[uz(k)];
        sum0 = sum0 + a[0] * p[0] + a[2] * p[1];
        sum1 = sum1 + a[1] * p[0] + a[3] * p[1];
      }
      return {sum0, sum1};
    }
  }
  if constexpr (Rows == 3) {
    if (constraints().all_contacts_3d()) {
      double sum0 = 0.0, sum1 = 0.0, sum2 = 0.0;
      for (Index k = row_start_[i]; k < row_start_[i + 1]; ++k) {
        const double* a = data_.data() + 9 * k;
        const double* p = x + 3 * column_[uz(k)];
        sum0 += a[0] * p[0] + a[3] * p[1] + a[6] * p[2];
        sum1 += a[1] * p[0] + a[4] * p[1] + a[7] * p[2];
        sum2 += a[2] * p[0] + a[5] * p[1] + a[8] * p[2];
      }
      return {sum0, sum1, sum2};
    }
  }
  BlockVector<Rows> sum = BlockVector<Rows>::Zero();
  for (Index k = row_start_[i]; k < row_start_[i + 1]; ++k) {
    const Index j = column_[uz(k)];
    const double* a = data_.data() + data_start_[uz(k)];
    for (const double *p = x + constraints().offset(j), *end = p + constraints().rows(j); p < end; ++p, a += Rows)
      for (int r = 0; r < Rows; ++r) sum[r] += a[r] * *p;
  }
  return sum;
}

}  // namespace ccp
