#include "problems/geometry/closest_points.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "problems/geometry/contact.hpp"

namespace ccp {
namespace {

constexpr double parallel = 1e-12;  // square of the sine of two edges: their corners are as near

double distance(const ClosestPoints& pair) { return (pair.on_second - pair.on_first).norm(); }

/// The feature of a box where a point outside of it is nearest.
int nearest_feature(const Vector3& own, const Vector3& half) {
  int signs = 0, outside = 0, outer = 0, inner = 0;
  for (int axis = 0; axis < 3; ++axis) {
    if (own[axis] > 0.0) signs |= 1 << axis;
    const bool beyond = std::abs(own[axis]) > half[axis];
    outside += beyond ? 1 : 0;
    (beyond ? outer : inner) = axis;
  }
  if (outside == 3) return BoxFeature::corner(signs);
  return outside == 2 ? BoxFeature::edge(inner, signs) : BoxFeature::face(outer, (signs >> outer) & 1);
}

/// Adds the corners of `first`, each with the nearest point of the other box.
void add_corners(const PlacedBox& first, const PlacedBox& second, bool swapped, std::vector<ClosestPoints>& pairs) {
  for (int signs = 0; signs < 8; ++signs) {
    const Vector3 corner = first.to_world(first.own_corner(signs)), own = second.to_own(corner);
    const Vector3 nearest = second.to_world(own.cwiseMin(second.half).cwiseMax(-second.half));
    const int feature = BoxFeature::corner(signs), other = nearest_feature(own, second.half);
    pairs.push_back(swapped ? ClosestPoints{nearest, corner, other, feature}
                            : ClosestPoints{corner, nearest, feature, other});
  }
}

/// The middle of the edge along `axis` with the given signs of the other coordinates.
Vector3 middle_of_edge(const PlacedBox& box, int axis, int signs) {
  Vector3 own = box.own_corner(signs);
  own[axis] = 0.0;
  return box.to_world(own);
}

/// Takes the closest points of two edges where they are inside both and nearer than `least`.
void offer_edges(const PlacedBox& first, const PlacedBox& second, int i, int j, ClosestPoints& best, double& least) {
  const Vector3 u = first.axes.col(i), w = second.axes.col(j);
  const double cosine = u.dot(w), square = 1.0 - cosine * cosine;
  if (square < parallel) return;
  for (int signs = 0; signs < 8; ++signs) {
    if (((signs >> i) & 1) != 0) continue;
    const Vector3 here = middle_of_edge(first, i, signs);
    for (int others = 0; others < 8; ++others) {
      if (((others >> j) & 1) != 0) continue;
      const Vector3 there = middle_of_edge(second, j, others), line = there - here;
      const double s = (u.dot(line) - cosine * w.dot(line)) / square, t = (cosine * u.dot(line) - w.dot(line)) / square;
      if (std::abs(s) > first.half[i] || std::abs(t) > second.half[j]) continue;
      const ClosestPoints pair{here + s * u, there + t * w, BoxFeature::edge(i, signs), BoxFeature::edge(j, others)};
      if (distance(pair) >= least) continue;
      least = distance(pair);
      best = pair;
    }
  }
}

}  // namespace

std::vector<ClosestPoints> closest_points(const PlacedBox& first, const PlacedBox& second, double tolerance) {
  std::vector<ClosestPoints> corners;
  corners.reserve(16);
  add_corners(first, second, false, corners);
  add_corners(second, first, true, corners);
  double nearest_corner = std::numeric_limits<double>::infinity(), nearest_edges = nearest_corner;
  for (const ClosestPoints& pair : corners) nearest_corner = std::min(nearest_corner, distance(pair));

  ClosestPoints edges;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) offer_edges(first, second, i, j, edges, nearest_edges);
  if (nearest_edges < nearest_corner - tolerance) return {edges};

  std::vector<ClosestPoints> nearest;
  for (const ClosestPoints& pair : corners) {
    if (distance(pair) > nearest_corner + tolerance) continue;
    const bool known = std::any_of(nearest.begin(), nearest.end(), [&](const ClosestPoints& other) {
      return (pair.on_first - other.on_first).norm() <= tolerance && (pair.on_second - other.on_second).norm() <= tolerance;
    });
    if (!known) nearest.push_back(pair);
  }
  return nearest;
}

}  // namespace ccp
