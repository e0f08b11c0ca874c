#pragma once

#include <string>

#include "core/types.hpp"

namespace ccp {

/// A unit quaternion: the rotation from the axes of a body to those of the world.
struct Quaternion {
  double w = 1.0, x = 0.0, y = 0.0, z = 0.0;
};

/// Hamilton's product: the rotation q, then p (Mangoni, sec. 3.1).
Quaternion product(const Quaternion& p, const Quaternion& q);

/// q/‖q‖; no rotation where the norm is 0 or not finite is InputError. name: of the body, for the message.
Quaternion unit_quaternion(const Quaternion& q, const std::string& name);

/// cos(φ/2), n sin(φ/2) of the rotation by the angle φ = ‖rotation‖ about n = rotation/φ; rad, world axes.
Quaternion rotation_exponential(const Vector3& rotation);

/// exp(rotation) attitude, normalised. Mangoni's eq. 3.1 multiplies on the right, his ω is in the axes of the body.
Quaternion turned(const Quaternion& attitude, const Vector3& rotation);

/// R with x_world = R x_body of a unit quaternion.
Matrix3 rotation_matrix(const Quaternion& q);

}  // namespace ccp
