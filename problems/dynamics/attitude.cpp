#include "problems/dynamics/attitude.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/error.hpp"
#include "problems/dynamics/elementary.hpp"

namespace ccp {
namespace {

double norm(const Quaternion& q) { return std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z); }

Quaternion divided(const Quaternion& q, double number) { return {q.w / number, q.x / number, q.y / number, q.z / number}; }

}  // namespace

Quaternion product(const Quaternion& p, const Quaternion& q) {
  return {p.w * q.w - p.x * q.x - p.y * q.y - p.z * q.z, p.w * q.x + p.x * q.w + p.y * q.z - p.z * q.y,
          p.w * q.y - p.x * q.z + p.y * q.w + p.z * q.x, p.w * q.z + p.x * q.y - p.y * q.x + p.z * q.w};
}

Quaternion unit_quaternion(const Quaternion& q, const std::string& name) {
  const double length = norm(q);
  if (!std::isfinite(length) || !(length > 0.0))
    throw InputError(fmt::format("quaternion of {} has norm {}, expected a finite one > 0", name, length));
  return divided(q, length);
}

Quaternion rotation_exponential(const Vector3& rotation) {
  const double angle = rotation.norm();
  if (angle == 0.0) return {};
  const Vector3 part = taylor_sin(0.5 * angle) / angle * rotation;
  return {taylor_cos(0.5 * angle), part[0], part[1], part[2]};
}

Quaternion turned(const Quaternion& attitude, const Vector3& rotation) {
  const Quaternion q = product(rotation_exponential(rotation), attitude);
  return divided(q, norm(q));
}

Matrix3 rotation_matrix(const Quaternion& q) {
  Matrix3 R;
  R << 1.0 - 2.0 * (q.y * q.y + q.z * q.z), 2.0 * (q.x * q.y - q.w * q.z), 2.0 * (q.x * q.z + q.w * q.y),  //
      2.0 * (q.x * q.y + q.w * q.z), 1.0 - 2.0 * (q.x * q.x + q.z * q.z), 2.0 * (q.y * q.z - q.w * q.x),   //
      2.0 * (q.x * q.z - q.w * q.y), 2.0 * (q.y * q.z + q.w * q.x), 1.0 - 2.0 * (q.x * q.x + q.y * q.y);
  return R;
}

}  // namespace ccp
