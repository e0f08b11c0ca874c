#pragma once

#include <vector>

#include "problems/distance_field/signed_distance.hpp"
#include "problems/distance_field/triangle_mesh.hpp"

namespace ccp {

/// The hull of points, m, its triangles counter-clockwise seen from outside: corners are added one by one, the farthest from
/// the hull so far first (quickhull; Barber, Dobkin, Huhdanpaa 1996), until all are within 1e-7 of its size or there are
/// `most_corners`. Throws InputError for fewer than four points, numbers that are not finite, or points in a plane.
TriangleMesh convex_hull(const std::vector<Vector3>& points, int most_corners);

/// A convex polyhedron: exact outside, and inside the distance of the nearest plane, which is exact, too.
class ConvexDistance final : public SignedDistance {
 public:
  /// hull: closed and convex, its triangles counter-clockwise seen from outside.
  explicit ConvexDistance(const TriangleMesh& hull);
  double distance(const Vector3& p) const override;
  Vector3 gradient(const Vector3& p) const override;
  double lipschitz() const override { return 1.0; }

 private:
  struct Face {
    Triangle corners;
    Vector3 normal;
    double height;  ///< of the plane over the origin, m
  };

  /// Writes the gradient where it is asked for.
  double evaluate(const Vector3& p, Vector3* gradient) const;

  std::vector<Face> faces_;
};

}  // namespace ccp
