#pragma once

#include <optional>
#include <vector>

#include "kernels/jacobi_loops.hpp"
#include "problem/delassus/shared_delassus.hpp"
#include "problem/sweep_groups.hpp"
#include "solvers/fixed_point/delassus_rows.hpp"

namespace ccp {

/// How groups of blocks that share bodies know of each other in a sweep on ranks (E.11).
enum class RankCoupling {
  colours,  ///< groups of one colour at once, then those of the next, with the newest impulses of all
  jacobi,   ///< all at once, with the impulses of the last sweep from the others
  split     ///< the same, with a share of the mass of each body
};

/// The rows of N of one rank, for sweeps: those of delassus_rows.hpp, and the groups of the rank. Keeps w = L⁻¹Dγ of all
/// bodies of the rank as of the last exchange, with the bits of every other rank that knows them, and one of the group at
/// hand. All ranks sweep together.
class SharedRows {
 public:
  /// problem: shared, its Share a SweepShare.
  SharedRows(const ContactProblem& problem, RankCoupling coupling, SweepUnit unit);

  /// What the local problems take N_ii from: with split masses larger.
  const DelassusOperator& own() const { return split_ ? static_cast<const DelassusOperator&>(*split_) : N_; }

  void restart(const Vector& impulse, int threads = 1);
  template <int Rows>
  BlockVector<Rows> product(Index block, const Vector& impulse) const {
    const Index offset = N_.constraints().offset(block);
    const Eigen::Map<const BlockVector<Rows>> gamma(impulse.data() + offset);
    if (!split_) return all_.local_velocity<Rows>(first_block_ + block, w_.data(), gamma);
    const Eigen::Map<const BlockVector<Rows>> before(known_.data() + first_row_ + offset);
    return all_.local_velocity<Rows>(first_block_ + block, shared_w_.data(), before) +
           split_->local_velocity<Rows>(block, w_.data(), gamma - before);
  }
  template <int Rows>
  void changed(Index block, const BlockVector<Rows>& delta) {
    if (split_)
      split_->add_impulse<Rows>(block, delta, w_.data());
    else
      all_.add_impulse<Rows>(first_block_ + block, delta, w_.data());
  }

  /// relax(first, last) of the blocks of each group of the rank, colour after colour, with an exchange of `impulse` after
  /// each.
  template <typename Relax>
  void for_groups(bool backward, const Vector& impulse, const Relax& relax) {
    for (int k = 0; k < colours_; ++k) {
      const int colour = backward ? colours_ - 1 - k : k;
      for (std::size_t g = 0; g < groups_.colour.size(); ++g) {
        if (coupling_ == RankCoupling::colours && groups_.colour[g] != colour) continue;
        begin_group(g);
        relax(groups_.start[g], groups_.start[g + 1]);
      }
      exchange(colour, impulse);
    }
  }
  /// Over all ranks.
  Largest largest(const Largest& own) const;

 private:
  void begin_group(std::size_t group);
  void exchange(int colour, const Vector& impulse);
  void make_split(const ContactProblem& problem);

  const SweepShare& share_;
  const SharedDelassus& N_;
  const FactoredDelassus& all_;
  RankCoupling coupling_;
  SweepUnit unit_;
  const SweepGroups& groups_;
  int colours_;
  Index first_block_, first_row_;           ///< its own among those that it knows
  std::vector<std::vector<int>> bodies_;    ///< of each group
  std::vector<std::vector<int>> changing_;  ///< blocks of each colour that the rank knows
  Vector shared_w_, w_;                     ///< as of the last exchange; of the group, with split masses of its changes
  Vector known_, renewed_;                  ///< γ of the blocks that the rank knows, and after the next exchange
  std::optional<FactoredDelassus> split_;   ///< with the shares of the masses
};

}  // namespace ccp
