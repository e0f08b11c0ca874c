#pragma once

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

}  // namespace ccp
