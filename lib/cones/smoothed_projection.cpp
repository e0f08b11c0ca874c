#include "cones/smoothed_projection.hpp"

#include <cmath>

namespace ccp {
namespace {

/// ω g(λ/ω) = (λ + (λ² + 4ω²)^½)/2, the smoothed max(0, λ), with its derivative.
struct SmoothedPart {
  double value, derivative, root;
  SmoothedPart(double lambda, double omega) : root(omega > 0.0 ? std::hypot(lambda, 2.0 * omega) : std::abs(lambda)) {
    value = lambda >= 0.0 || root == 0.0 ? 0.5 * (lambda + root) : 2.0 * omega * (omega / (root - lambda));
    derivative = root > 0.0 ? value / root : 0.0;
  }
};

/// m_ω(z) in its two spectral parts.
struct Spectrum {
  double t, square;
  SmoothedPart first, second;
  Spectrum(const Vector3& z, double mu, double omega)
      : t(std::hypot(z[1], z[2])),
        square(1.0 + mu * mu),
        first((-z[0] - mu * t) / square, omega),
        second((t - mu * z[0]) / square, mu * omega) {}

  double normal(double mu) const { return -first.value - mu * second.value; }
  /// The tangential part is that of z times this, the secant slope (g₂ − μg₁)/(λ₂ − μλ₁). The difference below is t, so
  /// that no small number is divided by another.
  double tangential(double mu) const {
    const double roots = second.root + mu * first.root;
    return roots > 0.0 ? (second.value + mu * first.value) / roots : first.derivative;
  }
};

/// μ((‖u_T‖² + ω²)^½ − ω), with root = (‖u_T‖² + ω²)^½ > 0.
double normal_shift(double mu, double t, double root, double omega) { return mu * t * (t / (root + omega)); }

}  // namespace

Vector3 smoothed_polar_value(const Vector3& z, double mu, double omega) {
  const Spectrum parts(z, mu, omega);
  Vector3 value(parts.normal(mu), 0.0, 0.0);
  if (parts.t != 0.0) value.tail<2>() = parts.tangential(mu) * z.tail<2>();
  return value;
}

SmoothedProjection smoothed_polar_projection(const Vector3& z, double mu, double omega) {
  const Spectrum parts(z, mu, omega);
  const auto& [t, square, first, second] = parts;
  SmoothedProjection result{Vector3::Zero(), Matrix3::Identity()};
  result.value[0] = parts.normal(mu);
  if (t == 0.0) {
    result.gradient *= first.derivative;
    return result;
  }
  const double a = parts.tangential(mu);
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

Vector3 smoothed_de_saxce_value(const Vector3& u, double mu, double omega) {
  const double t = std::hypot(u[1], u[2]), root = omega > 0.0 ? std::hypot(t, omega) : t;
  if (root == 0.0) return u;
  return {u[0] + normal_shift(mu, t, root, omega), u[1], u[2]};
}

SmoothedProjection smoothed_de_saxce(const Vector3& u, double mu, double omega) {
  SmoothedProjection result{u, Matrix3::Identity()};
  const double t = std::hypot(u[1], u[2]), root = std::hypot(t, omega);
  if (root == 0.0) return result;
  result.value[0] += normal_shift(mu, t, root, omega);
  result.gradient.block<1, 2>(0, 1) = (mu / root) * u.tail<2>().transpose();
  return result;
}

}  // namespace ccp
