#pragma once

#include "problems/distance_field/signed_distance.hpp"
#include "problems/distance_field/triangle_mesh.hpp"

namespace ccp {

/// How far a mesh goes along a unit vector until it touches the solid: its smallest gap, that of near_points(), is then 0 to
/// 1e-9 m. The first step is as long as that gap allows, the others are those of the secant method. A mesh that is inside
/// goes back. reach: triangles farther away at the start are left out, m; more than the way.
double way_to_contact(const SignedDistance& solid, const TriangleMesh& mesh, const Vector3& direction, double reach);

}  // namespace ccp
