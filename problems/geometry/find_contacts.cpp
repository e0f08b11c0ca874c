#include "problems/geometry/find_contacts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "problems/distance_field/field_solid.hpp"
#include "problems/geometry/box_box.hpp"
#include "problems/geometry/box_corners.hpp"
#include "problems/geometry/broadphase.hpp"
#include "problems/geometry/ellipsoid.hpp"
#include "problems/geometry/smooth_pairs.hpp"

namespace ccp {
namespace {

template <typename First, typename Second>
concept Collides = requires(const First& first, const Second& second, const Pose& pose, Contacts& found) {
  collide(first, pose, second, pose, 0.0, found);
};

/// Bodies and obstacles in the order of their ids.
std::vector<const Solid*> ordered(std::span<const Solid> bodies, std::span<const Solid> obstacles) {
  const auto by_id = [](const Solid* a, const Solid* b) { return a->id < b->id; };
  std::vector<const Solid*> solids;
  solids.reserve(bodies.size() + obstacles.size());
  for (const Solid& body : bodies) solids.push_back(&body);
  const auto first_obstacle = static_cast<std::ptrdiff_t>(solids.size());
  for (const Solid& obstacle : obstacles) solids.push_back(&obstacle);
  std::sort(solids.begin(), solids.begin() + first_obstacle, by_id);
  std::sort(solids.begin() + first_obstacle, solids.end(), by_id);
  for (std::size_t i = 1; i < solids.size(); ++i)
    if (solids[i - 1]->id >= solids[i]->id)
      throw std::logic_error("find_contacts: ids must differ, and those of obstacles must be larger than those of bodies");
  return solids;
}

}  // namespace

void find_contacts_of(const Solid& a, const Solid& b, double envelope, Contacts& found) {
  const auto old = static_cast<std::ptrdiff_t>(found.size());
  const bool in_order = a.shape.index() <= b.shape.index();
  const Solid &first = in_order ? a : b, &second = in_order ? b : a;
  std::visit(
      [&]<typename First, typename Second>(const First& one, const Second& two) {
        if constexpr (Collides<First, Second>)
          collide(one, first.pose, two, second.pose, envelope, found);
        else
          throw InputError(*unsupported_pair(a.shape, b.shape));
      },
      first.shape, second.shape);
  for (auto contact = found.begin() + old; contact != found.end(); ++contact) {
    if (!in_order) {
      contact->normal = -contact->normal;
      std::swap(contact->id.feature_a, contact->id.feature_b);
    }
    contact->id.a = a.id;
    contact->id.b = b.id;
  }
  std::sort(found.begin() + old, found.end(), [](const Contact& x, const Contact& y) { return x.id < y.id; });
}

std::optional<std::string> unsupported_pair(const Shape& a, const Shape& b) {
  const bool in_order = a.index() <= b.index();
  const bool supported =
      std::visit([]<typename First, typename Second>(const First&, const Second&) { return Collides<First, Second>; },
                 in_order ? a : b, in_order ? b : a);
  if (supported) return std::nullopt;
  return fmt::format("contact of a {} and a {} is not supported", shape_name(a), shape_name(b));
}

Contacts find_contacts(std::span<const Solid> bodies, std::span<const Solid> obstacles, double envelope) {
  const std::vector<const Solid*> solids = ordered(bodies, obstacles);
  std::vector<BoundedBody> bounded;
  bounded.reserve(solids.size());
  for (std::size_t i = 0; i < solids.size(); ++i)
    bounded.push_back({static_cast<int>(i), i < bodies.size(), bounds_of(solids[i]->shape, solids[i]->pose)});

  Contacts found;
  for (const auto& [a, b] : close_pairs(bounded, envelope))
    find_contacts_of(*solids[static_cast<std::size_t>(a)], *solids[static_cast<std::size_t>(b)], envelope, found);
  return found;
}

}  // namespace ccp
