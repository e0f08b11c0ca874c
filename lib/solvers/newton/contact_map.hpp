#pragma once

#include <cmath>

#include "cones/strict_projection.hpp"
#include "core/constraints.hpp"
#include "core/types.hpp"
#include "problem/model.hpp"

namespace ccp {

/// Value and derivative of the map P whose fixed points x = P(x − ρu) solve one constraint.
struct ContactMap {
  Vector3 value;       ///< P(s); entries beyond the rows of the constraint are zero
  Matrix3 derivative;  ///< an element B of the generalised Jacobian of P; zero where P is constantly zero
  bool open;           ///< P is zero around s: the Newton row of this constraint is an identity row
};

/// The map of a constraint at s = x − ρu (padded to 3 entries; N·s):
/// ncp: the Alart–Curnier map, g = max(s_N, 0) and the tangential part on the disk of radius μ g (Alart and Curnier 1991;
/// its derivative is unsymmetric); ccp: the Euclidean projection on K. Unilateral: max(s, 0); bilateral: s. In ncp, u is the
/// plain local velocity: no De Saxcé term.
ContactMap contact_map(ConstraintKind kind, double mu, Model model, const Vector3& s);

/// P(s) alone.
Vector3 contact_map_value(ConstraintKind kind, double mu, Model model, const Vector3& s);

/// The Alart–Curnier map of a 3D contact, inline.
struct StrictContact {
  double mu;

  [[gnu::always_inline]] Vector3 value(const Vector3& s) const { return project_strict(s, mu); }
  [[gnu::always_inline]] ContactMap map(const Vector3& s) const {
    const double t = s.tail<2>().norm(), radius = mu * s[0];
    const bool open = s[0] <= 0.0, slipping = !open && t > radius;
    // Along the tangent e of the slip: P_T = radius e, so B_T = (radius/t)(I − e eᵀ), with a column μ e for the normal.
    const double e1 = slipping ? s[1] / t : 0.0, e2 = slipping ? s[2] / t : 0.0;
    const double one = open ? 0.0 : 1.0, k = slipping ? radius / t : one;
    ContactMap map;
    map.open = open;
    map.value << (open ? 0.0 : s[0]),
        (slipping ? radius * e1
         : open   ? 0.0
                  : s[1]),
        (slipping ? radius * e2
         : open   ? 0.0
                  : s[2]);
    map.derivative << one, 0.0, 0.0,                 //
        mu * e1, k * (1.0 - e1 * e1), -k * e1 * e2,  //
        mu * e2, -k * e1 * e2, k * (1.0 - e2 * e2);
    return map;
  }
};

/// That of a contact in the plane, whose last entries are zero.
struct StrictPlanarContact {
  double mu;

  [[gnu::always_inline]] Vector3 value(const Vector3& s) const { return map(s).value; }
  [[gnu::always_inline]] ContactMap map(const Vector3& s) const {
    const double radius = mu * s[0];
    const bool open = s[0] <= 0.0, slipping = !open && std::abs(s[1]) > radius;
    const double e = !slipping ? 0.0 : s[1] > 0.0 ? 1.0 : -1.0;
    ContactMap map;
    map.open = open;
    map.value << (open ? 0.0 : s[0]), (slipping ? radius * e : open ? 0.0 : s[1]), 0.0;
    map.derivative << (open ? 0.0 : 1.0), 0.0, 0.0,   //
        mu * e, (open || slipping ? 0.0 : 1.0), 0.0,  //
        0.0, 0.0, 0.0;
    return map;
  }
};

/// The map of any constraint, with the functions of StrictContact.
struct AnyConstraint {
  ConstraintKind kind;
  double mu;
  Model model;

  Vector3 value(const Vector3& s) const { return contact_map_value(kind, mu, model, s); }
  ContactMap map(const Vector3& s) const { return contact_map(kind, mu, model, s); }
};

/// ‖x − P(x − ρu)‖ of one constraint, N·s: 0 at its solutions.
template <typename Map>
[[gnu::always_inline]] inline double fixed_point_defect(const Map& map, const Vector3& x, const Vector3& u, double rho) {
  return (x - map.value(x - rho * u)).norm();
}

}  // namespace ccp
