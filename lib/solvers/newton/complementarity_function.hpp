#pragma once

#include "core/constraints.hpp"
#include "core/types.hpp"
#include "problem/model.hpp"

namespace ccp {

/// Functions Φ(x, u) of an impulse and a local velocity (padded to 3 entries). Their roots are the solutions of one
/// constraint.
enum class ComplementarityFunction { alart_curnier, natural_map, fischer_burmeister };

/// Φ at one point with an element of its generalised Jacobian, dΦ = by_velocity du + by_impulse dx. Unit of Φ: that of x,
/// N·s.
struct ComplementarityValue {
  Vector3 value;
  Matrix3 by_velocity;  ///< kg
  Matrix3 by_impulse;
  bool identity;  ///< by_velocity is zero and by_impulse the identity
};

/// rho > 0 (kg) converts velocities to the unit of impulses.
///
/// alart_curnier: x − P(x − ρu), P normal part on [0, ∞), tangential part on the disk of radius μ P_n (ncp; Alart and
/// Curnier 1991). natural_map: x − Π_K(x − ρû), û with the De Saxcé term in ncp. fischer_burmeister: x̂ + ŷ − (x̂² + ŷ²)^½ in
/// the Jordan algebra of the Lorentz cone, x̂ = (μx_n, x_T), ŷ = ρ(û_n, μu_T) (Fukushima, Luo and Tseng 2002); for μ = 0 and
/// unilateral constraints the scalar function of Fischer 1992. In ccp alart_curnier is the natural map.
ComplementarityValue complementarity(ComplementarityFunction function, ConstraintKind kind, double mu, Model model,
                                     const Vector3& x, const Vector3& u, double rho);

/// Φ alone.
Vector3 complementarity_value(ComplementarityFunction function, ConstraintKind kind, double mu, Model model,
                              const Vector3& x, const Vector3& u, double rho);

}  // namespace ccp
