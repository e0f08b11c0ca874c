#include "distributed/group_colours.hpp"

#include <algorithm>
#include <utility>

namespace ccp {

GroupColours colour_groups(std::vector<int> group_of_cell, const std::vector<Index>& start,
                           const std::vector<int>& cell_at) {
  GroupColours groups;
  groups.group_of_cell = std::move(group_of_cell);
  const auto count = uz(*std::max_element(groups.group_of_cell.begin(), groups.group_of_cell.end())) + 1;
  std::vector<std::vector<bool>> near(count, std::vector<bool>(count, false));
  std::vector<int> here;
  for (std::size_t b = 0; b + 1 < start.size(); ++b) {
    here.clear();
    for (Index k = start[b]; k < start[b + 1]; ++k) here.push_back(groups.group_of_cell[uz(cell_at[uz(k)])]);
    std::sort(here.begin(), here.end());
    here.erase(std::unique(here.begin(), here.end()), here.end());
    groups.copies.push_back(std::max(1, static_cast<int>(here.size())));
    for (const int g : here)
      for (const int other : here) near[uz(g)][uz(other)] = true;
  }
  for (std::size_t g = 0; g < count; ++g) {
    std::vector<bool> taken(g + 1, false);
    for (std::size_t other = 0; other < g; ++other)
      if (near[g][other]) taken[uz(groups.colour[other])] = true;
    groups.colour.push_back(static_cast<int>(std::find(taken.begin(), taken.end(), false) - taken.begin()));
    groups.colours = std::max(groups.colours, groups.colour.back() + 1);
  }
  return groups;
}

}  // namespace ccp
