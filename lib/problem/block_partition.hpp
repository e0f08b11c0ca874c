#pragma once

#include <vector>

#include "core/types.hpp"

namespace ccp {

/// Bodies of a mass matrix: consecutive groups of generalised velocities that H does not couple. Group b owns the dofs
/// [start[b], start[b + 1]).
struct BlockPartition {
  std::vector<Index> start{0};

  Index count() const { return std::ssize(start) - 1; }
  Index size(Index block) const { return start[uz(block) + 1] - start[uz(block)]; }
  Index offset(Index block) const { return start[uz(block)]; }
  bool empty() const { return count() == 0; }
  /// Block that owns each dof.
  std::vector<int> owner() const;

  static constexpr Index max_block = 6;  ///< a free rigid body
};

/// Groups of at most 6 dofs that the pattern of the symmetric matrix H (n×n) does not couple: all of size 6 when n allows it
/// (rigid bodies in space), else all of size 3 (in the plane, or finite-element nodes), else the finest consecutive groups.
/// Empty (no blocks) when H couples more than 6 consecutive dofs; an n = 0 matrix gives no blocks either.
BlockPartition find_body_blocks(const SparseMatrix& H);

/// The finest consecutive groups of dofs that the pattern of the symmetric matrix H (n×n) does not couple, of any size.
BlockPartition finest_groups(const SparseMatrix& H);

/// Uniform groups of `size` dofs, the last one smaller when n is no multiple.
BlockPartition uniform_blocks(Index n, Index size);

}  // namespace ccp
