#pragma once

#include "core/types.hpp"

namespace ccp {

/// A box of a pair. Coordinates are along the axes of the world, from the centre of the pair's first box: far from the
/// origin of the world no digits are lost.
struct PlacedBox {
  Matrix3 axes;    ///< columns
  Vector3 centre;  ///< m
  Vector3 half;    ///< half lengths, m

  /// How far the box reaches from its centre in direction n.
  double reach(const Vector3& n) const { return (axes.transpose() * n).cwiseAbs().dot(half); }
  Vector3 to_world(const Vector3& own) const { return centre + axes * own; }
  Vector3 to_own(const Vector3& point) const { return axes.transpose() * (point - centre); }
  /// signs: bit i set where coordinate i is positive.
  Vector3 own_corner(int signs) const {
    Vector3 corner = half;
    for (int axis = 0; axis < 3; ++axis)
      if (((signs >> axis) & 1) == 0) corner[axis] = -corner[axis];
    return corner;
  }
};

}  // namespace ccp
