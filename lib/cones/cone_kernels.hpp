#pragma once

#include <cassert>
#include <cmath>
#include <limits>

#include "core/types.hpp"
#include "kernels/safe_range.hpp"

/// The arithmetic shared by the cone functions: internal to lib/cones, in a header so that loops over contacts inline it.
///
/// N is 2 or 3. What is outside the safe range (safe_range.hpp: huge, tiny, not finite) takes the slow functions, which
/// work on a copy of p scaled by a power of two. That is exact because all maps here are positively homogeneous in p.
namespace ccp::detail {

template <int N>
using ConePoint = Eigen::Matrix<double, N, 1>;
template <int N>
using ConeMatrix = Eigen::Matrix<double, N, N>;

template <int N>
ConePoint<N> not_a_number() {
  return ConePoint<N>::Constant(std::numeric_limits<double>::quiet_NaN());
}

inline double tangent_square(const ConePoint<2>& p) { return p[1] * p[1]; }
inline double tangent_square(const ConePoint<3>& p) { return p[1] * p[1] + p[2] * p[2]; }

inline bool tangent_is_zero(const ConePoint<2>& p) { return p[1] == 0.0; }
inline bool tangent_is_zero(const ConePoint<3>& p) { return p[1] == 0.0 && p[2] == 0.0; }

/// False for a NaN anywhere.
template <int N>
bool in_safe_range(const ConePoint<N>& p, double square, double mu) {
  return mu <= safe_limit && std::abs(p[0]) <= safe_limit &&
         ((square >= safe_square_min && square <= safe_square_max) || tangent_is_zero(p));
}

/// ‖p_T‖ without spurious overflow or underflow; NaN when an entry is NaN (hypot(inf, NaN) would be inf).
inline double tangent_norm(const ConePoint<2>& p) { return std::abs(p[1]); }
inline double tangent_norm(const ConePoint<3>& p) {
  const double square = tangent_square(p);
  if (square >= safe_square_min && square <= safe_square_max) return std::sqrt(square);
  return std::isnan(square) ? square : std::hypot(p[1], p[2]);
}

/// The tangential part of p with its norm t replaced by radius < t.
inline void shrink_tangent(ConePoint<2>& p, double radius, double /*t*/) { p[1] = std::copysign(radius, p[1]); }
inline void shrink_tangent(ConePoint<3>& p, double radius, double t) {
  const double factor = radius / t * inward;
  p[1] *= factor;
  p[2] *= factor;
}

/// t <= mu p_n. The sign of p_n is asked first: with mu = 0 the product says nothing about it.
inline bool inside_cone(double p_n, double t, double mu) { return p_n >= 0.0 && t <= mu * p_n; }
inline bool inside_polar(double p_n, double t, double mu) { return mu * t <= -p_n; }

/// Generator of the cone: sine / cosine = mu.
struct Slope {
  double cosine;
  double sine;
  explicit Slope(double mu) {
    if (mu > safe_limit) {  // 1 + mu² rounds to mu², which may overflow
      cosine = 1.0 / mu;
      sine = 1.0;
    } else {
      cosine = 1.0 / std::sqrt(1.0 + mu * mu);
      sine = mu * cosine;
    }
  }
};

/// p = 2^exponent * point with ‖point‖_∞ in [1/2, 1); exponent 0 for p = 0. p must be finite.
template <int N>
struct ScaledPoint {
  ConePoint<N> point;
  int exponent = 0;
  double norm;  ///< ‖point_T‖

  explicit ScaledPoint(const ConePoint<N>& p) : point(p) {
    std::frexp(p.cwiseAbs().maxCoeff(), &exponent);
    for (int i = 0; i < N; ++i) point[i] = std::ldexp(p[i], -exponent);
    norm = tangent_norm(point);
  }
  ConePoint<N> restored(const ConePoint<N>& scaled) const {
    ConePoint<N> p;
    for (int i = 0; i < N; ++i) p[i] = std::ldexp(scaled[i], exponent);
    return p;
  }
};

template <int N>
bool all_finite(const ConePoint<N>& p, double mu) {
  return p.allFinite() && std::isfinite(mu);
}

/// The projections for arguments outside the safe range; defined for N = 2, 3.
template <int N>
ConePoint<N> project_slow(const ConePoint<N>& p, double mu);
template <int N>
ConePoint<N> project_strict_slow(const ConePoint<N>& p, double mu);

template <int N>
ConePoint<N> project(const ConePoint<N>& p, double mu) {
  assert(!(mu < 0.0));
  const double square = tangent_square(p);
  if (!in_safe_range<N>(p, square, mu)) return project_slow<N>(p, mu);
  const double t = std::sqrt(square);
  if (inside_cone(p[0], t, mu)) return p;
  if (inside_polar(p[0], t, mu)) return ConePoint<N>::Zero();
  ConePoint<N> result = p;
  result[0] = (p[0] + mu * t) / (1.0 + mu * mu);
  if (t > 0.0) shrink_tangent(result, mu * result[0], t);
  return result;
}

template <int N>
[[gnu::always_inline]] inline ConePoint<N> project_strict(const ConePoint<N>& p, double mu) {
  assert(!(mu < 0.0));
  const double square = tangent_square(p);
  if (!in_safe_range<N>(p, square, mu)) return project_strict_slow<N>(p, mu);
  const double t = std::sqrt(square), radius = mu * p[0];
  const bool open = p[0]<0.0, slipping = t> radius;
  ConePoint<N> result = p;
  if constexpr (N == 2) {
    if (slipping) result[1] = std::copysign(radius, p[1]);
  } else {
    const double factor = slipping ? radius / t * inward : 1.0;
    result[1] *= factor;
    result[2] *= factor;
  }
  for (int i = 0; i < N; ++i) result[i] = open ? 0.0 : result[i];
  return result;
}

}  // namespace ccp::detail
