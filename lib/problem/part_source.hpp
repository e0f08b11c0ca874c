#pragma once

#include <array>
#include <vector>

#include "core/constraints.hpp"
#include "problem/block_partition.hpp"

/// A problem whose parts are made one by one, never the whole of it (E.9).
namespace ccp {

/// Bodies of the blocks: those of block i are body[start[i]], …, body[start[i + 1] − 1], in order.
struct Touch {
  std::vector<Index> start{0};
  std::vector<int> body;
  Index bodies = 0;
};

/// All of a problem that it takes to cut it.
struct ProblemOutline {
  BlockPartition bodies;
  Touch touch;
  std::vector<int> first_row{0};  ///< of each block, and the end
  Index contacts = 0;             ///< blocks that are not bilateral
  bool compliant = false;         ///< whether a block has a compliance
  bool moments = false;           ///< whether a block has rows of moments
  bool symmetric = true;          ///< whether H is

  Index rows(int block) const { return first_row[uz(block) + 1] - first_row[uz(block)]; }
};

/// Some blocks: D has the velocities of some bodies × their rows, C their rows (no entries where the problem is rigid).
struct PartBlocks {
  ConstraintSet set;
  SparseMatrix D, C;
  Vector b;
};
/// Some bodies, and blocks in three lists: those of a part, and foreign ones before and behind them.
struct PartForm {
  SparseMatrix H;
  Vector k;
  std::array<PartBlocks, 3> blocks;
};
using BlockLists = std::array<std::vector<int>, 3>;

/// A problem in global form whose H splits into bodies.
class PartSource {
 public:
  virtual ~PartSource() = default;
  virtual ProblemOutline outline() const = 0;
  /// These bodies and blocks, in this order, with the bits that the whole problem has. Entries of other bodies in D are left
  /// out. No number occurs twice.
  virtual PartForm part(const std::vector<int>& bodies, const BlockLists& blocks) const = 0;
};

}  // namespace ccp
