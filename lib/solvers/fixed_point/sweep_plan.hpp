#pragma once

#include <vector>

#include "problem/delassus/block_order.hpp"
#include "problem/delassus/factored_delassus.hpp"

namespace ccp {

/// The three numbers of a contact in lanes (pair_loops.hpp).
using InLane = Eigen::Map<Vector3, 0, Eigen::InnerStride<lane_count>>;
using ConstInLane = Eigen::Map<const Vector3, 0, Eigen::InnerStride<lane_count>>;
inline InLane in_lane(double* numbers, Index lane) { return InLane(numbers + lane_place(lane)); }
inline ConstInLane in_lane(const double* numbers, Index lane) { return ConstInLane(numbers + lane_place(lane)); }

/// The way a sweep takes through the blocks.
struct SweepPlan {
  std::vector<int> order;  ///< each block once
  /// First places of groups of at most group_size 3D contacts of which no two share a body, and the end. Empty where blocks
  /// are taken one by one.
  std::vector<Index> groups;
  std::vector<Index> tiles;  ///< first tile of each group, and the end: a group has whole tiles, in lanes

  /// In the order of the operator, which has the bits of the order 0, 1, … .
  explicit SweepPlan(const FactoredDelassus& N);
  /// In the order 0, 1, … .
  explicit SweepPlan(Index count);

  /// visit(block, lane) for the contacts of a group.
  template <typename Visit>
  void for_lanes(std::size_t group, const Visit& visit) const {
    const Index first = groups[group], lane = lane_count * tiles[group];
    for (Index k = 0; k < groups[group + 1] - first; ++k) visit(Index{order[static_cast<std::size_t>(first + k)]}, lane + k);
  }

  /// One number of each block, in its lane; empty without groups. A lane without a block has zeros, here and below.
  Vector scalars_in_lanes(const Vector& of_blocks) const;
  /// The three numbers of each block, in its lane.
  void put_in_lanes(const Vector& of_blocks, Vector& lane_numbers) const;
  void take_from_lanes(const Vector& lane_numbers, Vector& of_blocks) const;

 private:
  template <typename Visit>
  void for_lanes(const Visit& visit) const {
    for (std::size_t g = 0; g + 1 < groups.size(); ++g) for_lanes(g, visit);
  }
};

}  // namespace ccp
