#include "problems/finite_elements/rigid_partner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/error.hpp"
#include "problems/dynamics/free_spin.hpp"
#include "problems/geometry/find_contacts.hpp"
#include "problems/rigid/assembly.hpp"

namespace ccp {

RigidPartner checked(RigidPartner partner, const std::string& name) {
  if (!std::holds_alternative<Sphere>(partner.shape) && !std::holds_alternative<Box>(partner.shape))
    throw InputError(fmt::format("shape of {} is {}, expected a sphere or a box", name, shape_name(partner.shape)));
  check_shape(partner.shape, name);
  partner.body = checked(std::move(partner.body), name);
  return partner;
}

ObstacleFrame frame_after(const MovingBody& body, double ahead) {
  if (ahead == 0.0) return {body.position, body.attitude, body.velocity, body.spin};
  return {body.position + ahead * body.velocity, turned(body.attitude, ahead * body.spin), body.velocity, body.spin};
}

double largest_speed(const Shape& shape, const Vector3& velocity, const Vector3& spin) {
  const auto* box = std::get_if<Box>(&shape);
  return velocity.norm() + (box != nullptr ? spin.norm() * box->half.norm() : 0.0);
}

ElasticStep rigid_step(const MovingBody& body, const ObstacleFrame& frame, double time_step, const Vector3& gravity) {
  const Matrix3 R = rotation_matrix(frame.attitude);
  MassWriter mass(6, 12);
  mass.add_rigid(body.mass, world_inertia(body.inertia, R));
  ElasticStep step{mass.finish(), Vector(6)};
  const Vector3 spin = free_spin(body.inertia, R.transpose() * body.spin, time_step);
  step.k << body.mass * (body.velocity + time_step * gravity) + time_step * body.force,
      R * body.inertia.cwiseProduct(spin) + time_step * body.torque;
  return step;
}

double kinetic_energy(const MovingBody& body) {
  const Vector3 w = rotation_matrix(body.attitude).transpose() * body.spin;
  return 0.5 * (body.mass * body.velocity.squaredNorm() + w.dot(body.inertia.cwiseProduct(w)));
}

std::vector<SurfaceContact> rigid_contacts(int first, const std::vector<RigidSide>& bodies,
                                           const std::vector<RigidSide>& obstacles) {
  if (bodies.empty()) return {};
  std::vector<Solid> solids[2];
  std::vector<double> reaches;
  for (const auto* sides : {&bodies, &obstacles})
    for (const RigidSide& side : *sides) {
      const int number = first + static_cast<int>(reaches.size());
      solids[sides == &bodies ? 0 : 1].push_back(
          {number, *side.shape, {side.frame->position, rotation_matrix(side.frame->attitude)}});
      reaches.push_back(side.reach);
    }
  std::vector<SurfaceContact> contacts;
  for (const Contact& found : find_contacts(solids[0], solids[1], *std::max_element(reaches.begin(), reaches.end()))) {
    const auto reach = [&](int number) { return reaches[static_cast<std::size_t>(number - first)]; };
    const ContactId& id = found.id;
    if (found.gap > std::max(reach(id.a), reach(id.b))) continue;
    SurfaceContact contact;
    contact.key = {id.a, id.b, static_cast<int>(id.kind), id.feature_a, id.feature_b};
    contact.point = found.point;
    contact.normal = found.normal;
    contact.gap = found.gap;
    contacts.push_back(contact);
  }
  return contacts;
}

}  // namespace ccp
