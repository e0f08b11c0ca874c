#pragma once

#include <vector>

#include "core/types.hpp"

namespace ccp {

/// Groups of cells, whose sweeps run at once where they share no body (E.11).
struct GroupColours {
  std::vector<int> group_of_cell;
  std::vector<int> colour;  ///< of each group
  int colours = 1;
  std::vector<int> copies;  ///< groups with blocks at each body, at least 1
};

/// Greedy colours, in the order of the groups. cells of the blocks at body b: cell_at[start[b]], …, cell_at[start[b + 1] −
/// 1].
GroupColours colour_groups(std::vector<int> group_of_cell, const std::vector<Index>& start, const std::vector<int>& cell_at);

}  // namespace ccp
