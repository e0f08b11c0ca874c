#include "problems/distance_field/field_solid.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>
#include <utility>

#include "core/error.hpp"
#include "problems/distance_field/contact_set.hpp"
#include "problems/distance_field/convex_hull.hpp"
#include "problems/dynamics/elementary.hpp"

namespace ccp {
namespace {

/// A box around the origin.
class BoxDistance final : public SignedDistance {
 public:
  explicit BoxDistance(const Vector3& half) : half_(half) {}
  double distance(const Vector3& p) const override {
    const Vector3 beyond = p.cwiseAbs() - half_;
    return beyond.cwiseMax(0.0).norm() + std::min(beyond.maxCoeff(), 0.0);
  }
  Vector3 gradient(const Vector3& p) const override {
    const Vector3 beyond = p.cwiseAbs() - half_;
    Vector3 out = beyond.cwiseMax(0.0);
    if (out.isZero(0.0)) {
      Index axis = 0;
      beyond.maxCoeff(&axis);
      out = Vector3::Unit(axis);
    }
    for (Index i = 0; i < 3; ++i) out[i] = std::copysign(out[i], p[i]);
    return out.normalized();
  }
  double lipschitz() const override { return 1.0; }

 private:
  Vector3 half_;
};

TriangleMesh box_surface(const Vector3& half) {
  TriangleMesh mesh;
  for (int corner = 0; corner < 8; ++corner)
    mesh.vertices.push_back(
        half.cwiseProduct(Vector3((corner & 1) != 0 ? 1 : -1, (corner & 2) != 0 ? 1 : -1, (corner & 4) != 0 ? 1 : -1)));
  mesh.triangles = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                    {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
  return mesh;
}

/// One side of a pair: a solid, a surface, or both.
struct PairSide {
  const SignedDistance* distance;
  const TriangleMesh* surface;  ///< null: it takes no part
  bool corners;
  int limit;
  const Pose& pose;
  const SurfacePatches* patches = nullptr;  ///< null: none
};

PairSide side_of(const FieldShape& field, const Pose& pose) {
  const FieldSolid& solid = *field.solid;
  return {solid.distance.get(),
          solid.by_surface ? &solid.surface : nullptr,
          solid.corners,
          solid.limit,
          pose,
          solid.patches.empty() ? nullptr : &solid.patches};
}

/// Of the surface of one with the solid of another. sign: 1 where the solid is the first of the pair.
void add_surface_contacts(const PairSide& solid, const PairSide& surface, double envelope, double sign, Contacts& found) {
  if (solid.distance == nullptr || surface.surface == nullptr) return;
  const Matrix3 back = solid.pose.rotation.transpose();
  const TriangleMesh mesh =
      surface.surface->placed(back * surface.pose.rotation, back * (surface.pose.position - solid.pose.position));
  // Contacts at exactly the envelope belong to it, those of a set are nearer than its margin.
  const double margin = std::nextafter(envelope, infinite);
  const auto contacts = surface.patches != nullptr
                            ? patch_contacts(*solid.distance, mesh, *surface.patches, margin)
                            : contact_set(*solid.distance, mesh, {margin, surface.limit, surface.corners});
  for (const FieldContact& near : contacts) {
    Contact contact;
    contact.id.kind = ContactKind::field;
    (sign > 0.0 ? contact.id.feature_b : contact.id.feature_a) = 1 + near.feature;
    contact.point = solid.pose.position + solid.pose.rotation * near.point;
    contact.normal = sign * (solid.pose.rotation * near.normal);
    contact.gap = near.gap;
    found.push_back(contact);
  }
}

void collide_sides(const PairSide& one, const PairSide& other, double envelope, Contacts& found) {
  add_surface_contacts(one, other, envelope, 1.0, found);
  add_surface_contacts(other, one, envelope, -1.0, found);
}

}  // namespace

FieldShape field_shape(FieldSolid solid) {
  for (const Vector3& vertex : solid.surface.vertices) solid.half = solid.half.cwiseMax(vertex.cwiseAbs());
  return {std::make_shared<const FieldSolid>(std::move(solid))};
}

FieldShape convex_field(const std::vector<Vector3>& points) {
  TriangleMesh hull = convex_hull(points, convex_corners);
  auto distance = std::make_unique<ConvexDistance>(hull);
  return field_shape({std::move(distance), std::move(hull), true, true});
}

std::vector<Vector3> cylinder_points(double radius, double half_length) {
  constexpr int sides = 32;
  std::vector<Vector3> points;
  for (int i = 0; i < sides; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / sides;
    for (const double z : {-half_length, half_length})
      points.emplace_back(radius * taylor_cos(angle), radius * taylor_sin(angle), z);
  }
  return points;
}

void collide(const Sphere& one, const Pose& at, const FieldShape& other, const Pose& there, double envelope,
             Contacts& found) {
  const SignedDistance* solid = other.solid->distance.get();
  if (solid == nullptr) throw InputError("contact of a sphere and a surface without a signed distance is not supported");
  const Vector3 centre = there.rotation.transpose() * (at.position - there.position);
  for (int part = 0; part < solid->parts(); ++part) {
    const double gap = solid->part_distance(part, centre) - one.radius;
    if (gap > envelope) continue;
    Contact contact;
    contact.id.kind = ContactKind::field;
    contact.id.feature_b = 1 + part;
    contact.normal = -(there.rotation * solid->part_gradient(part, centre).normalized());
    contact.point = at.position + (one.radius + 0.5 * gap) * contact.normal;
    contact.gap = gap;
    found.push_back(contact);
  }
}

void collide(const Box& one, const Pose& at, const FieldShape& other, const Pose& there, double envelope, Contacts& found) {
  const BoxDistance distance(one.half);
  const TriangleMesh surface = box_surface(one.half);
  collide_sides({&distance, &surface, true, FieldSolid{}.limit, at}, side_of(other, there), envelope, found);
}

void collide(const HalfSpace&, const Pose& at, const FieldShape& other, const Pose& there, double envelope,
             Contacts& found) {
  const FloorDistance distance;
  collide_sides({&distance, nullptr, false, 0, at}, side_of(other, there), envelope, found);
}

void collide(const FieldShape& one, const Pose& at, const FieldShape& other, const Pose& there, double envelope,
             Contacts& found) {
  collide_sides(side_of(one, at), side_of(other, there), envelope, found);
}

PlacedMesh shown_field(const FieldShape& field, const Pose& pose, const Vector3& velocity, const Vector3& spin,
                       bool obstacle) {
  const TriangleMesh& surface = field.solid->surface;
  PlacedMesh mesh;
  mesh.references = surface.vertices;
  mesh.skin = surface.triangles;
  mesh.obstacle = obstacle;
  for (const Vector3& vertex : surface.vertices) {
    const Vector3 arm = pose.rotation * vertex;
    mesh.places.emplace_back(pose.position + arm);
    mesh.velocities.emplace_back(velocity + spin.cross(arm));
  }
  return mesh;
}

}  // namespace ccp
