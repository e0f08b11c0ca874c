#pragma once

#include <vector>

#include "problems/distance_field/frank_wolfe.hpp"

namespace ccp {

struct ContactSetLimits {
  double margin = 1e-4;  ///< points with φ < margin, m
  int limit = 120;       ///< most contacts
  bool corners = false;  ///< the corners of the mesh are such points, too
};

/// A contact of a solid with a mesh.
struct FieldContact {
  Vector3 point = Vector3::Zero();    ///< halfway between the surfaces, m
  Vector3 normal = Vector3::UnitZ();  ///< unit vector from the solid to the mesh
  double gap = 0.0;                   ///< Φ = φ of the point of the mesh, m
  int feature = 0;                    ///< the triangle, or the number of triangles + the corner
};

/// What is left of the points of a mesh near a solid: of those in one cell of a grid of 0.1 µm the deepest, the first of
/// equals; then at most `limit` clusters, each by its deepest member (an average would have a gap that is not there). The
/// clusters are about farthest points: the deepest point, then again and again the one farthest from all before, in the
/// metric ‖Δx‖² + (10 mm)²‖Δn‖². Ordered by (gap, triangle), the deepest first.
std::vector<FieldContact> contact_set(const SignedDistance& solid, const TriangleMesh& mesh, const ContactSetLimits& limits);

}  // namespace ccp
