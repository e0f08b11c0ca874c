#pragma once

#include <vector>

#include "problems/dynamics/configuration.hpp"
#include "problems/geometry/contact.hpp"
#include "problems/geometry/shape.hpp"

namespace ccp {

struct WorldParts;

/// The shapes of the bodies and obstacles of a world, in the order of their numbers.
struct Surfaces {
  /// One a body. Of a pseudo-rigid one: the ellipsoid that it is without deformation, which deforms with it, or a sphere,
  /// which keeps its shape.
  std::vector<Shape> bodies;
  std::vector<Shape> obstacles;
  double envelope = 0.0;  ///< contacts have Φ <= this, m
  double friction = 0.0;  ///< μ of all contacts
  double rolling = 0.0;   ///< μ_r of all contacts, m
  double spinning = 0.0;  ///< μ_s of all contacts, m
  bool planar = false;    ///< WorldContact::planar of all contacts
};

/// Finds the contacts of a world by find_contacts(); bodies that have not entered have none. Throws InputError naming a size
/// that is not positive, a body with the shape of an obstacle, an envelope or a coefficient that is negative.
ContactFinder shape_contacts(Surfaces surfaces);

/// Gives a world the contacts of shapes, and the shapes for pictures.
void give_surfaces(WorldParts& parts, Surfaces surfaces);

/// A contact as the world takes it. size: WorldContact::size, m.
WorldContact world_contact(const Contact& contact, double friction, double size);

}  // namespace ccp
