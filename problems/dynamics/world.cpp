#include "problems/dynamics/world.hpp"

#include <fmt/format.h>
#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.hpp"
#include "problems/dynamics/assembly.hpp"
#include "problems/dynamics/state.hpp"

namespace ccp {
namespace {

constexpr double missed_depth = 0.01;  // of WorldContact::size

/// 0 where nothing overlaps.
double least_gap(const std::vector<WorldContact>& contacts) {
  double least = 0.0;
  for (const WorldContact& contact : contacts) least = std::min(least, contact.gap);
  return least;
}

std::size_t at(int number) { return static_cast<std::size_t>(number); }

void check_settings(const WorldSettings& settings) {
  require_positive(settings.time_step, "time step", "s");
  require_finite(settings.gravity, "gravity");
  if (!(settings.restitution >= 0.0 && settings.restitution <= 1.0))
    throw InputError(fmt::format("restitution is {}, expected 0 <= e <= 1", settings.restitution));
  if (!(settings.compliance >= 0.0))
    throw InputError(fmt::format("compliance of the contacts is {} m/N, expected >= 0", settings.compliance));
}

void check_sides(const WorldParts& parts, const Joint& joint, const std::string& name) {
  const int rigid = static_cast<int>(parts.bodies.size()), all = parts.obstacle(parts.obstacles.size());
  bool moves = false;
  for (const int side : {joint.first, joint.second}) {
    if (side < Joint::ground || side >= all)
      throw InputError(fmt::format("{} holds body {}, expected the ground (-1) or a number below {}", name, side, all));
    if (side >= rigid && side < parts.count())
      throw InputError(fmt::format("{} holds the pseudo-rigid body {}, expected a rigid one", name, side));
    moves = moves || (side >= 0 && side < rigid);
  }
  if (!moves || joint.first == joint.second)
    throw InputError(fmt::format("{} holds {} and {}, expected two, one of them a body", name, joint.first, joint.second));
}

/// Throws InputError where a pseudo-rigid body would end a step with the deformation F and det F <= 0. St Venant–Kirchhoff
/// material has a finite energy at det F = 0, and no stress at a reflection: hard impacts get bodies there, to stay.
void check_not_inverted(const Matrix3& F, int body, std::int64_t step) {
  if (const double ratio = F.determinant(); !(ratio > 0.0))
    throw InputError(
        fmt::format("step {} would turn body {} inside out, det F = {:.3g}: its material is too soft for this motion", step,
                    body, ratio));
}

Placement placement_of(const MovingBody& body) { return {body.position, rotation_matrix(body.attitude)}; }
Placement placement_of(const ObstacleFrame& frame) { return {frame.position, rotation_matrix(frame.attitude)}; }

}  // namespace

World::World(WorldSettings settings, WorldParts parts)
    : settings_(std::move(settings)), parts_(std::move(parts)), stepper_(&stepper(settings_.stepping)) {
  check_settings(settings_);
  for (std::size_t i = 0; i < parts_.bodies.size(); ++i)
    parts_.bodies[i] = checked(parts_.bodies[i], fmt::format("body {}", i));
  for (std::size_t i = 0; i < parts_.pseudo_rigid.size(); ++i)
    check_pseudo_rigid(parts_.pseudo_rigid[i], fmt::format("body {}", parts_.bodies.size() + i));
  if (!parts_.pseudo_rigid.empty() && settings_.stepping != Stepping::moreau_midpoint)
    throw InputError("pseudo-rigid bodies with velocity_impulse, expected moreau_midpoint, which their integrator is");
  if (const std::size_t all = at(parts_.obstacle(parts_.obstacles.size()));
      !parts_.shapes.empty() && parts_.shapes.size() != all)
    throw InputError(fmt::format("{} shapes, expected one for each of {} bodies and obstacles", parts_.shapes.size(), all));
  for (std::size_t i = 0; i < parts_.joints.size(); ++i) {
    const std::string name = fmt::format("joint {}", i);
    check_joint(parts_.joints[i], name);
    check_sides(parts_, parts_.joints[i], name);
  }
}

bool World::has_entered(int body) const {
  const double enters = body < static_cast<int>(parts_.bodies.size())
                            ? parts_.bodies[at(body)].enters
                            : parts_.pseudo_rigid[at(body) - parts_.bodies.size()].enters;
  return enters < time() + 0.5 * settings_.time_step;
}

Configuration World::configuration_at(double lead) const {
  Configuration result;
  const double ahead = lead * settings_.time_step;
  result.time = (static_cast<double>(step_) + lead) * settings_.time_step;
  for (int body = 0; body < parts_.count(); ++body) result.present.push_back(has_entered(body));
  for (std::size_t i = 0; i < parts_.bodies.size(); ++i) {
    const MovingBody& body = parts_.bodies[i];
    if (lead == 0.0 || !result.present[i])
      result.bodies.push_back(placement_of(body));
    else
      result.bodies.push_back(
          {body.position + ahead * body.velocity, rotation_matrix(turned(body.attitude, ahead * body.spin))});
  }
  for (const PseudoRigidBody& body : parts_.pseudo_rigid) {
    const double moved = result.present[result.bodies.size()] ? ahead : 0.0;
    result.bodies.push_back({body.position + moved * body.velocity, body.deformation + moved * body.deformation_rate});
  }
  for (const PrescribedMotion& motion : parts_.obstacles) {
    result.obstacles.push_back(motion(result.time));
    result.obstacle_placements.push_back(placement_of(result.obstacles.back()));
  }
  return result;
}

Configuration World::configuration() const { return configuration_at(0.0); }

Vector World::velocity() const {
  std::vector<bool> present;
  for (int body = 0; body < parts_.count(); ++body) present.push_back(has_entered(body));
  const DofMap dofs = dof_map(parts_, present);
  Vector v(dofs.size);
  for (int number = 0; number < parts_.count(); ++number) {
    if (!dofs.has(number)) continue;
    const Index start = dofs.start[at(number)];
    if (number < static_cast<int>(parts_.bodies.size())) {
      const MovingBody& body = parts_.bodies[at(number)];
      v.segment<6>(start) << body.velocity, body.spin;
    } else {
      const PseudoRigidBody& body = parts_.pseudo_rigid[at(number) - parts_.bodies.size()];
      v.segment<12>(start) << body.velocity, by_rows(body.deformation_rate);
    }
  }
  return v;
}

MotionProblem World::problem() const {
  const Configuration now = configuration_at(stepper_->lead());
  const Vector v = velocity();
  return assemble({settings_, parts_, *stepper_, now, time(), v}, dof_map(parts_, now.present));
}

void World::advance(const Vector& velocity, const Vector& impulse) {
  const Configuration halfway = configuration_at(stepper_->lead());
  const DofMap dofs = dof_map(parts_, halfway.present);
  check_solution(velocity, impulse, dofs.size, step_);
  check_way(velocity, settings_.time_step, "body", step_);
  const double h = settings_.time_step, lead = stepper_->lead() * h, rest = h - lead;
  for (int number = static_cast<int>(parts_.bodies.size()); number < parts_.count(); ++number)
    if (dofs.has(number))
      check_not_inverted(
          halfway.bodies[at(number)].rotation + rest * from_rows(velocity.segment<9>(dofs.start[at(number)] + 3)), number,
          step_);
  for (int number = 0; number < parts_.count(); ++number) {
    if (!dofs.has(number)) continue;
    const Index start = dofs.start[at(number)];
    const Placement& from = halfway.bodies[at(number)];
    if (number < static_cast<int>(parts_.bodies.size())) {
      MovingBody& body = parts_.bodies[at(number)];
      if (lead > 0.0) body.attitude = turned(body.attitude, lead * body.spin);
      body.velocity = velocity.segment<3>(start);
      body.spin = velocity.segment<3>(start + 3);
      body.position = from.position + rest * body.velocity;
      body.attitude = turned(body.attitude, rest * body.spin);
    } else {
      PseudoRigidBody& body = parts_.pseudo_rigid[at(number) - parts_.bodies.size()];
      body.velocity = velocity.segment<3>(start);
      body.deformation_rate = from_rows(velocity.segment<9>(start + 3));
      body.position = from.position + rest * body.velocity;
      body.deformation = from.rotation + rest * body.deformation_rate;
    }
  }
  ++step_;
}

MotionState World::state() const { return {settings_.name, step_, packed(parts_.bodies, parts_.pseudo_rigid)}; }

void World::restore(const MotionState& state) {
  check_origin(state, settings_.name);
  unpack(state.values, parts_.bodies, parts_.pseudo_rigid);
  step_ = state.step;
}

double World::joint_error() const {
  const Configuration now = configuration();
  double largest = 0.0;
  for (const Joint& joint : parts_.joints) {
    if (!takes_part(joint, time(), parts_, now.present)) continue;
    double square = 0.0;
    for (const JointRow& row : joint_rows(joint, side_of(now, joint.first), side_of(now, joint.second), now.time))
      square += row.value * row.value;
    largest = std::max(largest, std::sqrt(square));
  }
  return largest;
}

double World::kinetic_energy() const {
  double energy = 0.0;
  for (std::size_t i = 0; i < parts_.bodies.size(); ++i) {
    if (!has_entered(static_cast<int>(i))) continue;
    const MovingBody& body = parts_.bodies[i];
    const Vector3 w = rotation_matrix(body.attitude).transpose() * body.spin;
    energy += 0.5 * (body.mass * body.velocity.squaredNorm() + w.dot(body.inertia.cwiseProduct(w)));
  }
  for (std::size_t i = 0; i < parts_.pseudo_rigid.size(); ++i) {
    if (!has_entered(static_cast<int>(parts_.bodies.size() + i))) continue;
    const PseudoRigidBody& body = parts_.pseudo_rigid[i];
    const Matrix3& rate = body.deformation_rate;
    const Vector3 columns = rate.colwise().squaredNorm().transpose();
    energy += 0.5 * (body.mass * body.velocity.squaredNorm() + body.euler_tensor().dot(columns));
  }
  return energy;
}

double World::potential_energy() const {
  double energy = 0.0;
  for (std::size_t i = 0; i < parts_.bodies.size(); ++i)
    if (has_entered(static_cast<int>(i))) energy -= parts_.bodies[i].mass * settings_.gravity.dot(parts_.bodies[i].position);
  for (std::size_t i = 0; i < parts_.pseudo_rigid.size(); ++i) {
    if (!has_entered(static_cast<int>(parts_.bodies.size() + i))) continue;
    const PseudoRigidBody& body = parts_.pseudo_rigid[i];
    energy += elastic_energy(body) - body.mass * settings_.gravity.dot(body.position);
  }
  return energy;
}

std::vector<WorldContact> World::contacts_now() const { return free_contacts(parts_, configuration(), time()); }

double World::deepest_gap() const { return least_gap(contacts_now()); }

int World::missed() const { return missed_of(contacts_now()); }

int World::missed_of(const std::vector<WorldContact>& contacts) const {
  if (step_ == 0) return 0;
  const auto pair_of = [](const WorldContact& contact) { return std::pair(contact.key.body_a, contact.key.body_b); };
  std::vector<std::pair<int, int>> deep, known;
  for (const WorldContact& contact : contacts)
    if (contact.gap < -missed_depth * contact.size) deep.push_back(pair_of(contact));
  if (deep.empty()) return 0;
  // Both integrators end with a motion by the velocity that they leave: backwards, it leads to the geometry of the last
  // step.
  const double last_start = static_cast<double>(step_ - 1) * settings_.time_step;
  for (const WorldContact& contact : free_contacts(parts_, configuration_at(stepper_->lead() - 1.0), last_start))
    if (stepper_->active(contact.gap)) known.push_back(pair_of(contact));
  deep.erase(std::unique(deep.begin(), deep.end()), deep.end());  // contacts are in order, and so are pairs
  return static_cast<int>(std::count_if(
      deep.begin(), deep.end(), [&](const auto& pair) { return !std::binary_search(known.begin(), known.end(), pair); }));
}

std::vector<MotionFact> World::facts() const {
  const std::vector<WorldContact> contacts = contacts_now();
  return {{"kinetic_J", kinetic_energy()},
          {"potential_J", potential_energy()},
          {"joint_error", joint_error()},
          {"deepest_gap", least_gap(contacts)},
          {"missed", static_cast<double>(missed_of(contacts))}};
}

SceneGeometry World::surfaces() const {
  SceneGeometry geometry;
  if (parts_.shapes.empty()) return geometry;
  const Configuration now = configuration_at(stepper_->lead());
  for (std::size_t i = 0; i < parts_.shapes.size(); ++i) {
    const bool is_body = i < now.bodies.size();
    const Placement& place = is_body ? now.bodies[i] : now.obstacle_placements[i - now.bodies.size()];
    PlacedSurface surface = placed_surface(parts_.shapes[i], {place.position, place.rotation});
    surface.present = !is_body || now.present[i];
    (is_body ? geometry.bodies : geometry.obstacles).push_back(surface);
  }
  return geometry;
}

Joint joint_here(const WorldParts& parts, JointKind kind, int first, int second, const Vector3& point, const Matrix3& axes) {
  const auto frame = [&](int side) -> JointFrame {
    if (side == Joint::ground) return {point, axes};
    const auto number = static_cast<std::size_t>(side);
    const std::size_t bodies = parts.bodies.size(), count = at(parts.count());
    if (side < Joint::ground || number >= count + parts.obstacles.size() || (number >= bodies && number < count))
      throw InputError(
          fmt::format("a {} joint holds body {}, expected the ground, a rigid body or an obstacle", joint_name(kind), side));
    const Placement place = number < bodies ? placement_of(checked(parts.bodies[number], fmt::format("body {}", side)))
                                            : placement_of(parts.obstacles[number - count](0.0));
    return {place.rotation.transpose() * (point - place.position), place.rotation.transpose() * axes};
  };
  Joint joint;
  joint.kind = kind;
  joint.first = first;
  joint.second = second;
  joint.on_first = frame(first);
  joint.on_second = frame(second);
  return joint;
}

}  // namespace ccp
