#include "problems/dynamics/body.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "core/error.hpp"
#include "core/text.hpp"

namespace ccp {

void require_finite(double value, const std::string& what) {
  if (!std::isfinite(value)) throw InputError(fmt::format("{} is {}, expected a finite number", what, format_double(value)));
}

void require_finite(const Vector3& value, const std::string& what) {
  for (Index axis = 0; axis < 3; ++axis) require_finite(value[axis], what);
}

void require_positive(double value, const std::string& what, const char* unit) {
  if (!std::isfinite(value) || !(value > 0.0))
    throw InputError(fmt::format("{} is {} {}, expected > 0", what, format_double(value), unit));
}

MovingBody moving_ellipsoid(double mass, const Vector3& radii) {
  require_positive(mass, "mass of an ellipsoid", "kg");
  for (Index axis = 0; axis < 3; ++axis) require_positive(radii[axis], "radius of an ellipsoid", "m");
  MovingBody body;
  body.mass = mass;
  const Vector3 squares = radii.cwiseAbs2();
  body.inertia = 0.2 * mass * Vector3(squares[1] + squares[2], squares[2] + squares[0], squares[0] + squares[1]);
  return body;
}

double ball_mass(double radius, double density) {
  return 4.0 / 3.0 * std::numbers::pi * radius * radius * radius * density;
}

MovingBody moving_sphere(double mass, double radius) {
  require_positive(mass, "mass of a sphere", "kg");
  require_positive(radius, "radius of a sphere", "m");
  MovingBody body;
  body.mass = mass;
  body.inertia.setConstant(0.4 * mass * radius * radius);
  return body;
}

MovingBody moving_box(double mass, const Vector3& half) {
  require_positive(mass, "mass of a box", "kg");
  for (Index axis = 0; axis < 3; ++axis) require_positive(half[axis], "half length of a box", "m");
  MovingBody body;
  body.mass = mass;
  const Vector3 squares = half.cwiseAbs2();
  body.inertia = mass / 3.0 * Vector3(squares[1] + squares[2], squares[2] + squares[0], squares[0] + squares[1]);
  return body;
}

MovingBody checked(MovingBody body, const std::string& name) {
  require_positive(body.mass, "mass of " + name, "kg");
  for (Index axis = 0; axis < 3; ++axis)
    require_positive(body.inertia[axis], "principal moment of inertia of " + name, "kg m²");
  require_finite(body.position, "position of " + name);
  require_finite(body.velocity, "velocity of " + name);
  require_finite(body.spin, "spin of " + name);
  require_finite(body.force, "force on " + name);
  require_finite(body.torque, "torque on " + name);
  require_finite(body.enters, "time when " + name + " enters");
  body.attitude = unit_quaternion(body.attitude, name);
  return body;
}

Matrix3 world_inertia(const Vector3& inertia, const Matrix3& rotation) {
  if (inertia[0] == inertia[1] && inertia[1] == inertia[2]) return inertia[0] * Matrix3::Identity();
  Matrix3 J = rotation * inertia.asDiagonal() * rotation.transpose();
  J(0, 1) = J(1, 0);
  J(0, 2) = J(2, 0);
  J(1, 2) = J(2, 1);
  return J;
}

}  // namespace ccp
