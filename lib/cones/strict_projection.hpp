#pragma once

#include "cones/cone_kernels.hpp"
#include "core/types.hpp"

/// The strict (nested) projection on the friction cone of Lee et al., eq. 17: first the normal, p_n' = max(p_n, 0), then the
/// tangential part onto the disk of radius μ p_n'. It maps into K and fixes K (bit for bit), but is not the Euclidean
/// projection. Arguments, units, extreme values and NaN as in friction_cone.hpp.
namespace ccp {

inline Vector3 project_strict(const Vector3& p, double mu) { return detail::project_strict<3>(p, mu); }
inline Vector2 project_strict(const Vector2& p, double mu) { return detail::project_strict<2>(p, mu); }

/// Derivative of project_strict (differentiated from eq. 17; eq. 23 is that of the Euclidean projection): not symmetric.
/// p_n < 0: zero. Inside the disk: identity. Outside, with q = p_T/t: rows (1, 0) and (μ q, (μ p_n/t)(I − q qᵀ)).
/// At kinks: p_n = 0 counts as closed (the limit p_n -> 0+), the rim of the disk and p = 0 as inside. For μ = 0 and p_n >= 0
/// the derivative is diag(1, 0, 0).
Matrix3 strict_derivative(const Vector3& p, double mu);
Matrix2 strict_derivative(const Vector2& p, double mu);

}  // namespace ccp
