#pragma once

#include <span>
#include <vector>

#include "core/block_rows.hpp"
#include "core/large_pages.hpp"
#include "kernels/group_sweep.hpp"
#include "problem/delassus/block_order.hpp"
#include "problem/delassus/delassus.hpp"
#include "problem/delassus/jacobian_columns.hpp"
#include "problem/mass_matrix.hpp"

namespace ccp {

/// Whether blocks are kept as they are given, or spread (spread_order of block_order.hpp).
enum class BlockOrder { spread, given };

/// N = DᵀH⁻¹D + C kept as its square root, never forming N: with H_b = L_b L_bᵀ for each body, the 6×d blocks of L⁻¹D per
/// (constraint, body) pair (E.3). Bodies with fewer than 6 dofs are padded with zero rows. Instead of the velocities v it
/// deals in scaled ones w = Lᵀv, whose squares are kinetic energies: vectors of padded_size() in that layout, 6 numbers a
/// body and 6 of an idle one, which stands in where a constraint has one body only, so that nearly all constraints have two.
/// Products use memory of the object: one at a time.
class FactoredDelassus final : public DelassusOperator {
 public:
  /// D: n×m, of which columns to be consumed are read in the order of the blocks with BlockOrder::given; C: m×m,
  /// block-diagonal by constraint (may be empty, 0×0); mass: must be block_diagonal().
  FactoredDelassus(ConstraintSet constraints, JacobianColumns D, const SparseMatrix& C, const MassMatrix& mass,
                   BlockOrder order = BlockOrder::spread);

  void multiply(ConstVectorRef x, VectorRef y, int threads = 1) const override;
  std::unique_ptr<SplitProduct> split_product() const override;
  BlockSquare diagonal_block(Index block) const override { return this->block(block, block); }
  std::size_t bytes() const override;

  Index bodies() const { return std::ssize(body_start_) - 1; }
  Index padded_size() const { return 6 * (bodies() + 1); }
  bool has_compliance() const { return !compliance_.empty(); }
  /// Whether all blocks are contacts of at most two bodies, in space or in the plane.
  bool contact_pairs() const { return contact_pairs_; }
  /// These contacts, as a sweep takes them in groups. The operator must outlive what is returned.
  PairedContacts paired_contacts() const {
    const int rows = constraints().all_contacts_3d() ? 3 : 2;
    return {
        {root_.data(), place_body_.data(), rows}, order_, 6 * idle_body_, has_compliance() ? compliance_.data() : nullptr};
  }

  /// (L⁻¹D)_iᵀ w + C_i γ_i of one block of `Rows` rows.
  template <int Rows>
  BlockVector<Rows> local_velocity(Index block, const double* scaled_velocity, const BlockVector<Rows>& impulse) const;
  /// w += (L⁻¹D)_i Δγ_i of one block of `Rows` rows.
  template <int Rows>
  void add_impulse(Index block, const BlockVector<Rows>& delta, double* scaled_velocity) const;
  /// u_i <- (L⁻¹D)_iᵀ w + C_i γ_i for the blocks at the places of a span.
  void find_velocities(BlockSpan span, const double* w, const double* impulse, double* u) const;
  /// w <- L⁻¹ D γ.
  void scaled_velocity(ConstVectorRef impulse, double* w, int threads = 1) const;

  /// The order in which the blocks are kept and gone through; see spread_order (block_order.hpp).
  const std::vector<int>& order() const { return order_; }
  /// The bodies of one block; the idle one, number bodies(), may be among them.
  std::span<const int> bodies_of(Index block) const {
    const auto i = uz(block);
    return {pair_body_.data() + pair_start_[i], pair_body_.data() + pair_start_[i + 1]};
  }

  /// N_ij = (L⁻¹D)_iᵀ (L⁻¹D)_j (+ C_ii), rows(i)×rows(j) in the leading corner. N_ji is its transpose to the last bit.
  BlockSquare block(Index i, Index j) const;

 private:
  /// Where a pair has number `row` (0 to 5) of a column: the first four of all columns come first, then the last two of
  /// each.
  template <int Rows>
  static constexpr int number(int column, int row) {
    return row < 4 ? 4 * column + row : 4 * Rows + 2 * column + row - 4;
  }
  template <int Rows>
  static void add_pair(const double* pair, const BlockVector<Rows>& delta, double* velocity);
  class Split;
  void add_blocks(BlockSpan span, const double* impulse, double* w) const;
  void gather_velocity(const double* impulse, double* w, Index first_body, Index last_body) const;
  /// Bodies [first, last), with their sides of contacts as PairLoops numbers them, in the order of the memory.
  struct BodyShare {
    int first = 0, last = 0;
    std::vector<int> sides;
  };
  /// For contact_pairs(): about as many sides for each of the threads. Made by the first product on so many.
  const std::vector<BodyShare>& shares(int threads) const;

