#pragma once

#include "problem/delassus.hpp"
#include "problem/mass_matrix.hpp"

namespace ccp {

/// N = DᵀH⁻¹D + C kept as its factors: 6×d blocks of D and of H⁻¹D per (constraint, body) pair, never forming N. Bodies with
/// fewer than 6 dofs are padded with zero rows; body velocities are vectors of 6·bodies() in that padded layout.
/// multiply() uses one internal scratch vector: one product at a time per object.
class FactoredDelassus final : public DelassusOperator {
 public:
  /// D: n×m; C: m×m, block-diagonal by constraint (may be empty, 0×0); mass: must be block_diagonal().
  FactoredDelassus(ConstraintSet constraints, const SparseMatrix& D, const SparseMatrix& C, const MassMatrix& mass);

  void multiply(ConstVectorRef x, VectorRef y, int threads = 1) const override;
  Matrix3 diagonal_block(Index block) const override;
  std::size_t bytes() const override;

  Index bodies() const { return static_cast<Index>(body_start_.size()) - 1; }
  Index padded_size() const { return 6 * bodies(); }

  /// D_iᵀ v + C_i γ_i of one block, v in the padded layout; rows beyond rows(block) are zero.
  Vector3 local_velocity(Index block, const double* body_velocity, const Vector3& impulse) const;
  /// v += H⁻¹ D_i Δγ_i, v in the padded layout.
  void add_impulse(Index block, const Vector3& delta, double* body_velocity) const;
  /// v <- H⁻¹ D γ in the padded layout.
  void body_velocity(ConstVectorRef impulse, double* v, int threads = 1) const;

  /// Pairs of constraints that share a body, as sorted block columns per block row (the pattern of N).
  std::vector<std::vector<int>> coupling() const;
  /// N_ij = D_iᵀ H⁻¹ D_j (+ C_ii), rows(i)×rows(j) in the leading corner.
  Matrix3 block(Index i, Index j) const;

 private:
  Index data_start(Index block) const { return data_start_[static_cast<std::size_t>(block)]; }
  void collect_pairs(const SparseMatrix& D, const BlockPartition& bodies);

  std::vector<Index> pair_start_;    ///< count + 1: first (constraint, body) pair of each constraint
  std::vector<int> pair_body_;       ///< body of each pair
  std::vector<Index> data_start_;    ///< first number of the pairs of each constraint, in jacobian_ and response_
  std::vector<double> jacobian_;     ///< D_ib
  std::vector<double> response_;     ///< H_b⁻¹ D_ib
  std::vector<Index> body_start_;    ///< bodies + 1: first pair of each body in body_pair_
  std::vector<int> body_block_;      ///< constraint of each pair, grouped by body
  std::vector<Index> body_data_;     ///< first number of that pair
  std::vector<Matrix3> compliance_;  ///< C_ii, empty when C = 0
  mutable Vector scratch_;
};

}  // namespace ccp
