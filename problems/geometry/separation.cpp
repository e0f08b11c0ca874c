#include "problems/geometry/separation.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

namespace ccp {
namespace {

constexpr int max_steps = 60, max_halvings = 40;
constexpr double longest_step = 0.5, slope_tolerance = 1e-14;
constexpr double rounding = 1e-15;        // of g, over the lengths in it
constexpr double least_curvature = 1e-8;  // of the sizes; below it a Hessian counts as flat
constexpr double off_saddle = 0.1;

Matrix32 tangents(const Vector3& n) {
  Index least = 0;
  n.cwiseAbs().minCoeff(&least);
  Matrix32 T;
  T.col(0) = n.cross(Vector3::Unit(least)).normalized();
  T.col(1) = n.cross(T.col(0));
  return T;
}

/// −Tᵀ ∇²s T: how fast the reach of A B falls behind its tangent plane.
Matrix2 curvature(const Matrix3& A, const Support& support, const Matrix32& T) {
  if (support.reach == 0.0) return Matrix2::Zero();
  const Matrix32 image = A.transpose() * T;
  const Vector2 along = image.transpose() * support.image;
  return (image.transpose() * image - along * along.transpose()) / support.reach;
}

/// A symmetric 2×2 matrix as λ₁ P + λ₂ (I − P), λ₁ >= λ₂.
struct Spectrum {
  double largest, least;
  Matrix2 projector = Matrix2::Identity();  ///< P

  explicit Spectrum(const Matrix2& H) {
    const double mean = 0.5 * (H(0, 0) + H(1, 1)), spread = 0.5 * (H(0, 0) - H(1, 1));
    const double radius = std::sqrt(spread * spread + H(0, 1) * H(0, 1));
    largest = mean + radius;
    least = mean - radius;
    if (radius == 0.0) return;
    projector << 0.5 + 0.5 * spread / radius, 0.5 * H(0, 1) / radius,  //
        0.5 * H(0, 1) / radius, 0.5 - 0.5 * spread / radius;
  }
  Vector2 axis_of_largest() const { return projector.col(projector(0, 0) >= 0.5 ? 0 : 1).normalized(); }
};

/// −H⁻¹ slope with the eigenvalues of H replaced by −|λ|, shortened to the longest step.
Vector2 newton_step(const Spectrum& H, const Vector2& slope, double size) {
  const double floor = least_curvature * size;
  const Vector2 part = H.projector * slope;
  const Vector2 step = part / std::max(std::abs(H.largest), floor) + (slope - part) / std::max(std::abs(H.least), floor);
  return step * std::min(1.0, longest_step / step.norm());
}

}  // namespace

Support::Support(const Matrix3& A, const Vector3& n) : image(A.transpose() * n), reach(image.norm()) {
  if (reach > 0.0) image /= reach;
  foot = A * image;
}

Separation separate(const Matrix3& first, const Matrix3& second, const Vector3& d, const Vector3& start, double enough) {
  const double size = first.norm() + second.norm();
  const auto gap_along = [&](const Vector3& n) {
    return n.dot(d) - (first.transpose() * n).norm() - (second.transpose() * n).norm();
  };
  Separation at;
  at.normal = start;
  at.gap = gap_along(start);
  for (; at.gap <= enough; ++at.steps) {
    const Support one(first, at.normal), two(second, at.normal);
    const Matrix32 T = tangents(at.normal);
    const Vector2 slope = T.transpose() * (d - one.foot - two.foot);
    const Spectrum hessian(-curvature(first, one, T) - curvature(second, two, T) - at.gap * Matrix2::Identity());
    const bool level = slope.norm() <= slope_tolerance * size;
    at.converged = level && hessian.largest <= least_curvature * size;
    if (at.converged || at.steps == max_steps) return at;

    Vector2 step = level ? Vector2(off_saddle * hessian.axis_of_largest()) : newton_step(hessian, slope, size);
    const double lowest = level ? at.gap : at.gap - rounding * (size + d.norm());
    Vector3 next = (at.normal + T * step).normalized();
    for (int halving = 0; gap_along(next) < lowest; ++halving) {
      if (halving == max_halvings) return at;
      step *= 0.5;
      next = (at.normal + T * step).normalized();
    }
    at.normal = next;
    at.gap = gap_along(next);
  }
  return at;
}

CircleMaximum maximise_on_circle(const Matrix32& B, const Vector2& d, double side, const Vector2& start) {
  const double size = B.norm();
  const auto value_along = [&](const Vector2& n) { return n.dot(d) + side * (B * n).norm(); };
  CircleMaximum at{start, value_along(start)};
  for (int steps = 0; steps < max_steps; ++steps) {
    const Vector2 tangent(-at.normal[1], at.normal[0]);
    const Vector3 reached = B * at.normal, turned = B * tangent;
    const double reach = reached.norm(), along = turned.dot(reached) / reach;
    const double slope = tangent.dot(d) + side * along;
    const double bend = -at.value + side * (turned.squaredNorm() - along * along) / reach;
    const bool level = std::abs(slope) <= slope_tolerance * size;
    if (level && bend <= least_curvature * size) break;

    double step = level ? off_saddle : slope / std::max(std::abs(bend), least_curvature * size);
    step = std::clamp(step, -longest_step, longest_step);
    const double lowest = level ? at.value : at.value - rounding * (size + d.norm());
    Vector2 next = (at.normal + step * tangent).normalized();
    for (int halving = 0; halving < max_halvings && value_along(next) < lowest; ++halving) {
      step *= 0.5;
      next = (at.normal + step * tangent).normalized();
    }
    at = {next, value_along(next)};
  }
  return at;
}

}  // namespace ccp
