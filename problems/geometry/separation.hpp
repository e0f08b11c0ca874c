#pragma once

#include <limits>

#include "core/types.hpp"

namespace ccp {

/// The ellipsoid A B around the origin, B the unit ball, in direction n: how far it reaches, s = ‖Aᵀn‖, and where, S n/s
/// with S = A Aᵀ. Aᵀn is formed instead of nᵀSn: on a flat ellipsoid half of the digits would be lost. A = 0 is a point.
struct Support {
  Vector3 image;       ///< Aᵀn/s; 0 for a point
  Vector3 foot;        ///< m
  double reach = 0.0;  ///< s, m

  Support(const Matrix3& A, const Vector3& n);
};

/// A direction in which two convex bodies are apart.
struct Separation {
  Vector3 normal = Vector3::UnitZ();  ///< unit vector, from the first to the second
  double gap = 0.0;                   ///< g(normal), m; valid in any case, the largest only if converged
  int steps = 0;                      ///< of Newton's method
  bool converged = false;
};

/// A local maximum over the unit sphere of g(n) = n·d − ‖A₁ᵀn‖ − ‖A₂ᵀn‖, the gap in direction n of the ellipsoids A₁ B and
/// d + A₂ B. A positive maximum is the only one and is the distance; a negative one is the depth of the overlap.
///
/// Newton's method on the sphere from the unit vector `start`: the 2×2 Hessian made negative definite, steps <= 0.5, halved
/// until g does not fall; off a saddle along the axis of ascent. Ends where ‖∇_T g‖ <= 1e-14 (√tr S₁ + √tr S₂), after 60
/// steps, or as soon as g > `enough`.
Separation separate(const Matrix3& first, const Matrix3& second, const Vector3& d, const Vector3& start,
                    double enough = std::numeric_limits<double>::infinity());

using Matrix32 = Eigen::Matrix<double, 3, 2>;

struct CircleMaximum {
  Vector2 normal = Vector2::UnitX();  ///< unit vector
  double value = 0.0;                 ///< m
};

/// A local maximum over the unit circle of n·d + side ‖B n‖, by the same method. side: −1 for the gap of an ellipsoid from a
/// line, +1 for its farthest point from one.
CircleMaximum maximise_on_circle(const Matrix32& B, const Vector2& d, double side, const Vector2& start);

}  // namespace ccp
