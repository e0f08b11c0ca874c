#pragma once

#include <span>
#include <vector>

#include "core/block_rows.hpp"
#include "core/large_pages.hpp"
#include "problem/delassus.hpp"
#include "problem/mass_matrix.hpp"

namespace ccp {

/// N = DᵀH⁻¹D + C kept as its factors: 6×d blocks of D and of H⁻¹D per (constraint, body) pair, never forming N. Bodies with
/// fewer than 6 dofs are padded with zero rows; body velocities are vectors of padded_size() in that layout, 6 numbers a
/// body and 6 of an idle one, which stands in where a constraint has one body only, so that nearly all constraints have two.
/// multiply() uses one internal scratch vector: one product at a time per object.
class FactoredDelassus final : public DelassusOperator {
 public:
  /// D: n×m; C: m×m, block-diagonal by constraint (may be empty, 0×0); mass: must be block_diagonal().
  FactoredDelassus(ConstraintSet constraints, const SparseMatrix& D, const SparseMatrix& C, const MassMatrix& mass);

  void multiply(ConstVectorRef x, VectorRef y, int threads = 1) const override;
  void start_product(ConstVectorRef x, int threads = 1) const override { body_velocity(x, scratch_.data(), threads); }
  void finish_product(Index begin, Index end, ConstVectorRef x, VectorRef y) const override;
  Matrix3 diagonal_block(Index block) const override;
  std::size_t bytes() const override;

  Index bodies() const { return static_cast<Index>(body_start_.size()) - 1; }
  Index padded_size() const { return 6 * (bodies() + 1); }

  /// Whether a sweep finds the blocks in the memory, because they are too many for the last cache, and fetch_ahead pays:
  /// elsewhere it was measured to cost 5 to 10 % of the sweep.
  bool far() const { return far_; }
  /// Has the caches fetch what the sweep in order() needs some blocks after this one.
  template <int Rows>
  void fetch_ahead(Index block) const {
    fetch<Rows>(jacobian_.data() + data_start(block));
    fetch<Rows>(response_.data() + data_start(block));
  }
  /// D_iᵀ v + C_i γ_i of one block of `Rows` rows, v in the padded layout.
  template <int Rows>
  BlockVector<Rows> local_velocity(Index block, const double* body_velocity, const BlockVector<Rows>& impulse) const;
  /// v += H⁻¹ D_i Δγ_i of one block of `Rows` rows, v in the padded layout.
  template <int Rows>
  void add_impulse(Index block, const BlockVector<Rows>& delta, double* body_velocity) const;
  /// v <- H⁻¹ D γ in the padded layout.
  void body_velocity(ConstVectorRef impulse, double* v, int threads = 1) const;

  /// The order in which the blocks are kept and gone through; see spread_order (block_order.hpp).
  const std::vector<int>& order() const { return order_; }
  /// The bodies of one block; the idle one, number bodies(), may be among them.
  std::span<const int> bodies_of(Index block) const {
    const auto i = static_cast<std::size_t>(block);
    return {pair_body_.data() + pair_start_[i], pair_body_.data() + pair_start_[i + 1]};
  }

  /// Pairs of constraints that share a body, as sorted block columns per block row (the pattern of N).
  std::vector<std::vector<int>> coupling() const;
  /// N_ij = D_iᵀ H⁻¹ D_j (+ C_ii), rows(i)×rows(j) in the leading corner.
  Matrix3 block(Index i, Index j) const;

 private:
  using Velocity = Eigen::Map<Eigen::Matrix<double, 6, 1>>;
  using ConstVelocity = Eigen::Map<const Eigen::Matrix<double, 6, 1>>;

  static constexpr std::size_t last_cache = std::size_t{1} << 21;  ///< numbers: 16 MB, of common processors
  /// Numbers of the blocks that fetch_ahead looks ahead, and of zeros at the end of the data for it.
  static constexpr int ahead = 8 * 36;

  template <int Rows>
  static void fetch(const double* data) {
    for (int k = 0; k < 12 * Rows; k += 8) __builtin_prefetch(data + ahead + k);  // 8 numbers are a line of the cache
  }
  template <int Rows>
  static void add_response(const double* response, const BlockVector<Rows>& delta, double* velocity);
  void gather_velocity(const double* impulse, double* v, Index first_body, Index last_body) const;

