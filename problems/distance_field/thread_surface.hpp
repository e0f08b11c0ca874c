#pragma once

#include "problems/distance_field/thread.hpp"
#include "problems/distance_field/triangle_mesh.hpp"

namespace ccp {

/// Closed surfaces for pictures: triangles counter-clockwise seen from outside, `azimuths` a turn. The thread is cut off
/// flat at the ends. m.

/// A bolt along z, |z| <= half_length.
TriangleMesh bolt_surface(const ThreadProfile& profile, double half_length, int azimuths);

/// A hexagonal nut about z, |z| <= half_height, `across_flats` wide.
TriangleMesh nut_surface(const ThreadProfile& profile, double half_height, double across_flats, int azimuths);

}  // namespace ccp
