#pragma once

#include "problems/geometry/contact.hpp"
#include "problems/geometry/shape.hpp"

namespace ccp {

/// Contacts of the corners of a box with obstacles that a corner touches first. Each function appends to `found` the corners
/// with gap <= envelope (m), on a drum once for each facet; normals point into the obstacle, and the bodies of the ids are
/// the caller's to fill in.
void collide(const Box& box, const Pose& at, const HalfSpace& ground, const Pose& there, double envelope, Contacts& found);
void collide(const Box& box, const Pose& at, const Drum& drum, const Pose& there, double envelope, Contacts& found);
/// A corner on the axis has its normal along the cavity's own x.
void collide(const Box& box, const Pose& at, const CylinderCavity& cavity, const Pose& there, double envelope,
             Contacts& found);

}  // namespace ccp
