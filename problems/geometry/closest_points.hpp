#pragma once

#include <vector>

#include "problems/geometry/placed_box.hpp"

namespace ccp {

/// Points of two boxes that are nearest to each other, in the coordinates of PlacedBox.
struct ClosestPoints {
  Vector3 on_first = Vector3::Zero();
  Vector3 on_second = Vector3::Zero();
  int first_feature = 0;  ///< BoxFeature
  int second_feature = 0;
};

/// The closest points of two boxes that do not overlap. Corners come before edges; where several corners are nearest within
/// `tolerance` (m), as at the ends of parallel edges side by side, each gives a pair of points.
std::vector<ClosestPoints> closest_points(const PlacedBox& first, const PlacedBox& second, double tolerance);

}  // namespace ccp
