#pragma once

#include "cones/cone_kernels.hpp"
#include "core/types.hpp"

/// The friction cone K = {(p_n, p_T): ‖p_T‖ <= μ p_n}, normal component first, in 3D (two tangents) and 2D (one tangent).
/// Its dual is K* = {u_n >= μ ‖u_T‖}, its polar is K° = −K*. All functions need finite μ >= 0 (dimensionless); μ = 0 makes K
/// the ray p_T = 0, p_n >= 0. The unit of a result is that of p: N·s for impulses, m/s for velocities.
///
/// Every function is total: finite input (entries up to 1e308) gives finite output, also for huge μ, denormal entries and
/// entries whose squares overflow. A NaN or infinite entry makes every entry of a result NaN, so that divergence shows;
/// membership is then false. Nothing throws.
namespace ccp {

/// Euclidean projection on K. With t = ‖p_T‖: inside (t <= μ p_n) -> p; polar (μ t <= −p_n) -> 0;
/// else p_n' = (p_n + μ t)/(1 + μ²), p_T' = μ p_n' p_T/t.
/// A point inside K is returned unchanged, bit for bit, and a projected point tests as inside K: projecting twice changes
/// nothing (for μ beyond 1e100 and entries outside 1e-100 … 1e100 up to rounding).
inline Vector3 project_friction_cone(const Vector3& p, double mu) { return detail::project<3>(p, mu); }
inline Vector2 project_friction_cone(const Vector2& p, double mu) { return detail::project<2>(p, mu); }

/// An element of the generalised Jacobian of project_friction_cone at p: symmetric, eigenvalues in [0, 1]; the derivative
/// where the projection is differentiable (Lee et al., eq. 23). At kinks: the identity on the boundary of K and at 0, zero
/// on the rest of the boundary of K°. For μ = 0 the sets have no such boundary: diag(1, 0, 0) for p_n >= 0, else zero.
Matrix3 friction_cone_derivative(const Vector3& p, double mu);
Matrix2 friction_cone_derivative(const Vector2& p, double mu);

/// Euclidean distance to K; exactly 0 inside.
double distance_to_friction_cone(const Vector3& p, double mu);
double distance_to_friction_cone(const Vector2& p, double mu);

}  // namespace ccp
