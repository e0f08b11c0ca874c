#pragma once

#include <limits>
#include <memory>
#include <string>
#include <variant>

#include "core/types.hpp"
#include "problem/scene_geometry.hpp"

namespace ccp {

inline constexpr double infinite = std::numeric_limits<double>::infinity();

/// Shapes of bodies and obstacles, each in its own frame: its centre at the origin, its axes along the frame's. Lengths in
/// m.
struct Sphere {
  double radius = 1.0;
};

struct Ellipsoid {
  Vector3 radii = Vector3::Ones();
};

struct Box {
  Vector3 half = Vector3::Ones();  ///< half lengths of the edges
};

/// z <= 0; what is above may move. Its normal is the third column of the rotation.
struct HalfSpace {};

/// The outside of an infinite circular cylinder around z; bodies are inside.
struct CylinderCavity {
  double radius = 1.0;
};

/// What lies outside an infinite prism around z with 32 facets; bodies are inside. The cavity is convex, and so contact with
/// it is contact with 32 half-spaces.
struct Drum {
  static constexpr int facets = 32;
  double radius = 1.0;  ///< of the circle through the corners; the facets are at cos(π/32) = 0.9951847 of it
};

/// A solid cylinder around z.
struct Cylinder {
  double radius = 1.0;
  double half_length = std::numeric_limits<double>::infinity();
};

struct FieldSolid;

/// A solid with a signed distance, a surface of triangles, or both, see distance_field/field_solid.hpp.
struct FieldShape {
  std::shared_ptr<const FieldSolid> solid;
};

/// The order matters: contacts between two shapes are found with the earlier one first.
using Shape = std::variant<Sphere, Ellipsoid, Box, HalfSpace, CylinderCavity, Drum, Cylinder, FieldShape>;

/// "sphere", "half-space", "cylindrical cavity", …
std::string shape_name(const Shape& shape);

/// InputError naming the size of `shape` that is not positive and finite. name: of the body or obstacle, for the message.
void check_shape(const Shape& shape, const std::string& name);

/// As check_shape(), and that a body can have the shape: a sphere, an ellipsoid, a box or a field.
void check_body_shape(const Shape& shape, const std::string& name);

/// Half the least thickness, m: the radius, the least half axis, the least half length. Infinite for half-spaces and
/// cavities.
double half_width(const Shape& shape);

/// The pose of a shape: x = position + rotation · (x in its own frame).
struct Pose {
  Vector3 position = Vector3::Zero();  ///< m
  /// Proper and orthogonal; of an ellipsoid any F with det F > 0, the half axes are then those of F diag(radii²) Fᵀ.
  Matrix3 rotation = Matrix3::Identity();
};

/// A box along the axes of the world; infinite for shapes without bounds.
struct Bounds {
  Vector3 low;   ///< m
  Vector3 high;  ///< m
};

Bounds bounds_of(const Shape& shape, const Pose& pose);

/// The shape for pictures.
PlacedSurface placed_surface(const Shape& shape, const Pose& pose);

}  // namespace ccp
