#include "cones/strict_projection.hpp"

namespace ccp {
namespace detail {

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

template <int N>
ConeMatrix<N> strict_derivative_of(const ConePoint<N>& p, double t, double mu) {
  ConeMatrix<N> matrix = ConeMatrix<N>::Zero();
  if (p[0] < 0.0) return matrix;
  const double radius = mu * p[0];
  if (mu > 0.0 && t <= radius) return ConeMatrix<N>::Identity();
  matrix(0, 0) = 1.0;
  if (mu == 0.0) return matrix;
  const Eigen::Matrix<double, N - 1, 1> q = p.template tail<N - 1>() / t;
  const double k = radius / t;
  matrix.template block<N - 1, 1>(1, 0) = mu * q;
  auto tangential = matrix.template bottomRightCorner<N - 1, N - 1>();
  tangential = -k * q * q.transpose();
  tangential.diagonal().array() += k;
  return matrix;
}

template <int N>
ConeMatrix<N> strict_derivative_of(const ConePoint<N>& p, double mu) {
  const double square = detail::tangent_square(p);
  if (detail::is_common<N>(p, square, mu)) return strict_derivative_of<N>(p, std::sqrt(square), mu);
  if (!detail::all_finite<N>(p, mu)) return ConeMatrix<N>::Constant(std::numeric_limits<double>::quiet_NaN());
  const detail::ScaledPoint<N> scaled(p);
  return strict_derivative_of<N>(scaled.point, scaled.norm, mu);
}

}  // namespace

Matrix3 strict_derivative(const Vector3& p, double mu) { return strict_derivative_of<3>(p, mu); }
Matrix2 strict_derivative(const Vector2& p, double mu) { return strict_derivative_of<2>(p, mu); }

}  // namespace ccp
