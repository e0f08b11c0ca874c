#pragma once

#include <algorithm>
#include <cmath>

#include "cones/cone_kernels.hpp"
#include "core/types.hpp"

/// What a projection takes off a contact's point, found by parts: the difference of two nearly equal points is never formed.
/// Impulses come divided by a step, g = γ/ρ, so that all arguments and results are velocities (m/s). Arguments are total and
/// NaN shows, as in friction_cone.hpp.
namespace ccp {

/// The velocity that belongs to an impulse in a contact's law.
enum class Correction {
  none,     ///< w = u
  de_saxce  ///< w = û = u + (μ ‖u_T‖, 0, 0); kept as its two summands, since the second can hide u_n
};

namespace detail {

/// The two coordinates of a tangential vector along q = p_T/‖p_T‖ and across it.
template <int N>
double along(const ConePoint<N>& q, const ConePoint<N>& x) {
  if constexpr (N == 2)
    return q[1] * x[1];
  else
    return q[1] * x[1] + q[2] * x[2];
}
template <int N>
double across(const ConePoint<N>& a, const ConePoint<N>& b) {
  if constexpr (N == 2)
    return 0.0;
  else
    return a[1] * b[2] - a[2] * b[1];
}

/// x_T <- radial q + rest s, where s is the tangent across q.
template <int N>
void set_tangent(const ConePoint<N>& q, double radial, double rest, ConePoint<N>& x) {
  x[1] = radial * q[1];
  if constexpr (N == 3) {
    x[1] += rest * -q[2];
    x[2] = radial * q[2] + rest * q[1];
  }
}

/// ‖x_T‖ − q·x_T >= 0 without cancellation: part = q·x_T, rest = the coordinate of x_T across q.
inline double shortfall(double norm, double part, double rest) {
  return part > 0.0 ? rest * rest / (norm + part) : norm - part;
}

/// Where p = g − w lies, by its own norm t = ‖p_T‖.
enum class ConeRegion { cone, polar, between };

template <int N, Correction correction>
ConeRegion region(const ConePoint<N>& g, const ConePoint<N>& u, double t, double v, double mu) {
  if (t == 0.0) {
    const double w_n = correction == Correction::none ? u[0] : u[0] + mu * v;
    return g[0] >= w_n ? ConeRegion::cone : ConeRegion::polar;
  }
  if constexpr (correction == Correction::none) {
    const double p_n = g[0] - u[0];
    return inside_cone(p_n, t, mu) ? ConeRegion::cone : inside_polar(p_n, t, mu) ? ConeRegion::polar : ConeRegion::between;
  } else {
    if (inside_cone(g[0] - u[0] - mu * v, t, mu)) return ConeRegion::cone;
    // μ t <= −p_n, with t − v from the difference of the squares: both may be far larger than u_n.
    const double longer = along<N>(g, g - 2.0 * u) / (t + v);
    return g[0] + mu * longer <= u[0] ? ConeRegion::polar : ConeRegion::between;
  }
}

/// g − Π_K(g − w) for arguments in the safe range. Between the cones the point leaves by three orthogonal directions: the
/// generator e below p keeps e·w, the normal f of the cone and the tangent across p keep what g has of them.
template <int N, Correction correction>
ConePoint<N> projection_defect_in_range(const ConePoint<N>& g, const ConePoint<N>& u, double mu) {
  const ConePoint<N> p = g - u;  // its tangential part is that of g − w
  const double t = std::sqrt(tangent_square(p));
  const double v = std::sqrt(tangent_square(u));
  switch (region<N, correction>(g, u, t, v, mu)) {
    case ConeRegion::cone: {
      ConePoint<N> w = u;
      if constexpr (correction == Correction::de_saxce) w[0] += mu * v;
      return w;
    }
    case ConeRegion::polar: return g;
    case ConeRegion::between: break;
  }
  const Slope slope(mu);
  const ConePoint<N> q = p / t;
  const double rest = across<N>(g, u) / t;  // of g across q; u has the same
  const double g_along = along<N>(q, g), u_along = along<N>(q, u), g_norm = std::sqrt(tangent_square(g));
  double by_generator = slope.cosine * u[0];
  if constexpr (correction == Correction::none)
    by_generator += slope.sine * u_along;
  else
    by_generator += slope.sine * shortfall(v, -u_along, rest);
  const double by_normal = slope.cosine * (g_norm - mu * g[0] - shortfall(g_norm, g_along, rest));
  ConePoint<N> defect;
  defect[0] = slope.cosine * by_generator - slope.sine * by_normal;
  const double radial = slope.sine * by_generator + slope.cosine * by_normal;
  set_tangent<N>(q, radial, rest, defect);
  return defect;
}

/// g − T(g − u) with the strict projection T, for arguments in the safe range.
template <int N>
ConePoint<N> strict_defect_in_range(const ConePoint<N>& g, const ConePoint<N>& u, double mu) {
  const ConePoint<N> p = g - u;
  if (p[0] <= 0.0) return g;
  const double t = std::sqrt(tangent_square(p));
  if (t <= mu * p[0]) return u;
  ConePoint<N> defect;
  defect[0] = u[0];
  const ConePoint<N> q = p / t;
  const double rest = across<N>(g, u) / t, g_norm = std::sqrt(tangent_square(g));
  const double radial = g_norm - mu * g[0] - shortfall(g_norm, along<N>(q, g), rest) + mu * u[0];
  set_tangent<N>(q, radial, rest, defect);
  return defect;
}

/// Calls `defect` on (g, u), or outside of the safe range on both divided by a power of two: all maps here are homogeneous.
template <int N, typename Defect>
ConePoint<N> scaled_defect(const ConePoint<N>& g, const ConePoint<N>& u, double mu, const Defect& defect) {
  const double largest = std::max(g.cwiseAbs().maxCoeff(), u.cwiseAbs().maxCoeff());
  if (largest >= 1e-60 && largest <= safe_limit && mu <= safe_limit) return defect(g, u, mu);
  if (!all_finite<N>(g, mu) || !u.allFinite()) return not_a_number<N>();
  if (largest == 0.0) return ConePoint<N>::Zero();
  int exponent = 0;
  std::frexp(largest, &exponent);
  ConePoint<N> small_g, small_u;
  for (int i = 0; i < N; ++i) small_g[i] = std::ldexp(g[i], -exponent);
  for (int i = 0; i < N; ++i) small_u[i] = std::ldexp(u[i], -exponent);
  ConePoint<N> result = defect(small_g, small_u, mu);
  for (int i = 0; i < N; ++i) result[i] = std::ldexp(result[i], exponent);
  return result;
}

}  // namespace detail

/// g − Π_K(g − w), N entries, m/s; zero exactly where (w, g) obeys the contact's law (C.3).
template <int N>
Eigen::Matrix<double, N, 1> projection_defect(const Eigen::Matrix<double, N, 1>& g, const Eigen::Matrix<double, N, 1>& u,
                                              double mu, Correction correction) {
  return detail::scaled_defect<N>(g, u, mu, [&](const auto& scaled_g, const auto& scaled_u, double friction) {
    return correction == Correction::none
               ? detail::projection_defect_in_range<N, Correction::none>(scaled_g, scaled_u, friction)
               : detail::projection_defect_in_range<N, Correction::de_saxce>(scaled_g, scaled_u, friction);
  });
}

/// γᵀw of one contact, J. With the correction it is γ_n u_n + (μ γ_n − ‖γ_T‖) ‖u_T‖ + (‖γ_T‖ ‖u_T‖ + γ_T·u_T), whose last
/// summand is a square where the two are opposite.
template <int N>
double contact_power(const Eigen::Matrix<double, N, 1>& impulse, const Eigen::Matrix<double, N, 1>& u, double mu,
                     Correction correction) {
  if (correction == Correction::none) return impulse.dot(u);
  const double v = detail::tangent_norm(u), force = detail::tangent_norm(impulse);
  const double product = force * v, part = detail::along<N>(impulse, u), rest = detail::across<N>(impulse, u);
  const double opposite = part < 0.0 ? rest * (rest / (product - part)) : product + part;
  return impulse[0] * u[0] + (mu * impulse[0] - force) * v + opposite;
}

/// g − T(g − u) with the strict projection T (C.2), N entries, m/s.
template <int N>
Eigen::Matrix<double, N, 1> strict_defect(const Eigen::Matrix<double, N, 1>& g, const Eigen::Matrix<double, N, 1>& u,
                                          double mu) {
  return detail::scaled_defect<N>(g, u, mu, [](const auto& scaled_g, const auto& scaled_u, double friction) {
    return detail::strict_defect_in_range<N>(scaled_g, scaled_u, friction);
  });
}

}  // namespace ccp
