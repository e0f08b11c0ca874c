#pragma once

#include <string>

#include "core/types.hpp"
#include "problems/dynamics/attitude.hpp"

namespace ccp {

/// A rigid body in motion. Its frame has the centre of mass as origin and the principal axes as axes.
struct MovingBody {
  double mass = 1.0;                   ///< kg
  Vector3 inertia = Vector3::Ones();   ///< principal moments J₀, kg m²
  Vector3 position = Vector3::Zero();  ///< centre of mass, m
  Quaternion attitude;                 ///< from the body to the world
  Vector3 velocity = Vector3::Zero();  ///< of the centre, m/s
  Vector3 spin = Vector3::Zero();      ///< angular velocity, world axes, rad/s
  Vector3 force = Vector3::Zero();     ///< besides gravity, at the centre, N
  Vector3 torque = Vector3::Zero();    ///< world axes, N·m
  double enters = 0.0;                 ///< s; before the nearest step the body is not there: no dofs, no motion
};

/// Mass of a homogeneous sphere, kg; radius in m, density in kg/m³.
double ball_mass(double radius, double density);

/// Homogeneous bodies at the origin, at rest. Sizes in m, mass in kg. Throw InputError for one that is not positive.
MovingBody moving_sphere(double mass, double radius);
MovingBody moving_ellipsoid(double mass, const Vector3& radii);
MovingBody moving_box(double mass, const Vector3& half);

/// The body with its quaternion normalised. Throws InputError naming what cannot be: a mass or a moment of inertia that is
/// not positive, a number that is not finite, a quaternion without a direction. name: "body 3", for the message.
MovingBody checked(MovingBody body, const std::string& name);

/// R diag(J₀) Rᵀ, exactly symmetric; exactly a multiple of I where the moments agree.
Matrix3 world_inertia(const Vector3& inertia, const Matrix3& rotation);

/// InputError unless value is finite and, for `positive`, > 0. what: "mass of body 3".
void require_finite(const Vector3& value, const std::string& what);
void require_finite(double value, const std::string& what);
void require_positive(double value, const std::string& what, const char* unit);

}  // namespace ccp
