#pragma once

#include "problems/geometry/contact.hpp"
#include "problems/geometry/shape.hpp"

namespace ccp {

/// Contacts of a sphere, in closed form. Each function appends to `found` the contacts with gap <= envelope (m); normals
/// point from the first shape to the second, and the bodies of the ids are the caller's to fill in.
///
/// Where a direction is open it is fixed: concentric spheres separate along +z, a centre on the axis of a cylinder along its
/// own x, a centre inside a box or a cylinder leaves through the nearest face, the first of equals.
void collide(const Sphere& first, const Pose& at, const Sphere& second, const Pose& there, double envelope, Contacts& found);
void collide(const Sphere& sphere, const Pose& at, const Box& box, const Pose& there, double envelope, Contacts& found);
void collide(const Sphere& sphere, const Pose& at, const HalfSpace& ground, const Pose& there, double envelope,
             Contacts& found);
void collide(const Sphere& sphere, const Pose& at, const CylinderCavity& cavity, const Pose& there, double envelope,
             Contacts& found);
void collide(const Sphere& sphere, const Pose& at, const Drum& drum, const Pose& there, double envelope, Contacts& found);
void collide(const Sphere& sphere, const Pose& at, const Cylinder& cylinder, const Pose& there, double envelope,
             Contacts& found);

}  // namespace ccp
