#pragma once

#include <vector>

#include "core/types.hpp"
#include "problems/random.hpp"

namespace ccp {

/// Spheres in a box whose floor is at z = 0 and whose walls are at 0 and width in x and y, under a lid.
struct SettledPacking {
  std::vector<Vector3> centres;  ///< m, from the floor upwards
  double height = 0.0;           ///< of the underside of the lid, m
};

/// A disordered packing that has come to rest under its weight and that of a lid that stays level: spheres thrown into the
/// box, pushed apart, and settled without friction in damped motion. A contact of two spheres, or of a sphere with the box
/// or the lid, is a spring that yields by 0.003 radii under the mean load of a sphere at the floor. At rest the forces of
/// these springs balance on every sphere, to 1e-4 of their sum, so that rigid contacts in their place can bear all of the
/// weight.
///
/// lid_weight: over that of a sphere; 0: no lid. width: at least a diameter, m. Throws InputError where it does not come to
/// rest.
SettledPacking settled_packing(int spheres, double radius, double width, double lid_weight, Random& random);

}  // namespace ccp
