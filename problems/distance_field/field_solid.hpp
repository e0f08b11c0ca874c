#pragma once

#include <memory>
#include <vector>

#include "problem/placed_mesh.hpp"
#include "problems/distance_field/signed_distance.hpp"
#include "problems/distance_field/surface_patches.hpp"
#include "problems/distance_field/triangle_mesh.hpp"
#include "problems/geometry/contact.hpp"
#include "problems/geometry/shape.hpp"

namespace ccp {

/// What a FieldShape is, in its own frame.
struct FieldSolid {
  std::unique_ptr<const SignedDistance> distance = nullptr;  ///< none: a ball has no contact with it
  TriangleMesh surface = {};
  bool by_surface = true;          ///< whether the surface takes part in contacts, besides being shown
  bool corners = false;            ///< of polyhedra, whose corners are points of contact, too
  int limit = 120;                 ///< most contacts of the surface with one solid
  SurfacePatches patches = {};     ///< if any, these are the clusters of the surface, and there is no limit
  Vector3 half = Vector3::Zero();  ///< the surface is within ± this, m: field_shape() knows
};

/// A shape of it, with its bounds.
FieldShape field_shape(FieldSolid solid);

/// The convex hull of points (m), at most convex_corners of them, the farthest from the others first: those that are left
/// out are within the last distance of it. Throws InputError for fewer than four points, or points in a plane.
inline constexpr int convex_corners = 64;
FieldShape convex_field(const std::vector<Vector3>& points);

/// The points of an upright prism of 32 sides, whose corners are on the cylinder around z.
std::vector<Vector3> cylinder_points(double radius, double half_length);

/// Contacts with gap <= envelope (m), see find_contacts(). A ball has one with each part of a distance. Else the points of
/// the one surface near the other solid, and the other way around, each clustered as in contact_set().
void collide(const Sphere& one, const Pose& at, const FieldShape& other, const Pose& there, double envelope,
             Contacts& found);
void collide(const Box& one, const Pose& at, const FieldShape& other, const Pose& there, double envelope, Contacts& found);
void collide(const HalfSpace& one, const Pose& at, const FieldShape& other, const Pose& there, double envelope,
             Contacts& found);
void collide(const FieldShape& one, const Pose& at, const FieldShape& other, const Pose& there, double envelope,
             Contacts& found);

/// A surface in motion as pictures show it. velocity and spin: of the pose, m/s and rad/s.
PlacedMesh shown_field(const FieldShape& field, const Pose& pose, const Vector3& velocity, const Vector3& spin,
                       bool obstacle);

}  // namespace ccp
