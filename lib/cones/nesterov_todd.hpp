#pragma once

#include "core/types.hpp"

/// Nesterov–Todd scaling and the Jordan algebra of the Lorentz cone L = {(x_0, x_1): x_0 >= ‖x_1‖}, in three dimensions. The
/// half-line x_0 >= 0 and the cone of two dimensions are the special cases with zeros behind: every function keeps them.
namespace ccp {

/// The scaling of an interior pair λ, y: the symmetric W with W λ = W⁻¹ y, by its eigenvectors. W² comes out of the same
/// ones without cancellation however far its eigenvalues are apart.
struct NesterovTodd {
  Matrix3 basis = Matrix3::Identity();  ///< orthonormal eigenvectors of W, column by column
  Vector3 weight = Vector3::Ones();     ///< eigenvalues of W, positive
  Vector3 point = Vector3::Zero();      ///< z = W λ = W⁻¹ y

  Vector3 apply(const Vector3& x) const { return basis * weight.cwiseProduct(basis.transpose() * x); }
  Vector3 apply_inverse(const Vector3& x) const { return basis * (basis.transpose() * x).cwiseQuotient(weight); }
};

/// Scaling of λ and y (Mangoni's thesis, sec. 4.14.2; Vandenberghe 2010, sec. 4). False when one of them is not in the
/// interior of L (or not finite); the scaling is then unspecified.
bool nesterov_todd(const Vector3& lambda, const Vector3& y, NesterovTodd& scaling);

/// x_0 − ‖x_1‖, the smaller eigenvalue of x: positive inside of L.
double lorentz_gap(const Vector3& x);
/// x_0² − ‖x_1‖² = xᵀJx, J = diag(1, −1, −1), without cancellation between the squares.
double lorentz_determinant(const Vector3& x);
/// x ∘ y = (xᵀy, x_0 y_1 + y_0 x_1) (thesis, eq. 4.34).
Vector3 jordan_product(const Vector3& x, const Vector3& y);
/// The p with x ∘ p = y (eq. 4.35); x must be in the interior of L.
Vector3 jordan_quotient(const Vector3& x, const Vector3& y);
/// x with each eigenvalue ξ replaced by change(ξ).
template <typename Change>
Vector3 lorentz_map(const Vector3& x, const Change& change) {
  const double t = x.tail<2>().norm();
  const double large = change(x[0] + t), small = change(x[0] - t);
  Vector3 mapped(0.5 * (large + small), 0.0, 0.0);
  if (t > 0.0) mapped.tail<2>() = 0.5 * (large - small) / t * x.tail<2>();
  return mapped;
}
/// x with each eigenvalue ξ replaced by max(floor, |ξ|).
Vector3 lorentz_raise(const Vector3& x, double floor);

/// The largest α >= 0 with x + α d in L, infinity when there is none; x must be in the interior (eq. 4.56, whose (c) gives
/// 1/α).
double lorentz_step(const Vector3& x, const Vector3& d);

}  // namespace ccp
