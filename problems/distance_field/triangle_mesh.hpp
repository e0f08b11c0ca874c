#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "core/types.hpp"
#include "problems/distance_field/thread.hpp"

namespace ccp {

using Triangle = std::array<Vector3, 3>;

/// Triangles by their corners, m. Nothing depends on their orientation.
struct TriangleMesh {
  std::vector<Vector3> vertices;
  std::vector<std::array<int, 3>> triangles;

  Triangle corners(std::size_t triangle) const;
  double longest_edge() const;
  /// The mesh at rotation · p + translation.
  TriangleMesh placed(const Matrix3& rotation, const Vector3& translation) const;
};

/// A curve in the half-plane (r, z) turned about z: `azimuths` points on each circle. A point with r = 0 is one vertex.
TriangleMesh surface_of_revolution(const std::vector<Vector2>& curve, int azimuths);

/// The thread of a nut about z, |z| <= half_height: the helicoid of its section with the flanks in `flank_rows` rows,
/// `azimuths` points a turn, and of its triangles those that lie whole between the ends.
TriangleMesh nut_mesh(const ThreadProfile& profile, double half_height, int azimuths, int flank_rows);

}  // namespace ccp
