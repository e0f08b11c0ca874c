#include "solvers/newton/complementarity_function.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "cones/friction_cone.hpp"
#include "solvers/newton/contact_map.hpp"

namespace ccp {
namespace {

/// û and its derivative with respect to u.
struct Shifted {
  Vector3 velocity;
  Matrix3 derivative = Matrix3::Identity();

  Shifted(const Vector3& u, double mu, Model model) : velocity(u) {
    const double slip = u.tail<2>().norm();
    if (model == Model::ccp || slip == 0.0) return;
    velocity[0] += mu * slip;
    derivative.block<1, 2>(0, 1) = mu * u.tail<2>().transpose() / slip;
  }
};

/// L_x of the Jordan product: x ∘ y = L_x y.
Matrix3 arrow(const Vector3& x) {
  Matrix3 matrix = x[0] * Matrix3::Identity();
  matrix.row(0) = x.transpose();
  matrix.col(0) = x;
  return matrix;
}

/// The square root has a derivative where no eigenvalue is below this times the largest.
constexpr double differentiable = 1e-14;

/// (x∘x + y∘y)^½, its small eigenvalue no less than `floor` times the large one. With w along x₀x̄ + y₀ȳ the small eigenvalue
/// of the sum of squares, |x|² + |y|² − 2|x₀x̄ + y₀ȳ|, is itself a sum of squares, so that nothing cancels (H.8).
Vector3 root_of_squares(const Vector3& x, const Vector3& y, double floor) {
  Vector2 w = x[0] * x.tail<2>() + y[0] * y.tail<2>();
  const double half = w.norm();
  if (half > 0.0) w /= half;
  const auto part = [&w](const Vector3& z) { return std::hypot(z[0] - z.tail<2>().dot(w), z[1] * w[1] - z[2] * w[0]); };
  const double large = std::sqrt(x.squaredNorm() + y.squaredNorm() + 2.0 * half);
  const double small = half > 0.0 ? std::max(std::hypot(part(x), part(y)), floor * large) : large;
  Vector3 root;
  root[0] = 0.5 * (large + small);
  root.tail<2>() = 0.5 * (large - small) * w;
  return root;
}

ComplementarityValue scalar_fischer_burmeister(double x, double u, double rho) {
  ComplementarityValue result{Vector3::Zero(), Matrix3::Zero(), Matrix3::Identity(), false};
  const double y = rho * u, root = std::hypot(x, y);
  result.value[0] = x + y - root;
  const double cosine = root > 0.0 ? x / root : std::sqrt(0.5), sine = root > 0.0 ? y / root : std::sqrt(0.5);
  result.by_impulse(0, 0) = 1.0 - cosine;
  result.by_velocity(0, 0) = rho * (1.0 - sine);
  return result;
}

ComplementarityValue cone_fischer_burmeister(double mu, Model model, const Vector3& x, const Vector3& u, double rho,
                                             bool planar) {
  const Shifted shifted(u, mu, model);
  const Vector3 scale_x(mu, 1.0, 1.0), scale_y = rho * Vector3(1.0, mu, mu);
  Vector3 hat_x = scale_x.cwiseProduct(x), hat_y = scale_y.cwiseProduct(shifted.velocity);
  ComplementarityValue result;
  result.value = hat_x + hat_y - root_of_squares(hat_x, hat_y, 0.0);
  // The derivative does not change along rays from the origin: there it is taken from the ray x̂ = ŷ = e, as for scalars,
  // and elsewhere at unit size, where nothing underflows.
  const double size = std::max(hat_x.cwiseAbs().maxCoeff(), hat_y.cwiseAbs().maxCoeff());
  if (size > 0.0) {
    hat_x /= size;
    hat_y /= size;
  } else {
    hat_x = hat_y = Vector3::UnitX();
  }
  const Matrix3 inverse = arrow(root_of_squares(hat_x, hat_y, differentiable)).inverse();
  result.by_impulse = (Matrix3::Identity() - inverse * arrow(hat_x)) * scale_x.asDiagonal();
  result.by_velocity = (Matrix3::Identity() - inverse * arrow(hat_y)) * scale_y.asDiagonal() * shifted.derivative;
  result.identity = false;
  if (planar) {
    result.by_velocity.row(2).setZero();
    result.by_velocity.col(2).setZero();
    result.by_impulse.row(2).setZero();
    result.by_impulse.col(2).setZero();
    result.by_impulse(2, 2) = 1.0;
  }
  return result;
}

/// x − P(x − ρ u) from a map P and its derivative.
ComplementarityValue fixed_point_function(ConstraintKind kind, double mu, Model model, const Vector3& x,
                                          const Shifted& shifted, double rho) {
  const ContactMap map = contact_map(kind, mu, model, x - rho * shifted.velocity);
  return {x - map.value, rho * map.derivative * shifted.derivative, Matrix3::Identity() - map.derivative, map.open};
}

}  // namespace

ComplementarityValue complementarity(ComplementarityFunction function, ConstraintKind kind, double mu, Model model,
                                     const Vector3& x, const Vector3& u, double rho) {
  if (function == ComplementarityFunction::fischer_burmeister && kind != ConstraintKind::bilateral) {
    if (kind == ConstraintKind::unilateral || mu == 0.0) {
      ComplementarityValue result = scalar_fischer_burmeister(x[0], u[0], rho);
      result.value.tail<2>() = x.tail<2>();
      return result;
    }
    return cone_fischer_burmeister(mu, model, x, u, rho, kind == ConstraintKind::contact2d);
  }
  if (function == ComplementarityFunction::natural_map && has_friction(kind))
    return fixed_point_function(kind, mu, Model::ccp, x, Shifted(u, mu, model), rho);
  return fixed_point_function(kind, mu, model, x, Shifted(u, mu, Model::ccp), rho);
}

Vector3 complementarity_value(ComplementarityFunction function, ConstraintKind kind, double mu, Model model,
                              const Vector3& x, const Vector3& u, double rho) {
  if (function == ComplementarityFunction::fischer_burmeister)
    return complementarity(function, kind, mu, model, x, u, rho).value;
  const bool shifted = function == ComplementarityFunction::natural_map && has_friction(kind);
  const Vector3 velocity = shifted ? Shifted(u, mu, model).velocity : u;
  return x - contact_map_value(kind, mu, shifted ? Model::ccp : model, Vector3(x - rho * velocity));
}

}  // namespace ccp
