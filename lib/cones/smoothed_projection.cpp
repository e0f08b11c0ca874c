#include "cones/smoothed_projection.hpp"

#include <cmath>

namespace ccp {
namespace {

/// ω g(λ/ω) = (λ + (λ² + 4ω²)^½)/2, the smoothed max(0, λ), with its derivative.
struct SmoothedPart {
  double value, derivative, root;
  SmoothedPart(double lambda, double omega) : root(std::hypot(lambda, 2.0 * omega)) {
    value = lambda >= 0.0 || root == 0.0 ? 0.5 * (lambda + root) : 2.0 * omega * (omega / (root - lambda));
    derivative = root > 0.0 ? value / root : 0.0;
  }
};

}  // namespace

SmoothedProjection smoothed_polar_projection(const Vector3& z, double mu, double omega) {
  const double t = std::hypot(z[1], z[2]), square = 1.0 + mu * mu;
  const SmoothedPart first((-z[0] - mu * t) / square, omega), second((t - mu * z[0]) / square, mu * omega);
  SmoothedProjection result{Vector3::Zero(), Matrix3::Identity()};
  result.value[0] = -first.value - mu * second.value;
  if (t == 0.0) {
    result.gradient *= first.derivative;
    return result;
  }
  // The secant slope (g₂ − μg₁)/(λ₂ − μλ₁); the difference below is t, so that no small number is divided by another.
  const double roots = second.root + mu * first.root;
  const double a = roots > 0.0 ? (second.value + mu * first.value) / roots : first.derivative;
  const double b = (mu * mu * first.derivative + second.derivative) / square;
  const double c = mu * (first.derivative - second.derivative) / square;
  const double d = (first.derivative + mu * mu * second.derivative) / square;
  const Vector2 e = z.tail<2>() / t;
  result.value.tail<2>() = a * z.tail<2>();
  result.gradient(0, 0) = d;
  result.gradient.block<2, 1>(1, 0) = c * e;
  result.gradient.block<1, 2>(0, 1) = c * e.transpose();
  result.gradient.block<2, 2>(1, 1) = a * Matrix2::Identity() + (b - a) * Matrix2(e * e.transpose());
  return result;
}

SmoothedProjection smoothed_de_saxce(const Vector3& u, double mu, double omega) {
  SmoothedProjection result{u, Matrix3::Identity()};
  const double t = std::hypot(u[1], u[2]), root = std::hypot(t, omega);
  if (root == 0.0) return result;
  result.value[0] += mu * t * (t / (root + omega));
  result.gradient.block<1, 2>(0, 1) = (mu / root) * u.tail<2>().transpose();
  return result;
}

}  // namespace ccp
