#pragma once

#include <vector>

#include "core/types.hpp"
#include "problems/random.hpp"

namespace ccp {

/// Spheres in a box whose floor is at z = 0 and whose walls are at 0 and width in x and y, under a lid.
struct SpherePacking {
  std::vector<Vector3> centres;  ///< m, from the floor upwards
  double height = 0.0;           ///< of the underside of the lid, m
};

/// Points uniform in the box, each overlap removed in turn, again and again, until what is left of them is small everywhere.
/// They fill 0.6 of the box, a little more than fits: most spheres are wedged in, some are loose, and nothing has settled.
SpherePacking thrown_packing(int spheres, double radius, double width, Random& random);

/// A disordered packing that has come to rest under its weight and that of a lid that stays level: a thrown one, settled
/// without friction in damped motion. A contact of two spheres, or of a sphere with the box or the lid, is a spring that
/// yields by 0.003 radii under the mean load of a sphere at the floor. At rest the forces of these springs balance on every
/// sphere, to 1e-4 of their sum, so that rigid contacts in their place can bear all of the weight.
///
/// lid_weight: over that of a sphere; 0: no lid. width: at least a diameter, m. Throws InputError where it does not come to
/// rest.
SpherePacking settled_packing(int spheres, double radius, double width, double lid_weight, Random& random);

}  // namespace ccp
