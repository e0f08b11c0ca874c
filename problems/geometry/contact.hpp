#pragma once

#include <compare>
#include <vector>

#include "core/types.hpp"

namespace ccp {

enum class ContactKind {
  smooth,  ///< one point of a curved body
  corner,  ///< a corner of a box at an obstacle without edges
  face,    ///< a corner of the polygon that a face of one box shares with a face of the other
  edge,    ///< the closest points of two boxes that lie on edges or corners of both
  field,   ///< with a signed distance
};

/// Names a contact from step to step, in the order of the members: body a, body b, kind, features. a < b; obstacles have the
/// larger numbers. Features are 0 on smooth surfaces, facet + 1 on a drum, BoxFeature on boxes, and with a
/// signed distance its part + 1 for a ball, else a triangle + 1 on the surface, after these the corners.
struct ContactId {
  int a = 0;
  int b = 0;
  ContactKind kind = ContactKind::smooth;
  int feature_a = 0;
  int feature_b = 0;

  auto operator<=>(const ContactId&) const = default;
};

/// Numbers of the faces, edges and corners of a box. A sign is 0 for the negative side and 1 for the positive one.
struct BoxFeature {
  /// 1 … 6; axis: of the normal.
  static constexpr int face(int axis, int sign) { return 1 + 2 * axis + sign; }
  /// 7 … 18; axis: along the edge; signs: bit i is the sign of coordinate i, the one of `axis` is ignored.
  static constexpr int edge(int axis, int signs) {
    const int low = axis == 0 ? 1 : 0, high = axis == 2 ? 1 : 2;
    return 7 + 4 * axis + ((signs >> low) & 1) + 2 * ((signs >> high) & 1);
  }
  /// 19 … 26; signs: bit i is the sign of coordinate i.
  static constexpr int corner(int signs) { return 19 + signs; }
};

/// A contact in the world frame.
struct Contact {
  ContactId id;
  Vector3 point = Vector3::Zero();    ///< halfway between the surfaces, where the impulse acts, m
  Vector3 normal = Vector3::UnitZ();  ///< unit vector from a to b: u_n >= 0 separates
  double gap = 0.0;                   ///< Φ, m; negative where the bodies overlap
};

using Contacts = std::vector<Contact>;

}  // namespace ccp
