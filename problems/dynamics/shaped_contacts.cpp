#include "problems/dynamics/shaped_contacts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <utility>

#include "core/error.hpp"
#include "core/text.hpp"
#include "problems/dynamics/world.hpp"
#include "problems/geometry/find_contacts.hpp"

namespace ccp {
namespace {

void check_surfaces(const Surfaces& surfaces) {
  for (std::size_t i = 0; i < surfaces.bodies.size(); ++i) check_body_shape(surfaces.bodies[i], fmt::format("body {}", i));
  for (std::size_t i = 0; i < surfaces.obstacles.size(); ++i)
    check_shape(surfaces.obstacles[i], fmt::format("obstacle {}", i));
  if (!(surfaces.envelope >= 0.0))
    throw InputError(fmt::format("envelope is {} m, expected >= 0", format_double(surfaces.envelope)));
  if (!(surfaces.friction >= 0.0))
    throw InputError(fmt::format("friction of the contacts is {}, expected >= 0", format_double(surfaces.friction)));
  if (!(surfaces.rolling >= 0.0 && surfaces.spinning >= 0.0))
    throw InputError(fmt::format("rolling friction of the contacts is {} m, spinning friction {} m, expected >= 0",
                                 format_double(surfaces.rolling), format_double(surfaces.spinning)));
}

/// F of a pseudo-rigid body stands for the rotation: image_of_ball() takes any matrix, and spheres look at none.
Pose pose_at(const Placement& placement) { return {placement.position, placement.rotation}; }

std::vector<WorldContact> contacts_at(const Surfaces& surfaces, const Configuration& at) {
  if (surfaces.bodies.size() != at.bodies.size() || surfaces.obstacles.size() != at.obstacle_placements.size())
    throw std::logic_error("shape_contacts: every body and every obstacle of the world needs one shape");
  std::vector<Solid> bodies, obstacles;
  bodies.reserve(at.bodies.size());
  for (std::size_t i = 0; i < at.bodies.size(); ++i)
    if (at.present[i]) bodies.push_back({static_cast<int>(i), surfaces.bodies[i], pose_at(at.bodies[i])});
  for (std::size_t i = 0; i < surfaces.obstacles.size(); ++i)
    obstacles.push_back({static_cast<int>(at.bodies.size() + i), surfaces.obstacles[i], pose_at(at.obstacle_placements[i])});

  const auto width = [&](int number) {
    const auto i = static_cast<std::size_t>(number);
    return half_width(i < surfaces.bodies.size() ? surfaces.bodies[i] : surfaces.obstacles[i - surfaces.bodies.size()]);
  };
  const Contacts found = find_contacts(bodies, obstacles, surfaces.envelope);
  std::vector<WorldContact> contacts;
  contacts.reserve(found.size());
  for (const Contact& contact : found) {
    contacts.push_back(world_contact(contact, surfaces.friction, std::min(width(contact.id.a), width(contact.id.b))));
    contacts.back().rolling = surfaces.rolling;
    contacts.back().spinning = surfaces.spinning;
    contacts.back().planar = surfaces.planar;
  }
  return contacts;
}

}  // namespace

WorldContact world_contact(const Contact& contact, double friction, double size) {
  WorldContact result;
  const ContactId& id = contact.id;
  result.key = {id.a, id.b, static_cast<int>(id.kind), id.feature_a, id.feature_b};
  result.point = contact.point;
  result.normal = contact.normal;
  result.gap = contact.gap;
  result.friction = friction;
  result.size = size;
  return result;
}

ContactFinder shape_contacts(Surfaces surfaces) {
  check_surfaces(surfaces);
  return [surfaces = std::move(surfaces)](const Configuration& at) { return contacts_at(surfaces, at); };
}

void give_surfaces(WorldParts& parts, Surfaces surfaces) {
  parts.shapes = surfaces.bodies;
  parts.shapes.insert(parts.shapes.end(), surfaces.obstacles.begin(), surfaces.obstacles.end());
  parts.contacts = shape_contacts(std::move(surfaces));
}

}  // namespace ccp
