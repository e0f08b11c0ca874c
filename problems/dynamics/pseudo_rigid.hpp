#pragma once

#include <string>

#include "core/types.hpp"
#include "problems/dynamics/configuration.hpp"

namespace ccp {

using Matrix9 = Eigen::Matrix<double, 9, 9>;

/// A body that deforms uniformly: p = x + F X. 12 dofs: dx/dt, then dF/dt row by row. In its reference shape it is a
/// homogeneous ellipsoid, whose Euler tensor is E₀ = m/5 diag(radii²). St Venant–Kirchhoff material.
struct PseudoRigidBody {
  double mass = 1.0;                           ///< kg
  Vector3 radii = Vector3::Ones();             ///< half axes of the reference shape, m
  double lambda = 0.0;                         ///< Lamé's first parameter, Pa
  double shear = 1.0;                          ///< Lamé's second parameter, the shear modulus, Pa
  double damping = 0.0;                        ///< η of the damping η K, s
  Vector3 position = Vector3::Zero();          ///< x, centre of mass, m
  Matrix3 deformation = Matrix3::Identity();   ///< F
  Vector3 velocity = Vector3::Zero();          ///< m/s
  Matrix3 deformation_rate = Matrix3::Zero();  ///< dF/dt, 1/s
  double enters = 0.0;                         ///< s, as of a MovingBody

  /// E₀ as its three entries, kg m²
  Vector3 euler_tensor() const { return 0.2 * mass * radii.cwiseAbs2(); }
  double volume() const;  ///< of the reference shape, m³
};

/// An ellipsoid of half axes radii (m), density (kg/m³), Young's modulus (Pa) and Poisson's ratio, at rest at the origin.
/// damping: η, s; Koziara's examples have η = h. Throws InputError naming what is out of range.
PseudoRigidBody pseudo_rigid_ellipsoid(const Vector3& radii, double density, double young, double poisson, double damping);

/// Throws InputError naming what is wrong: a mass or size that is not positive, F that is singular or turned inside out, a
/// number that is not finite. name: "body 3".
void check_pseudo_rigid(const PseudoRigidBody& body, const std::string& name);

/// P = F (λ tr(G) I + 2 μ G), G = ½(FᵀF − I); Pa.
Matrix3 piola_stress(const PseudoRigidBody& body, const Matrix3& F);

/// ∂P/∂F, row by row; symmetric; Pa.
Matrix9 stress_tangent(const PseudoRigidBody& body, const Matrix3& F);

/// V (λ/2 tr(G)² + μ G:G), J.
double elastic_energy(const PseudoRigidBody& body);

/// The rotation next to F (of its polar decomposition), proper even where det F < 0.
Matrix3 nearest_rotation(const Matrix3& F);

/// The linearly implicit midpoint rule of Zhang and Skeel (Koziara, sec. 2) with stiffness damping, at the deformation F of
/// the half step: H = M + (η h + h²/4) K with K = V ∂P/∂F. K is taken at the rotation next to F where H would not be
/// positive definite; it is positive semidefinite there.
struct PseudoRigidStep {
  Eigen::Matrix<double, 12, 12> H;
  Eigen::Matrix<double, 12, 1> k;  ///< (M + h²/4 K) u + h f
};
/// force: at the centre, N.
PseudoRigidStep pseudo_rigid_step(const PseudoRigidBody& body, const Matrix3& F, const Vector3& force, double time_step);

/// (direction, direction Xᵀ), X = F⁻¹ (point − x): what a unit impulse along `direction` at `point` does to a body at
/// `placement`.
Eigen::Matrix<double, 12, 1> pseudo_rigid_impulse(const Placement& placement, const Vector3& point,
                                                  const Vector3& direction);

}  // namespace ccp
