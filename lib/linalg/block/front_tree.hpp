#pragma once

#include <cstdint>
#include <vector>

#include "linalg/block/ordering.hpp"

namespace ccp {

/// The fronts of a multifrontal LU of a block matrix with symmetric pattern: groups of successive block columns that are
/// eliminated together in one dense matrix (supernodes; Duff and Reid 1983), children before parents. A front holds its own
/// columns and then those that they reach; what elimination leaves in the latter goes to the parent.
struct FrontTree {
  /// Rows of a front that lie together in the parent as well, in blocks from the beginning of either.
  struct Run {
    int here, there, length;
  };
  struct Front {
    int first = 0;               ///< first block column, in the new order
    int own = 0;                 ///< block columns eliminated here
    int children = 0;            ///< the fronts on top of the stack that are added to this one
    std::vector<int> reach;      ///< new block columns beyond them, sorted
    std::vector<Run> in_parent;  ///< where `reach` is in the parent; empty for a root
    int size() const { return own + static_cast<int>(reach.size()); }
    /// Row and column in the front, in blocks, of a new block column that it has.
    int place_of(int column) const;
  };

  std::vector<int> order;     ///< order[new] = old
  std::vector<Front> fronts;  ///< in the order of elimination: parents take what lies on top of a stack
  std::int64_t flops = 0;     ///< multiplications and additions of one factorisation, zeros in the fronts included
};

/// Groups the columns of an ordering. A front is merged with its parent where that is quicker by a model of the time (H.6):
/// it saves additions between fronts and costs operations on zeros.
FrontTree front_tree(const BlockOrdering& ordering);

}  // namespace ccp
