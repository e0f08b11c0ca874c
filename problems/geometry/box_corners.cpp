#include "problems/geometry/box_corners.hpp"

#include "problems/geometry/facets.hpp"

namespace ccp {
namespace {

/// Calls visit(point, feature) for the corners, relative to `origin` and along the axes of the world.
template <typename Visit>
void for_each_corner(const Box& box, const Pose& at, const Vector3& origin, const Visit& visit) {
  const Vector3 centre = at.position - origin;
  for (int signs = 0; signs < 8; ++signs) {
    Vector3 corner = box.half;
    for (Index axis = 0; axis < 3; ++axis)
      if (((signs >> axis) & 1) == 0) corner[axis] = -corner[axis];
    visit(Vector3(centre + at.rotation * corner), BoxFeature::corner(signs));
  }
}

void add_corner(const Vector3& corner, int feature, const Vector3& normal, double gap, int obstacle_feature,
                Contacts& found) {
  Contact& contact = found.emplace_back();
  contact.id.kind = ContactKind::corner;
  contact.id.feature_a = feature;
  contact.id.feature_b = obstacle_feature;
  contact.point = corner + 0.5 * gap * normal;
  contact.normal = normal;
  contact.gap = gap;
}

template <typename Faceted>
void collide_facets(const Box& box, const Pose& at, const Faceted& obstacle, const Pose& there, double envelope,
                    Contacts& found) {
  const Vector3 centre = at.position - there.position;
  for_each_facet(obstacle, there.rotation, [&](const Facet& facet) {
    const double reach = (at.rotation.transpose() * facet.into).cwiseAbs().dot(box.half);
    const double slack = 1e-12 * (reach + centre.norm());  // of rounding
    if (facet.distance - facet.into.dot(centre) - reach > envelope + slack) return;  // no corner is near
    for_each_corner(box, at, there.position, [&](const Vector3& corner, int feature) {
      const double gap = facet.distance - facet.into.dot(corner);
      if (gap <= envelope) add_corner(corner + there.position, feature, facet.into, gap, facet.feature, found);
    });
  });
}

}  // namespace

void collide(const Box& box, const Pose& at, const HalfSpace& ground, const Pose& there, double envelope, Contacts& found) {
  collide_facets(box, at, ground, there, envelope, found);
}

void collide(const Box& box, const Pose& at, const Drum& drum, const Pose& there, double envelope, Contacts& found) {
  collide_facets(box, at, drum, there, envelope, found);
}

void collide(const Box& box, const Pose& at, const CylinderCavity& cavity, const Pose& there, double envelope,
             Contacts& found) {
  const Matrix3& axes = there.rotation;
  for_each_corner(box, at, there.position, [&](const Vector3& corner, int feature) {
    const Vector3 radial = corner - axes.col(2).dot(corner) * axes.col(2);
    const double distance = radial.norm(), gap = cavity.radius - distance;
    if (gap > envelope) return;
    const Vector3 normal = distance > 0.0 ? Vector3(radial / distance) : Vector3(axes.col(0));
    add_corner(corner + there.position, feature, normal, gap, 0, found);
  });
}

}  // namespace ccp
