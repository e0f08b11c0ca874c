#pragma once

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <variant>

#include "problems/geometry/find_contacts.hpp"
#include "problems/random.hpp"

/// What bodies are, without the code under test: how far they reach, and what is inside.
namespace solids {

using namespace ccp;

/// The largest n·x over the points x of a body.
inline double support(const Solid& solid, const Vector3& n) {
  const Vector3 own = solid.pose.rotation.transpose() * n;
  double reach = 0.0;
  if (const auto* sphere = std::get_if<Sphere>(&solid.shape)) reach = sphere->radius * n.norm();
  if (const auto* ellipsoid = std::get_if<Ellipsoid>(&solid.shape)) reach = ellipsoid->radii.cwiseProduct(own).norm();
  if (const auto* box = std::get_if<Box>(&solid.shape)) reach = own.cwiseAbs().dot(box->half);
  return n.dot(solid.pose.position) + reach;
}

/// About how far outside of a body a point is, m; negative inside.
inline double outside(const Solid& solid, const Vector3& point) {
  const Vector3 own = solid.pose.rotation.transpose() * (point - solid.pose.position);
  if (const auto* sphere = std::get_if<Sphere>(&solid.shape)) return own.norm() - sphere->radius;
  if (const auto* box = std::get_if<Box>(&solid.shape)) return (own.cwiseAbs() - box->half).maxCoeff();
  const auto& radii = std::get<Ellipsoid>(solid.shape).radii;
  return (own.cwiseQuotient(radii).norm() - 1.0) * radii.minCoeff();
}

/// The gap of two bodies in direction n, from the first to the second: no larger than their distance, and −gap a way to part
/// them.
inline double gap_along(const Solid& first, const Solid& second, const Vector3& n) {
  return -support(second, -n) - support(first, n);
}

inline Solid solid(int id, const Shape& shape, const Vector3& position, const Matrix3& rotation = Matrix3::Identity()) {
  return {id, shape, {position, rotation}};
}

inline Contacts contacts_of(const Solid& first, const Solid& second, double envelope) {
  const std::array<Solid, 2> both{first, second};
  return find_contacts(both, {}, envelope);
}

inline Contacts contacts_with_obstacle(const Solid& body, const Solid& obstacle, double envelope) {
  return find_contacts({&body, 1}, {&obstacle, 1}, envelope);
}

inline bool same_contact(const Contact& a, const Contact& b) {
  return a.id == b.id && a.point == b.point && a.normal == b.normal && a.gap == b.gap;
}

inline bool same_contacts(const Contacts& a, const Contacts& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same_contact);
}

/// The best of many directions all over the sphere.
inline double best_of_directions(const Solid& first, const Solid& second, int count) {
  Random random(99);
  double best = -1e300;
  for (int i = 0; i < count; ++i) best = std::max(best, gap_along(first, second, random.direction()));
  return best;
}

inline Matrix3 turned(const Vector3& axis, double angle) { return Eigen::AngleAxisd(angle, axis.normalized()).matrix(); }

}  // namespace solids
