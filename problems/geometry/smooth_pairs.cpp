#include "problems/geometry/smooth_pairs.hpp"

#include <algorithm>
#include <cmath>

#include "problems/geometry/facets.hpp"

namespace ccp {
namespace {

/// A point with its distance from a surface and the direction away from it, in the frame of the obstacle.
struct Offset {
  Vector3 outward = Vector3::UnitZ();  ///< unit vector from the solid to the point
  double distance = 0.0;               ///< negative inside
};

void add_sphere_contact(const Vector3& centre, double radius, const Vector3& normal, double distance, int feature,
                        double envelope, Contacts& found) {
  const double gap = distance - radius;
  if (gap > envelope) return;
  Contact& contact = found.emplace_back();
  contact.id.feature_b = feature;
  contact.point = centre + (radius + 0.5 * gap) * normal;
  contact.normal = normal;
  contact.gap = gap;
}

Vector3 in_frame(const Vector3& point, const Pose& frame) { return frame.rotation.transpose() * (point - frame.position); }

Offset offset_from_box(const Vector3& point, const Vector3& half) {
  const Vector3 beyond = point - point.cwiseMin(half).cwiseMax(-half);
  if (const double distance = beyond.norm(); distance > 0.0) return {beyond / distance, distance};
  Index axis = 0;
  const Vector3 depth = half - point.cwiseAbs();
  for (Index i = 1; i < 3; ++i)
    if (depth[i] < depth[axis]) axis = i;
  const double side = point[axis] < 0.0 ? -1.0 : 1.0;
  return {side * Vector3::Unit(axis), -depth[axis]};
}

/// The direction from the axis of a cylinder to a point, and the distance from it.
Offset offset_from_axis(const Vector3& point) {
  const Vector3 radial(point[0], point[1], 0.0);
  const double distance = radial.norm();
  return {distance > 0.0 ? Vector3(radial / distance) : Vector3(Vector3::UnitX()), distance};
}

Offset offset_from_cylinder(const Vector3& point, const Cylinder& cylinder) {
  const auto [radial, from_axis] = offset_from_axis(point);
  const Vector3 along(0.0, 0.0, point[2] < 0.0 ? -1.0 : 1.0);
  const double side = from_axis - cylinder.radius, end = std::abs(point[2]) - cylinder.half_length;
  if (side > 0.0 && end > 0.0) {
    const Vector3 beyond = side * radial + end * along;
    const double distance = beyond.norm();
    return {beyond / distance, distance};
  }
  return side >= end ? Offset{radial, side} : Offset{along, end};
}

template <typename Faceted>
void collide_facets(const Sphere& sphere, const Pose& at, const Faceted& obstacle, const Pose& there, double envelope,
                    Contacts& found) {
  const Vector3 centre = at.position - there.position;
  for_each_facet(obstacle, there.rotation, [&](const Facet& facet) {
    add_sphere_contact(at.position, sphere.radius, facet.into, facet.distance - facet.into.dot(centre), facet.feature,
                       envelope, found);
  });
}

}  // namespace

void collide(const Sphere& first, const Pose& at, const Sphere& second, const Pose& there, double envelope,
             Contacts& found) {
  const Vector3 line = there.position - at.position;
  const double distance = line.norm();
  const Vector3 normal = distance > 0.0 ? Vector3(line / distance) : Vector3(Vector3::UnitZ());
  add_sphere_contact(at.position, first.radius, normal, distance - second.radius, 0, envelope, found);
}

void collide(const Sphere& sphere, const Pose& at, const Box& box, const Pose& there, double envelope, Contacts& found) {
  const auto [outward, distance] = offset_from_box(in_frame(at.position, there), box.half);
  add_sphere_contact(at.position, sphere.radius, -(there.rotation * outward), distance, 0, envelope, found);
}

void collide(const Sphere& sphere, const Pose& at, const HalfSpace& ground, const Pose& there, double envelope,
             Contacts& found) {
  collide_facets(sphere, at, ground, there, envelope, found);
}

void collide(const Sphere& sphere, const Pose& at, const CylinderCavity& cavity, const Pose& there, double envelope,
             Contacts& found) {
  const auto [radial, from_axis] = offset_from_axis(in_frame(at.position, there));
  add_sphere_contact(at.position, sphere.radius, there.rotation * radial, cavity.radius - from_axis, 0, envelope, found);
}

void collide(const Sphere& sphere, const Pose& at, const Drum& drum, const Pose& there, double envelope, Contacts& found) {
  collide_facets(sphere, at, drum, there, envelope, found);
}

void collide(const Sphere& sphere, const Pose& at, const Cylinder& cylinder, const Pose& there, double envelope,
             Contacts& found) {
  const auto [outward, distance] = offset_from_cylinder(in_frame(at.position, there), cylinder);
  add_sphere_contact(at.position, sphere.radius, -(there.rotation * outward), distance, 0, envelope, found);
}

}  // namespace ccp
