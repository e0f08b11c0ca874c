#include "problems/scenes/field_contacts.hpp"

namespace ccp {
namespace {

constexpr double lever = 0.05;  // m: largest torque over largest force

}  // namespace

void add_field_contacts(std::vector<RigidConstraint>& constraints, const std::vector<FieldContact>& contacts, int first,
                        int second, double friction, double shift) {
  for (const FieldContact& contact : contacts) {
    RigidConstraint constraint;
    constraint.first = first;
    constraint.second = second;
    constraint.point = contact.point;
    constraint.normal = contact.normal;
    constraint.tangent = any_tangent(contact.normal);
    constraint.friction = friction;
    constraint.gap = contact.gap + shift;
    constraints.push_back(constraint);
  }
}

void add_placed_contacts(std::vector<PlacedContact>& placed, const std::vector<FieldContact>& contacts, int first,
                         int second, double shift) {
  for (const FieldContact& contact : contacts)
    placed.push_back({contact.point, contact_frame(contact.normal), contact.gap + shift, first, second});
}

PlacedMesh mesh_at_rest(const TriangleMesh& surface, bool obstacle) {
  PlacedMesh mesh;
  mesh.places = mesh.references = surface.vertices;
  mesh.velocities.assign(surface.vertices.size(), Vector3::Zero());
  mesh.skin = surface.triangles;
  mesh.obstacle = obstacle;
  return mesh;
}

void add_wrench(RigidBody& body, Random& random, double force, double gravity) {
  body.force = force * random.in_ball() - body.mass * gravity * Vector3::UnitZ();
  body.torque = lever * force * random.in_ball();
}

}  // namespace ccp