  Index data_start(Index block) const { return data_start_[uz(block)]; }
  void find_touched(const JacobianColumns& D, const std::vector<int>& owner, Index block, std::vector<int>& touched) const;
  void collect_bodies(const JacobianColumns& D, const std::vector<int>& owner, BlockOrder order);
  void collect_pairs(JacobianColumns& D, const BlockPartition& bodies, const MassMatrix& mass, BlockOrder order);
  void take_entries(const JacobianColumns& D, const BlockPartition& bodies, const std::vector<int>& owner, Index block);
  void scale_pairs(const MassMatrix& mass, Index block);
  void group_by_body();

  bool contact_pairs_ = false;
  int idle_body_ = 0;
  std::vector<Index> pair_start_;  ///< count + 1: first (constraint, body) pair of each constraint
  std::vector<int> pair_body_;     ///< body of each pair
  std::vector<int> order_;         ///< blocks as they follow each other in the data
  std::vector<int> place_body_;    ///< first number in w of the bodies of those blocks; empty without contact_pairs()
  std::vector<Index> data_start_;  ///< first number of the pairs of each constraint, in root_
  std::vector<double, LargePageAllocator<double>> root_;  ///< L_b⁻¹ D_ib, and zeros for pairs_ahead
  std::vector<Index> body_start_;                         ///< bodies + 1: first pair of each body in body_block_
  std::vector<int> body_block_;               ///< constraint of each pair, grouped by body; empty with contact_pairs()
  std::vector<Index> body_data_;              ///< first number of that pair
  std::vector<Matrix3> compliance_;           ///< C_ii, of more rows its corner; empty when C = 0
  std::vector<BlockSquare> wide_compliance_;  ///< all of C_ii, where a block has moments
  mutable Vector scratch_;                    ///< w of multiply()
  mutable std::vector<BodyShare> shares_;     ///< of the last number of threads, if more than one
};

template <int Rows>
inline BlockVector<Rows> FactoredDelassus::local_velocity(Index block, const double* scaled_velocity,
                                                          const BlockVector<Rows>& impulse) const {
  const auto i = uz(block);
  const double* pair = root_.data() + data_start_[i];
  double sums[Rows][6] = {};  // of the pairs, added up as in PairLoops
  for (Index k = pair_start_[i]; k < pair_start_[i + 1]; ++k, pair += 6 * Rows) {
    const double* w = scaled_velocity + 6 * Index{pair_body_[uz(k)]};
    for (int r = 0; r < Rows; ++r)
      for (int j = 0; j < 6; ++j) sums[r][j] += pair[number<Rows>(r, j)] * w[j];
  }
  BlockVector<Rows> u;
  for (int r = 0; r < Rows; ++r) {
    const double* sum = sums[r];
    u[r] = (sum[0] + sum[2] + sum[4]) + (sum[1] + sum[3] + sum[5]);
  }
  if constexpr (Rows > 3) {
    if (!compliance_.empty()) u += wide_compliance_[i].template topLeftCorner<Rows, Rows>() * impulse;
  } else if (!compliance_.empty()) {
    u += compliance_[i].template topLeftCorner<Rows, Rows>() * impulse;
  }
  return u;
}

template <int Rows>
inline void FactoredDelassus::add_pair(const double* pair, const BlockVector<Rows>& delta, double* velocity) {
  for (int j = 0; j < 6; ++j) {
    double change = pair[number<Rows>(0, j)] * delta[0];
    for (int r = 1; r < Rows; ++r) change += pair[number<Rows>(r, j)] * delta[r];
    velocity[j] += change;
  }
}

template <int Rows>
inline void FactoredDelassus::add_impulse(Index block, const BlockVector<Rows>& delta, double* scaled_velocity) const {
  const auto i = uz(block);
  const double* pair = root_.data() + data_start_[i];
  for (Index k = pair_start_[i]; k < pair_start_[i + 1]; ++k, pair += 6 * Rows)
    add_pair<Rows>(pair, delta, scaled_velocity + 6 * Index{pair_body_[uz(k)]});
}

}  // namespace ccp
