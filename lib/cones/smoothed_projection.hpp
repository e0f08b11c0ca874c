#pragma once

#include "core/types.hpp"

/// The smoothed projection on the polar cone K° of Koziara 2017, eqs. 24–38, after Fukushima, Luo and Tseng 2002: smooth for
/// omega > 0, the projection itself for omega = 0. Normal component first; a planar contact has a zero as its last entry.
/// Arguments: finite z, mu >= 0, omega >= 0 (unit of z). Written so that nothing cancels or divides by zero as mu, omega or
/// the tangential part become small; nothing throws.
namespace ccp {

/// Value, unit of z, and gradient, symmetric with eigenvalues in [0, 1].
struct SmoothedProjection {
  Vector3 value;
  Matrix3 gradient;
};

/// m_ω(z) and ∇m_ω(z) (H.9, H.10). At kinks (omega = 0) an element of the generalised Jacobian.
SmoothedProjection smoothed_polar_projection(const Vector3& z, double mu, double omega);
/// m_ω(z) alone, to the last bit.
Vector3 smoothed_polar_value(const Vector3& z, double mu, double omega);

/// The De Saxcé velocity F_ω(u) = u + (mu ((‖u_T‖² + ω²)^½ − ω), 0, 0) and its gradient (Koziara 2017, eq. 39; H.11).
SmoothedProjection smoothed_de_saxce(const Vector3& u, double mu, double omega);
/// F_ω(u) alone, to the last bit.
Vector3 smoothed_de_saxce_value(const Vector3& u, double mu, double omega);

}  // namespace ccp
