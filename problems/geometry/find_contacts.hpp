#pragma once

#include <optional>
#include <span>
#include <string>

#include "problems/geometry/contact.hpp"
#include "problems/geometry/shape.hpp"

namespace ccp {

/// A body or an obstacle as collision sees it.
struct Solid {
  int id = 0;
  Shape shape;
  Pose pose;
};

/// Why there is no contact between two shapes, or nothing: a box or an ellipsoid has none with a solid cylinder, and
/// obstacles without bounds have none with each other.
std::optional<std::string> unsupported_pair(const Shape& a, const Shape& b);

/// Appends the contacts of two solids with gap <= envelope to `found`, ordered by id. InputError where a pair of shapes has
/// none.
void find_contacts_of(const Solid& a, const Solid& b, double envelope, Contacts& found);

/// All contacts with gap <= envelope (m, >= 0; 0 for what touches or overlaps) among the bodies and between bodies and
/// obstacles, ordered by id. The same bytes whatever the order of the bodies and of the obstacles: where a pair has a first
/// and a second, the ids decide. Ids differ, and those of obstacles are larger than those of bodies (std::logic_error).
/// InputError for a pair of shapes that has no contacts.
Contacts find_contacts(std::span<const Solid> bodies, std::span<const Solid> obstacles, double envelope);

}  // namespace ccp