  Index data_start(Index block) const { return data_start_[static_cast<std::size_t>(block)]; }
  std::vector<int> touched_bodies(const SparseMatrix& D, const std::vector<int>& owner, Index block) const;
  void collect_pairs(const SparseMatrix& D, const BlockPartition& bodies);
  void collect_bodies(const SparseMatrix& D, const std::vector<int>& owner);

  bool paired_ = true;  ///< every constraint has two pairs
  bool far_ = false;    ///< the blocks have more than last_cache numbers
  int idle_body_ = 0;
  std::vector<Index> pair_start_;  ///< count + 1: first (constraint, body) pair of each constraint
  std::vector<int> pair_body_;     ///< body of each pair
  std::vector<int> order_;         ///< blocks as they follow each other in the data
  std::vector<Index> data_start_;  ///< first number of the pairs of each constraint, in jacobian_ and response_
  std::vector<double, LargePageAllocator<double>> jacobian_;  ///< D_ib, and zeros
  std::vector<double, LargePageAllocator<double>> response_;  ///< H_b⁻¹ D_ib, and zeros
  std::vector<Index> body_start_;                             ///< bodies + 1: first pair of each body in body_pair_
  std::vector<int> body_block_;                               ///< constraint of each pair, grouped by body
  std::vector<Index> body_data_;                              ///< first number of that pair
  std::vector<Matrix3> compliance_;                           ///< C_ii, empty when C = 0
  mutable Vector scratch_;
};

// Inlined without fail, and with scalars instead of small vectors in memory: a sweep is a chain of these, as slow as the
// chain is long.

template <int Rows>
[[gnu::always_inline]] inline BlockVector<Rows> FactoredDelassus::local_velocity(Index block, const double* body_velocity,
                                                                                 const BlockVector<Rows>& impulse) const {
  const auto i = static_cast<std::size_t>(block);
  const double* jacobian = jacobian_.data() + data_start_[i];
  double u[Rows] = {};
  if (paired_) {
    const ConstVelocity first(body_velocity + 6 * Index{pair_body_[2 * i]});
    const ConstVelocity second(body_velocity + 6 * Index{pair_body_[2 * i + 1]});
    for (int r = 0; r < Rows; ++r)
      u[r] = ConstVelocity(jacobian + 6 * r).dot(first) + ConstVelocity(jacobian + 6 * (Rows + r)).dot(second);
  } else {
    for (Index k = pair_start_[i]; k < pair_start_[i + 1]; ++k, jacobian += 6 * Rows) {
      const ConstVelocity v(body_velocity + 6 * Index{pair_body_[static_cast<std::size_t>(k)]});
      for (int r = 0; r < Rows; ++r) u[r] += ConstVelocity(jacobian + 6 * r).dot(v);
    }
  }
  if (!compliance_.empty())
    for (int r = 0; r < Rows; ++r)
      for (int c = 0; c < Rows; ++c) u[r] += compliance_[i](r, c) * impulse[c];
  if constexpr (Rows == 3) return {u[0], u[1], u[2]};
  if constexpr (Rows == 2) return {u[0], u[1]};
  return BlockVector<Rows>::Constant(u[0]);
}

template <int Rows>
[[gnu::always_inline]] inline void FactoredDelassus::add_response(const double* response, const BlockVector<Rows>& delta,
                                                                  double* velocity) {
  Velocity v(velocity);
  if constexpr (Rows == 3)
    v += ConstVelocity(response) * delta[0] + ConstVelocity(response + 6) * delta[1] +
         ConstVelocity(response + 12) * delta[2];
  else if constexpr (Rows == 2)
    v += ConstVelocity(response) * delta[0] + ConstVelocity(response + 6) * delta[1];
  else
    v += ConstVelocity(response) * delta[0];
}

template <int Rows>
[[gnu::always_inline]] inline void FactoredDelassus::add_impulse(Index block, const BlockVector<Rows>& delta,
                                                                 double* body_velocity) const {
  const auto i = static_cast<std::size_t>(block);
  const double* response = response_.data() + data_start_[i];
  if (paired_) {
    add_response<Rows>(response, delta, body_velocity + 6 * Index{pair_body_[2 * i]});
    add_response<Rows>(response + 6 * Rows, delta, body_velocity + 6 * Index{pair_body_[2 * i + 1]});
    return;
  }
  for (Index k = pair_start_[i]; k < pair_start_[i + 1]; ++k, response += 6 * Rows)
    add_response<Rows>(response, delta, body_velocity + 6 * Index{pair_body_[static_cast<std::size_t>(k)]});
}

}  // namespace ccp
