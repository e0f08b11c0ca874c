#include "cones/friction_cone.hpp"

#include <algorithm>

namespace ccp {
namespace detail {

template <int N>
ConePoint<N> project_slow(const ConePoint<N>& p, double mu) {
  if (!all_finite<N>(p, mu)) return not_a_number<N>();
  const ScaledPoint<N> scaled(p);
  const double p_n = scaled.point[0], t = scaled.norm;
  if (inside_cone(p_n, t, mu)) return p;
  if (inside_polar(p_n, t, mu)) return ConePoint<N>::Zero();
  const Slope slope(mu);
  // Coordinate along the generator below p; its sign is known here, but rounding is not aware of that.
  const double along = std::max(p_n * slope.cosine + t * slope.sine, 0.0);
  ConePoint<N> result = scaled.point;
  result[0] = along * slope.cosine;
  if (t > 0.0) shrink_tangent(result, std::min(along * slope.sine, t), t);
  return scaled.restored(result);
}

template ConePoint<2> project_slow<2>(const ConePoint<2>&, double);
template ConePoint<3> project_slow<3>(const ConePoint<3>&, double);

template <int N>
ConePoint<N> project_strict_slow(const ConePoint<N>& p, double mu) {
  if (!all_finite<N>(p, mu)) return not_a_number<N>();
  if (p[0] < 0.0) return ConePoint<N>::Zero();
  const ScaledPoint<N> scaled(p);
  const double radius = mu * scaled.point[0];
  if (scaled.norm <= radius) return p;
  ConePoint<N> result = scaled.point;
  shrink_tangent(result, radius, scaled.norm);
  result = scaled.restored(result);
  result[0] = p[0];
  return result;
}

template ConePoint<2> project_strict_slow<2>(const ConePoint<2>&, double);
template ConePoint<3> project_strict_slow<3>(const ConePoint<3>&, double);

}  // namespace detail

namespace {

using detail::ConeMatrix;
using detail::ConePoint;

/// diag(1, 0, ...): what remains of both projections when K is a ray.
template <int N>
ConeMatrix<N> normal_only() {
  ConeMatrix<N> matrix = ConeMatrix<N>::Zero();
  matrix(0, 0) = 1.0;
  return matrix;
}

/// Lee et al., eq. 23, with (cosine, sine) of the generator in place of (1, μ)/√(1 + μ²), which cannot overflow:
///   D = [ cosine²          sine·cosine qᵀ            ]   q = p_T/t,  k = ‖p_T'‖/t in [0, 1]
///       [ sine·cosine q    sine² q qᵀ + k (I − q qᵀ) ]
template <int N>
ConeMatrix<N> derivative(const ConePoint<N>& p, double t, double mu) {
  const double p_n = p[0];
  if (mu == 0.0) return p_n >= 0.0 ? normal_only<N>() : ConeMatrix<N>::Zero();
  if (detail::inside_cone(p_n, t, mu)) return ConeMatrix<N>::Identity();
  if (detail::inside_polar(p_n, t, mu)) return ConeMatrix<N>::Zero();
  const detail::Slope slope(mu);
  const Eigen::Matrix<double, N - 1, 1> q = p.template tail<N - 1>() / t;
  const Eigen::Matrix<double, N - 1, N - 1> along = q * q.transpose();  // by itself, so that it is exactly symmetric
  const double k = std::clamp((p_n * slope.cosine + t * slope.sine) * slope.sine / t, 0.0, 1.0);
  ConeMatrix<N> matrix;
  matrix(0, 0) = slope.cosine * slope.cosine;
  matrix.template block<N - 1, 1>(1, 0) = slope.sine * slope.cosine * q;
  matrix.template block<1, N - 1>(0, 1) = matrix.template block<N - 1, 1>(1, 0).transpose();
  auto tangential = matrix.template bottomRightCorner<N - 1, N - 1>();
  tangential = (slope.sine * slope.sine - k) * along;
  tangential.diagonal().array() += k;
  return matrix;
}

template <int N>
ConeMatrix<N> derivative(const ConePoint<N>& p, double mu) {
  const double square = detail::tangent_square(p);
  if (detail::in_safe_range<N>(p, square, mu)) return derivative<N>(p, std::sqrt(square), mu);
  if (!detail::all_finite<N>(p, mu)) return ConeMatrix<N>::Constant(std::numeric_limits<double>::quiet_NaN());
  const detail::ScaledPoint<N> scaled(p);
  return derivative<N>(scaled.point, scaled.norm, mu);
}

double distance_to_cone(double p_n, double t, double mu) {
  if (detail::inside_cone(p_n, t, mu)) return 0.0;
  if (detail::inside_polar(p_n, t, mu)) return std::hypot(p_n, t);
  const detail::Slope slope(mu);
  return std::max(t * slope.cosine - p_n * slope.sine, 0.0);
}

template <int N>
double distance_to_cone(const ConePoint<N>& p, double mu) {
  const double square = detail::tangent_square(p);
  if (detail::in_safe_range<N>(p, square, mu)) return distance_to_cone(p[0], std::sqrt(square), mu);
  if (!detail::all_finite<N>(p, mu)) return std::numeric_limits<double>::quiet_NaN();
  const detail::ScaledPoint<N> scaled(p);
  return std::ldexp(distance_to_cone(scaled.point[0], scaled.norm, mu), scaled.exponent);
}

}  // namespace

Matrix3 friction_cone_derivative(const Vector3& p, double mu) { return derivative<3>(p, mu); }
Matrix2 friction_cone_derivative(const Vector2& p, double mu) { return derivative<2>(p, mu); }

double distance_to_friction_cone(const Vector3& p, double mu) { return distance_to_cone<3>(p, mu); }
double distance_to_friction_cone(const Vector2& p, double mu) { return distance_to_cone<2>(p, mu); }

}  // namespace ccp
