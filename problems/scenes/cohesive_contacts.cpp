#include "problems/scenes/cohesive_contacts.hpp"

#include <utility>

#include "problems/dynamics/world.hpp"

namespace ccp {

void give_cohesive_surfaces(WorldParts& parts, Surfaces surfaces, const Cohesion& cohesion, double friction_at_obstacles) {
  give_surfaces(parts, std::move(surfaces));
  parts.contacts = [found_by = std::move(parts.contacts), count = parts.count(), cohesion,
                    friction_at_obstacles](const Configuration& at) {
    std::vector<WorldContact> contacts = found_by(at);
    for (WorldContact& contact : contacts)
      if (contact.key.body_b >= count)
        contact.friction = friction_at_obstacles;
      else if (contact.gap <= cohesion.range)
        contact.cohesion = cohesion.force * cohesion.step;
    return contacts;
  };
}

}  // namespace ccp
