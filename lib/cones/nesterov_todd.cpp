#include "cones/nesterov_todd.hpp"

#include <cmath>
#include <limits>

namespace ccp {

double lorentz_gap(const Vector3& x) { return x[0] - x.tail<2>().norm(); }

double lorentz_determinant(const Vector3& x) {
  const double t = x.tail<2>().norm();
  return (x[0] - t) * (x[0] + t);
}

Vector3 jordan_product(const Vector3& x, const Vector3& y) {
  Vector3 product;
  product[0] = x.dot(y);
  product.tail<2>() = x[0] * y.tail<2>() + y[0] * x.tail<2>();
  return product;
}

Vector3 jordan_quotient(const Vector3& x, const Vector3& y) {
  Vector3 quotient;
  quotient[0] = (x[0] * y[0] - x.tail<2>().dot(y.tail<2>())) / lorentz_determinant(x);
  quotient.tail<2>() = (y.tail<2>() - quotient[0] * x.tail<2>()) / x[0];
  return quotient;
}

Vector3 lorentz_raise(const Vector3& x, double floor) {
  return lorentz_map(x, [floor](double value) { return std::max(floor, std::abs(value)); });
}

double lorentz_step(const Vector3& x, const Vector3& d) {
  const double root = std::sqrt(lorentz_determinant(x));
  const Vector3 unit = x / root;
  const double rho = (unit[0] * d[0] - unit.tail<2>().dot(d.tail<2>())) / root;
  const Vector2 tail = d.tail<2>() / root - (rho + d[0] / root) / (unit[0] + 1.0) * unit.tail<2>();
  const double inverse = tail.norm() - rho;
  return inverse > 0.0 ? 1.0 / inverse : std::numeric_limits<double>::infinity();
}

bool nesterov_todd(const Vector3& lambda, const Vector3& y, NesterovTodd& scaling) {
  const double det_lambda = lorentz_determinant(lambda), det_y = lorentz_determinant(y);
  if (!(lambda[0] > 0.0 && y[0] > 0.0 && det_lambda > 0.0 && det_y > 0.0)) return false;
  const Vector3 unit_lambda = lambda / std::sqrt(det_lambda), unit_y = y / std::sqrt(det_y);
  const double divisor = 2.0 * std::sqrt(0.5 * (1.0 + unit_lambda.dot(unit_y)));
  const Vector2 tail = (unit_y.tail<2>() - unit_lambda.tail<2>()) / divisor;
  const double t = tail.norm();
  const double beta = std::sqrt(std::sqrt(det_y) / std::sqrt(det_lambda));
  if (!(std::isfinite(t) && std::isfinite(beta) && beta > 0.0)) return false;
  if (t == 0.0) {
    scaling.basis.setIdentity();
    scaling.weight.setConstant(beta);
  } else {
    const Vector2 q = tail / t;
    const double half = std::sqrt(0.5);
    scaling.basis << half, half, 0.0,      //
        half * q[0], -half * q[0], -q[1],  //
        half * q[1], -half * q[1], q[0];
    const double spread = std::sqrt(1.0 + t * t) + t;
    scaling.weight = Vector3(beta * spread, beta / spread, beta);
  }
  scaling.point = 0.5 * (scaling.apply(lambda) + scaling.apply_inverse(y));
  return lorentz_gap(scaling.point) > 0.0 && scaling.weight.allFinite();
}

}  // namespace ccp
