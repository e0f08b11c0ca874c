#pragma once

#include <vector>

#include "problems/distance_field/signed_distance.hpp"
#include "problems/distance_field/triangle_mesh.hpp"

namespace ccp {

/// A point of a triangle near a solid.
struct NearPoint {
  Vector3 point = Vector3::Zero();
  double distance = 0.0;  ///< φ there, m
};

/// Where φ is least on the triangle, by Frank–Wolfe from the best of the corners and the centroid: to the corner with the
/// least ∇φ·v, by the first of the steps 1, 1/2, … 2⁻¹¹ after which φ rises again, until ∇φ·(x − v) <= 1e-9 m, no step is
/// lower, or 16 steps. On the flanks of an M48 nut the value is within 0.5 µm of the least; the method zigzags about minima
/// in the interior. It finds the nearest point to one side of a groove that the triangle spans.
NearPoint nearest_on_triangle(const SignedDistance& solid, const Triangle& triangle);

/// The nearest point of one triangle of a mesh.
struct MeshPoint : NearPoint {
  int triangle = 0;
};

/// The nearest points of all triangles with φ < margin (m), by triangle.
std::vector<MeshPoint> near_points(const SignedDistance& solid, const TriangleMesh& mesh, double margin);

}  // namespace ccp
