#pragma once

#include <memory>
#include <optional>

#include "linalg/linear_solver.hpp"
#include "problem/block_partition.hpp"
#include "problem/group_inverse.hpp"

namespace ccp {

/// The inverse of the mass matrix H (n×n, positive definite): per-body inverses when H is symmetric and block-diagonal with
/// blocks of at most 6; dense inverses when its groups of dofs have at most GroupInverse::most_dofs; a sparse factorisation
/// (Cholesky; LU of an unsymmetric H) otherwise. The last two make one step of refinement.
class MassMatrix {
 public:
  /// kind: spd, or unsymmetric. Throws InputError when H is not positive definite; an unsymmetric one is when ½(H + Hᵀ) is.
  explicit MassMatrix(const SparseMatrix& H, MatrixKind kind = MatrixKind::spd);

  Index size() const { return size_; }
  bool symmetric() const { return !factor_ || factor_->kind() != MatrixKind::unsymmetric; }
  /// True when H is symmetric and splits into bodies of at most 6 dofs; blocks() is empty otherwise.
  bool block_diagonal() const { return size_ == 0 || !blocks_.empty(); }
  const BlockPartition& blocks() const { return blocks_; }
  /// H_b⁻¹ of body b, padded with zeros to 6×6, column by column.
  const double* block_inverse(Index block) const { return inverses_.data() + 36 * block; }
  /// L_b⁻¹ of body b, where H_b = L_b L_bᵀ (Cholesky), in the same layout.
  const double* block_inverse_root(Index block) const { return inverse_roots_.data() + 36 * block; }

  /// Free block_inverse(), with which it solves, and block_inverse_root(). Of a block-diagonal H; sizes and blocks() stay.
  void release_inverses() { inverses_ = {}; }
  void release_roots() { inverse_roots_ = {}; }

  /// Groups of dofs that can be solved for one by one: blocks(), or larger ones; none when H is factorised as a whole.
  const BlockPartition& groups() const { return small_groups_ ? small_groups_->groups() : blocks_; }
  /// part <- H_g⁻¹ part of one of groups(). No allocation.
  void solve_group(Index group, VectorRef part) const;

  /// x <- H⁻¹ rhs; NaN where rhs is not finite. rhs and x may be the same vector. No allocation when H has groups().
  void solve(ConstVectorRef rhs, VectorRef x) const;
  /// The same for all columns of X (n×k) at once: X <- H⁻¹X. Allocates.
  void solve_columns(DenseMatrix& X) const;

  /// Numbers that a solve with an H that is not block-diagonal goes through: of the sparse factor or of the inverses of its
  /// groups (0 otherwise).
  Index factor_nonzeros() const {
    if (small_groups_) return small_groups_->numbers();
    return factor_ ? factor_->info().factor_nonzeros : 0;
  }
  /// The sparse factor, where there is one and the linear solver shows it.
  std::optional<SupernodalFactor> factor() const { return factor_ ? factor_->supernodal_factor() : std::nullopt; }

 private:
  void invert_blocks(const SparseMatrix& H);

  Index size_ = 0;
  BlockPartition blocks_;
  Vector inverses_, inverse_roots_;
  std::optional<GroupInverse> small_groups_;
  std::unique_ptr<LinearSolver> factor_;
};

}  // namespace ccp
