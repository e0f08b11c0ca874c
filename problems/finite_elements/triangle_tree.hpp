#pragma once

#include <array>
#include <functional>
#include <optional>
#include <vector>

#include "problems/finite_elements/skin.hpp"
#include "problems/geometry/shape.hpp"

namespace ccp {

/// Where a point of a triangle is.
struct TrianglePoint {
  Vector3 weights = Vector3::Zero();  ///< of the corners, sum 1
  Vector3 place = Vector3::Zero();    ///< m
  /// Corners with weight 0: none inside, one on an edge, two at a corner.
  int edge = -1;    ///< on the edge from this corner to the next one; −1: on none
  int corner = -1;  ///< at this corner; −1: at none
};

/// The point of a triangle next to p (Ericson, Real-Time Collision Detection, sec. 5.1.5).
TrianglePoint closest_point(const Vector3& p, const std::array<Vector3, 3>& triangle);

/// The triangles of a surface in a tree of boxes along the axes.
class TriangleTree {
 public:
  struct Found {
    int triangle = -1;
    TrianglePoint point;
    double squared_distance = 0.0;  ///< m²
  };

  /// Keeps references to both. places: one a node, m.
  TriangleTree(const Skin& skin, const std::vector<Vector3>& places);

  const Bounds& bounds() const { return boxes_.front().bounds; }
  /// The nearest triangle within `reach` (m) among those that are accepted; of several at one distance that with the lowest
  /// number.
  std::optional<Found> nearest(const Vector3& p, double reach, const std::function<bool(int)>& accepts) const;

 private:
  struct Box {
    Bounds bounds;
    int first, last;   ///< of order_
    int second_child;  ///< the first one follows its parent; −1: a leaf
  };

  int add_box(int first, int last);
  std::array<Vector3, 3> corners(int triangle) const;

  const Skin& skin_;
  const std::vector<Vector3>& places_;
  std::vector<int> order_;
  std::vector<Box> boxes_;
};

}  // namespace ccp
