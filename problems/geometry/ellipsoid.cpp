#include "problems/geometry/ellipsoid.hpp"

#include <cmath>

#include "problems/geometry/facets.hpp"
#include "problems/geometry/separation.hpp"

namespace ccp {
namespace {

void collide_images(const Matrix3& first, const Vector3& at, const Matrix3& second, const Vector3& there, double envelope,
                    Contacts& found) {
  const Vector3 d = there - at;
  const double distance = d.norm();
  const Vector3 start = distance > 0.0 ? Vector3(d / distance) : Vector3(Vector3::UnitZ());
  const Separation apart = separate(first, second, d, start, envelope);
  if (apart.gap > envelope) return;
  Contact& contact = found.emplace_back();
  contact.normal = apart.normal;
  contact.gap = apart.gap;
  const Vector3 foot = at + Support(first, apart.normal).foot, other = there - Support(second, apart.normal).foot;
  contact.point = 0.5 * (foot + other);
}

template <typename Faceted>
void collide_facets(const Ellipsoid& ellipsoid, const Pose& at, const Faceted& obstacle, const Pose& there, double envelope,
                    Contacts& found) {
  const Matrix3 image = image_of_ball(ellipsoid, at);
  const Vector3 centre = at.position - there.position;
  for_each_facet(obstacle, there.rotation, [&](const Facet& facet) {
    const Support support(image, facet.into);
    const double gap = facet.distance - facet.into.dot(centre) - support.reach;
    if (gap > envelope) return;
    Contact& contact = found.emplace_back();
    contact.id.feature_b = facet.feature;
    contact.point = at.position + support.foot + 0.5 * gap * facet.into;
    contact.normal = facet.into;
    contact.gap = gap;
  });
}

}  // namespace

Matrix3 image_of_ball(const Ellipsoid& ellipsoid, const Pose& pose) { return pose.rotation * ellipsoid.radii.asDiagonal(); }

void collide(const Sphere& sphere, const Pose& at, const Ellipsoid& ellipsoid, const Pose& there, double envelope,
             Contacts& found) {
  collide_images(sphere.radius * Matrix3::Identity(), at.position, image_of_ball(ellipsoid, there), there.position, envelope,
                 found);
}

void collide(const Ellipsoid& first, const Pose& at, const Ellipsoid& second, const Pose& there, double envelope,
             Contacts& found) {
  collide_images(image_of_ball(first, at), at.position, image_of_ball(second, there), there.position, envelope, found);
}

void collide(const Ellipsoid& ellipsoid, const Pose& at, const HalfSpace& ground, const Pose& there, double envelope,
             Contacts& found) {
  collide_facets(ellipsoid, at, ground, there, envelope, found);
}

void collide(const Ellipsoid& ellipsoid, const Pose& at, const Drum& drum, const Pose& there, double envelope,
             Contacts& found) {
  collide_facets(ellipsoid, at, drum, there, envelope, found);
}

void collide(const Ellipsoid& ellipsoid, const Pose& at, const CylinderCavity& cavity, const Pose& there, double envelope,
             Contacts& found) {
  const Matrix32 plane = there.rotation.leftCols<2>();
  const Matrix3 image = image_of_ball(ellipsoid, at);
  const Matrix32 B = image.transpose() * plane;
  const Vector2 centre = plane.transpose() * (at.position - there.position);

  const double distance = centre.norm();
  const Vector2 start = distance > 0.0 ? Vector2(centre / distance) : Vector2(Vector2::UnitX());
  const CircleMaximum farthest = maximise_on_circle(B, centre, 1.0, start);
  const double gap = cavity.radius - farthest.value;
  if (gap > envelope) return;
  Contact& contact = found.emplace_back();
  contact.normal = plane * farthest.normal;
  contact.gap = gap;
  contact.point = at.position + Support(image, contact.normal).foot + 0.5 * gap * contact.normal;
}

}  // namespace ccp
