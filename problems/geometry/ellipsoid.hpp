#pragma once

#include "problems/geometry/contact.hpp"
#include "problems/geometry/shape.hpp"

namespace ccp {

/// Contacts of an ellipsoid. Each function appends to `found` the contacts with gap <= envelope (m): at most one, but one
/// for each facet of a drum. Normals point from the first shape to the second, and the bodies of the ids are the caller's to
/// fill in. Where two overlap, the gap is minus the length of a locally least displacement that parts them.
void collide(const Sphere& sphere, const Pose& at, const Ellipsoid& ellipsoid, const Pose& there, double envelope,
             Contacts& found);
void collide(const Ellipsoid& first, const Pose& at, const Ellipsoid& second, const Pose& there, double envelope,
             Contacts& found);
void collide(const Ellipsoid& ellipsoid, const Pose& at, const HalfSpace& ground, const Pose& there, double envelope,
             Contacts& found);
void collide(const Ellipsoid& ellipsoid, const Pose& at, const Drum& drum, const Pose& there, double envelope,
             Contacts& found);
/// At the point farthest from the axis.
void collide(const Ellipsoid& ellipsoid, const Pose& at, const CylinderCavity& cavity, const Pose& there, double envelope,
             Contacts& found);
/// The direction of the largest gap is normal to a face, or orthogonal to an edge and between its faces, or between the
/// faces of a corner, with the foot of the ellipsoid on that face or edge.
void collide(const Ellipsoid& ellipsoid, const Pose& at, const Box& box, const Pose& there, double envelope,
             Contacts& found);

/// The matrix that maps the unit ball to the ellipsoid around its centre, in the axes of the world.
Matrix3 image_of_ball(const Ellipsoid& ellipsoid, const Pose& pose);

}  // namespace ccp
