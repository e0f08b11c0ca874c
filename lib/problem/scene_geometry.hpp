#pragma once

#include <vector>

#include "core/types.hpp"

namespace ccp {

/// Surfaces that pictures show. The numbers stand in files.
enum class SurfaceKind {
  sphere = 0,           ///< sizes: radius
  ellipsoid = 1,        ///< sizes: half axes
  box = 2,              ///< sizes: half lengths of the edges
  half_space = 3,       ///< z <= 0 is solid
  cylinder_cavity = 4,  ///< sizes: radius; solid is what lies outside an infinite cylinder around z
  drum = 5,             ///< sizes: radius of the corners; the same of a prism with 32 facets
  cylinder = 6          ///< sizes: radius, half length (may be infinite); around z
};

/// The shape and the place of a body or an obstacle: x = position + rotation · (x in its own frame).
struct PlacedSurface {
  SurfaceKind kind = SurfaceKind::sphere;
  Vector3 sizes = Vector3::Zero();         ///< m; 0 where the kind has fewer than three
  Vector3 position = Vector3::Zero();      ///< m
  Matrix3 rotation = Matrix3::Identity();  ///< of a body that deforms its deformation gradient
  bool present = true;                     ///< whether it has entered
};

/// Where a contact is. The normal points from body_a to body_b.
struct PlacedContact {
  static constexpr int at_rest = -1;  ///< in place of a number: what does not move and has no surface of its own

  Vector3 point = Vector3::Zero();      ///< where the impulse acts, m
  Matrix3 frame = Matrix3::Identity();  ///< columns: normal and both tangents, world axes
  double gap = 0.0;                     ///< Φ, m
  int body_a = at_rest;                 ///< number of a surface: bodies, then obstacles
  int body_b = at_rest;
};

/// Shapes and contacts of a scene when the problem of a step is made, for pictures. No solver reads it.
struct SceneGeometry {
  std::vector<PlacedSurface> bodies;
  std::vector<PlacedSurface> obstacles;
  std::vector<PlacedContact> contacts;  ///< in the order of the contacts of the problem
  /// Velocities of the centres of the bodies, m/s. Empty: they are in the MotionState, or nothing moves.
  std::vector<Vector3> velocities = {};

  bool empty() const { return bodies.empty() && obstacles.empty() && contacts.empty(); }
};

}  // namespace ccp
