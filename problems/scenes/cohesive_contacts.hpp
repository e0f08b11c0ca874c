#pragma once

#include "problems/dynamics/shaped_contacts.hpp"

namespace ccp {

struct WorldParts;

/// The bond between bodies.
struct Cohesion {
  double force = 0.0;  ///< c, largest pull of a contact, N
  double range = 0.0;  ///< contacts with Φ <= this pull, m
  double step = 0.0;   ///< h, s: the impulse is c h
};

/// As give_surfaces(), with cohesion between two bodies and another μ between a body and an obstacle. A contact that carries
/// nothing may already pull with all of c: without a range bodies that pass each other would.
void give_cohesive_surfaces(WorldParts& parts, Surfaces surfaces, const Cohesion& cohesion, double friction_at_obstacles);

}  // namespace ccp
