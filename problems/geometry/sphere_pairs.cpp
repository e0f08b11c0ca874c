#include "problems/geometry/sphere_pairs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace ccp {
namespace {

using Cell = std::array<int, 3>;

/// Indices of points sorted by their cell, so that a cell is a range found by bisection.
struct Binned {
  std::vector<Cell> cell;  ///< of each point
  std::vector<int> order;

  Binned(const std::vector<Vector3>& points, double size) {
    Vector3 low = points.front();
    for (const Vector3& point : points) low = low.cwiseMin(point);
    for (const Vector3& point : points) {
      const Vector3 place = (point - low) / size;
      cell.push_back({static_cast<int>(place[0]), static_cast<int>(place[1]), static_cast<int>(place[2])});
      order.push_back(static_cast<int>(order.size()));
    }
    std::sort(order.begin(), order.end(), [&](int a, int b) { return key(a) < key(b); });
  }

  std::pair<Cell, int> key(int point) const { return {cell[static_cast<std::size_t>(point)], point}; }

  /// Calls visit(point) for the points of one row of cells along the last axis, from `from` to `to`, both included.
  template <typename Visit>
  void for_cells(const Cell& from, const Cell& to, const Visit& visit) const {
    auto at = std::lower_bound(order.begin(), order.end(), from,
                               [&](int point, const Cell& c) { return cell[static_cast<std::size_t>(point)] < c; });
    for (; at != order.end() && cell[static_cast<std::size_t>(*at)] <= to; ++at) visit(*at);
  }
};

}  // namespace

std::vector<SpherePair> pairs_within(const std::vector<Vector3>& points, double reach) {
  std::vector<SpherePair> pairs;
  if (points.empty()) return pairs;
  const Binned bins(points, reach);
  std::vector<int> near;
  for (int i = 0; i < static_cast<int>(points.size()); ++i) {
    near.clear();
    const Vector3& point = points[static_cast<std::size_t>(i)];
    const auto [x, y, z] = bins.cell[static_cast<std::size_t>(i)];
    for (int dx = -1; dx <= 1; ++dx)
      for (int dy = -1; dy <= 1; ++dy)
        bins.for_cells({x + dx, y + dy, z - 1}, {x + dx, y + dy, z + 1}, [&](int other) {
          if (other < i && (points[static_cast<std::size_t>(other)] - point).norm() < reach) near.push_back(other);
        });
    std::sort(near.begin(), near.end());
    for (const int other : near) pairs.push_back({other, i});
  }
  return pairs;
}

}  // namespace ccp
