#pragma once

#include <functional>
#include <vector>

#include "problem/part_source.hpp"
#include "problem/share.hpp"

/// How the bodies and blocks of a problem are cut into cells (E.9), whatever the number of ranks, and cells given to ranks.
namespace ccp {

Touch touch_of(const ConstraintSet& set, const SparseMatrix& D, const BlockPartition& bodies);

/// Bodies that share a block: the neighbours of body b are neighbour[start[b]], …, neighbour[start[b + 1] − 1]. weight:
/// blocks of each, and 1.
struct BodyGraph {
  std::vector<int> start{0}, neighbour, weight;
};
BodyGraph graph_of(const Touch& touch);

/// The part, 0 to cell_count − 1, of each body; the same for the same graph.
using Cut = std::function<std::vector<int>(const BodyGraph&)>;

/// Old numbers of bodies and blocks in the order of the cells. Bodies keep their order within a cell; blocks are spread
/// there (spread_order of block_order.hpp). A block belongs to the cell of that of its bodies that has the fewest blocks,
/// one without bodies to the first cell. But the last blocks of a cell may move to the next one, so that each cell begins
/// with an even row: sums of Eigen depend on whether their first number lies at a multiple of 16 bytes.
struct CellOrder {
  std::vector<int> bodies, blocks;
  std::vector<Index> body_start, block_start;  ///< cell_count + 1 each: where the cells begin
};
CellOrder order_by_cells(const ProblemOutline& problem, const std::vector<int>& cell_of_body);

/// The cell of each body: by `cut` where there are enough of them.
std::vector<int> cells_of_bodies(const Touch& touch, const Cut& cut);

/// Each body on its own, or runs of bodies, where they are too few to be cut.
std::vector<int> cut_by_number(Index bodies);

/// The first cell of each rank, ranks + 1 of them: runs with about equally many blocks. Ranks may have none.
std::vector<int> cells_of_ranks(const CellOrder& order, int ranks);

}  // namespace ccp
