#pragma once

#include <vector>

#include "core/types.hpp"

namespace ccp {

/// Indices of two spheres, first < second.
struct SpherePair {
  int first = 0;
  int second = 0;
};

/// All pairs of points nearer than `reach` (m), ordered by their second index and then by the first. Bins the points in
/// cubes of that size: time and memory are proportional to the number of points while their density is bounded.
std::vector<SpherePair> pairs_within(const std::vector<Vector3>& points, double reach);

}  // namespace ccp
