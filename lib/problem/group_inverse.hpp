#pragma once

#include <vector>

#include "core/types.hpp"
#include "problem/block_partition.hpp"

namespace ccp {

/// H⁻¹ of a symmetric positive definite H (n×n) whose dofs fall into small groups that it does not couple: pseudo-rigid
/// bodies, elastic bodies of one element. A dense inverse per group and one step of refinement: for 12 dofs a call of a
/// sparse factorisation costs ten times as much.
class GroupInverse {
 public:
  /// Larger groups have factors that are sparser than their inverses.
  static constexpr Index most_dofs = 32;

  /// Whether no group is larger than that.
  static bool suits(const BlockPartition& groups);

  /// Throws InputError when a group is not positive definite.
  GroupInverse(const SparseMatrix& H, BlockPartition groups);

  const BlockPartition& groups() const { return groups_; }
  /// Numbers of the inverses.
  Index numbers() const { return inverses_.size(); }

  /// part <- H_g⁻¹ part of group g; NaN where it is not finite. No allocation.
  void solve_group(Index group, VectorRef part) const;

 private:
  BlockPartition groups_;
  std::vector<Index> start_;  ///< of each group in both lists of numbers, column by column
  Vector matrices_, inverses_;
};

}  // namespace ccp
