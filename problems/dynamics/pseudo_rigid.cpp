#include "problems/dynamics/pseudo_rigid.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <Eigen/SVD>

#include "core/error.hpp"
#include "core/text.hpp"
#include "problems/dynamics/body.hpp"
#include "problems/dynamics/state.hpp"

namespace ccp {
namespace {

constexpr double pi = 3.14159265358979323846;

/// Second Piola–Kirchhoff stress S = λ tr(G) I + 2 μ G.
Matrix3 second_stress(const PseudoRigidBody& body, const Matrix3& F) {
  const Matrix3 G = 0.5 * (F.transpose() * F - Matrix3::Identity());
  return body.lambda * G.trace() * Matrix3::Identity() + 2.0 * body.shear * G;
}

}  // namespace

double PseudoRigidBody::volume() const { return 4.0 / 3.0 * pi * radii.prod(); }

PseudoRigidBody pseudo_rigid_ellipsoid(const Vector3& radii, double density, double young, double poisson, double damping) {
  require_positive(density, "density of a pseudo-rigid body", "kg/m³");
  require_positive(young, "Young's modulus of a pseudo-rigid body", "Pa");
  if (!(poisson >= 0.0 && poisson < 0.5))
    throw InputError(
        fmt::format("Poisson's ratio of a pseudo-rigid body is {}, expected 0 <= ν < 0.5", format_double(poisson)));
  PseudoRigidBody body;
  body.radii = radii;
  body.mass = density * body.volume();
  body.lambda = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
  body.shear = young / (2.0 * (1.0 + poisson));
  body.damping = damping;
  check_pseudo_rigid(body, "a pseudo-rigid body");
  return body;
}

void check_pseudo_rigid(const PseudoRigidBody& body, const std::string& name) {
  for (Index axis = 0; axis < 3; ++axis) require_positive(body.radii[axis], "radius of " + name, "m");
  require_positive(body.mass, "mass of " + name, "kg");
  require_positive(body.shear, "shear modulus of " + name, "Pa");
  if (!(body.lambda >= 0.0) || !(body.damping >= 0.0))
    throw InputError(fmt::format("Lamé's first parameter and damping of {} are {} Pa and {} s, expected >= 0", name,
                                 format_double(body.lambda), format_double(body.damping)));
  require_finite(body.lambda, "Lamé's first parameter of " + name);
  require_finite(body.damping, "damping of " + name);
  require_finite(body.position, "position of " + name);
  require_finite(body.velocity, "velocity of " + name);
  require_finite(body.enters, "time when " + name + " enters");
  for (Index row = 0; row < 3; ++row) {
    require_finite(Vector3(body.deformation.row(row)), "deformation gradient of " + name);
    require_finite(Vector3(body.deformation_rate.row(row)), "rate of deformation of " + name);
  }
  if (const double ratio = body.deformation.determinant(); !(ratio > 0.0))
    throw InputError(
        fmt::format("{} is deformed to {} times its volume, expected a positive number", name, format_double(ratio)));
}

Matrix3 piola_stress(const PseudoRigidBody& body, const Matrix3& F) { return F * second_stress(body, F); }

Matrix9 stress_tangent(const PseudoRigidBody& body, const Matrix3& F) {
  // dP = dF S + F dS, dS = λ tr(Fᵀ dF) I + μ (dFᵀ F + Fᵀ dF)
  const Matrix3 S = second_stress(body, F), left = F * F.transpose();
  Matrix9 K;
  for (Index i = 0; i < 3; ++i)
    for (Index j = 0; j < 3; ++j)
      for (Index k = 0; k < 3; ++k)
        for (Index l = 0; l < 3; ++l) {
          double entry = body.lambda * F(i, j) * F(k, l) + body.shear * F(i, l) * F(k, j);
          if (i == k) entry += S(l, j);
          if (j == l) entry += body.shear * left(i, k);
          K(3 * i + j, 3 * k + l) = entry;
        }
  return 0.5 * (K + K.transpose());
}

double elastic_energy(const PseudoRigidBody& body) {
  const Matrix3& F = body.deformation;
  const Matrix3 G = 0.5 * (F.transpose() * F - Matrix3::Identity());
  return body.volume() * (0.5 * body.lambda * G.trace() * G.trace() + body.shear * G.squaredNorm());
}

Matrix3 nearest_rotation(const Matrix3& F) {
  const Eigen::JacobiSVD<Matrix3> svd(F, Eigen::ComputeFullU | Eigen::ComputeFullV);
  const double sign = svd.matrixU().determinant() * svd.matrixV().determinant() < 0.0 ? -1.0 : 1.0;
  return svd.matrixU() * Vector3(1.0, 1.0, sign).asDiagonal() * svd.matrixV().transpose();
}

PseudoRigidStep pseudo_rigid_step(const PseudoRigidBody& body, const Matrix3& F, const Vector3& force, double time_step) {
  const double h = time_step, volume = body.volume();
  const Vector3 E = body.euler_tensor();
  Eigen::Matrix<double, 9, 1> M;
  M << E, E, E;
  const auto stiff = [&](const Matrix9& K) -> Matrix9 {
    return Matrix9(M.asDiagonal()) + (body.damping * h + 0.25 * h * h) * K;
  };
  Matrix9 K = volume * stress_tangent(body, F);
  Matrix9 deforming = stiff(K);
  if (Eigen::LLT<Matrix9>(deforming).info() != Eigen::Success) {
    K = volume * stress_tangent(body, nearest_rotation(F));
    deforming = stiff(K);
  }
  PseudoRigidStep step;
  step.H.setZero();
  step.H.topLeftCorner<3, 3>().diagonal().setConstant(body.mass);
  step.H.bottomRightCorner<9, 9>() = deforming;
  const Eigen::Matrix<double, 9, 1> rate = by_rows(body.deformation_rate);
  step.k.head<3>() = body.mass * body.velocity + h * force;
  step.k.tail<9>() = M.cwiseProduct(rate) + 0.25 * h * h * (K * rate) - h * volume * by_rows(piola_stress(body, F));
  return step;
}

Eigen::Matrix<double, 12, 1> pseudo_rigid_impulse(const Placement& placement, const Vector3& point,
                                                  const Vector3& direction) {
  const Vector3 X = placement.rotation.inverse() * (point - placement.position);
  Eigen::Matrix<double, 12, 1> impulse;
  impulse << direction, direction[0] * X, direction[1] * X, direction[2] * X;
  return impulse;
}

}  // namespace ccp
