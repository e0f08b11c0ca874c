#include "problems/finite_elements/elastic_world.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <utility>

#include "core/error.hpp"
#include "core/text.hpp"
#include "linalg/linear_solver.hpp"
#include "problem/problem_builder.hpp"
#include "problems/dynamics/attitude.hpp"
#include "problems/dynamics/body.hpp"
#include "problems/dynamics/state.hpp"
#include "problems/geometry/find_contacts.hpp"
#include "problems/rigid/assembly.hpp"
#include "problems/rigid/rigid_system.hpp"

namespace ccp {
namespace {

constexpr Index node_state_size = 6;
/// Stiffness of the spring of an edge over that of a vertex: edges and diagonals that cross a line over the skin are
/// about twice as many as vertices on such a line, which is as stiff between vertices as on them.
constexpr double edge_stiffness = 0.5;

double largest_speed(const std::vector<Vector3>& velocities) {
  double square = 0.0;
  for (const Vector3& velocity : velocities) square = std::max(square, velocity.squaredNorm());
  return std::sqrt(square);
}

/// H⁻¹ k of bodies one by one. Those of one model have the same pattern, which is analysed once.
class FreeVelocities {
 public:
  std::vector<Vector3> of(const ElasticModel& model, const ElasticStep& step, std::size_t number) {
    auto [place, fresh] = factors_.try_emplace(&model);
    if (fresh) place->second = make_linear_solver("auto", MatrixKind::spd);
    LinearSolver& factor = *place->second;
    Vector velocity(step.k.size());
    if ((fresh && factor.analyze(step.H) != LinearStatus::ok) || factor.factorize(step.H) != LinearStatus::ok ||
        factor.solve(step.k, velocity) != LinearStatus::ok)
      throw InputError(fmt::format("H of body {} cannot be factorised: {}", number, factor.info().message));
    return unflattened(velocity);
  }

 private:
  std::map<const ElasticModel*, std::unique_ptr<LinearSolver>> factors_;
};

/// What a contact does to something rigid that has dofs.
struct RigidShare {
  Index dof = 0;
  double sign = 0.0;
  Vector3 arm = Vector3::Zero();
};

std::vector<MovingBody> moving_bodies(const std::vector<RigidPartner>& partners) {
  std::vector<MovingBody> bodies;
  for (const RigidPartner& partner : partners) bodies.push_back(partner.body);
  return bodies;
}

/// H of all bodies and k.
std::pair<SparseMatrix, Vector> joined(const std::vector<ElasticStep>& steps, Index size) {
  Index entries = 0, start = 0;
  for (const ElasticStep& step : steps) entries += step.H.nonZeros();
  SparseMatrix H(size, size);
  H.reserve(entries);
  Vector k(size);
  for (const ElasticStep& step : steps) {
    for (Index column = 0; column < step.H.cols(); ++column) {
      H.startVec(start + column);
      for (SparseMatrix::InnerIterator entry(step.H, column); entry; ++entry)
        H.insertBack(start + entry.row(), start + column) = entry.value();
    }
    k.segment(start, step.k.size()) = step.k;
    start += step.k.size();
  }
  H.finalize();
  return {std::move(H), std::move(k)};
}

}  // namespace

ElasticWorld::ElasticWorld(ElasticWorldSettings settings, std::vector<ElasticBody> bodies,
                           std::vector<ElasticObstacle> obstacles, std::vector<RigidPartner> partners)
    : settings_(std::move(settings)),
      bodies_(std::move(bodies)),
      obstacles_(std::move(obstacles)),
      partners_(std::move(partners)),
      stepper_(&stepper(settings_.stepping)) {
  require_positive(settings_.time_step, "time step", "s");
  require_finite(settings_.gravity, "gravity");
  if (!(settings_.envelope >= 0.0))
    throw InputError(fmt::format("envelope is {} m, expected >= 0", format_double(settings_.envelope)));
  if (!(settings_.friction >= 0.0))
    throw InputError(fmt::format("friction of the contacts is {}, expected >= 0", format_double(settings_.friction)));
  for (std::size_t o = 0; o < obstacles_.size(); ++o) {
    const ElasticObstacle& obstacle = obstacles_[o];
    if (!meets_elastic_bodies(obstacle.shape))
      throw InputError(fmt::format("contact of an elastic body and a {} is not supported", shape_name(obstacle.shape)));
    check_shape(obstacle.shape, "an obstacle");
    if (obstacle.mass == 0.0) continue;
    require_positive(obstacle.mass, "mass of an obstacle", "kg");
    for (const double moment : obstacle.inertia) require_positive(moment, "moment of inertia of an obstacle", "kg m²");
    driven_.push_back(o);
  }
  for (std::size_t p = 0; p < partners_.size(); ++p) {
    partners_[p] = checked(std::move(partners_[p]), fmt::format("rigid body {}", p));
    for (const ElasticObstacle& obstacle : obstacles_)
      if (const auto defect = unsupported_pair(partners_[p].shape, obstacle.shape))
        throw InputError(fmt::format("rigid body {}: {}", p, *defect));
  }
  check_penalty(settings_.penalty);
  if (settings_.penalty.kind != PenaltyLaw::Kind::none &&
      (settings_.friction > 0.0 || settings_.stepping != Stepping::velocity_impulse))
    throw InputError("penalty springs have no friction, and velocity_impulse as integrator");
  if (settings_.penalty.kind != PenaltyLaw::Kind::none && !partners_.empty())
    throw InputError("penalty springs are for elastic bodies and obstacles, not for rigid bodies");
}

Index ElasticWorld::node_dofs() const {
  Index size = 0;
  for (const ElasticBody& body : bodies_) size += 3 * body.model->nodes();
  return size;
}

Index ElasticWorld::state_size() const {
  return 2 * node_dofs() + rigid_state_size * std::ssize(partners_) + (settings_.remembers_fastest ? 1 : 0);
}

Index ElasticWorld::first_rigid_dof(int number) const {
  const auto partner = static_cast<std::size_t>(number) - bodies_.size();
  if (partner < partners_.size()) return 6 * static_cast<Index>(partner);
  const auto driven = std::find(driven_.begin(), driven_.end(), partner - partners_.size());
  return driven != driven_.end() ? 6 * (std::ssize(partners_) + (driven - driven_.begin())) : -1;
}

std::vector<ObstacleFrame> ElasticWorld::frames_after(double lead) const {
  std::vector<ObstacleFrame> frames;
  for (const RigidPartner& partner : partners_) frames.push_back(frame_after(partner.body, lead * settings_.time_step));
  return frames;
}

ElasticWorld::Places ElasticWorld::places_after(double lead) const {
  Places places;
  for (const ElasticBody& body : bodies_) {
    places.push_back(body.places);
    if (lead == 0.0) continue;
    for (std::size_t node = 0; node < body.places.size(); ++node)
      places.back()[node] += lead * settings_.time_step * body.velocities[node];
  }
  return places;
}

std::vector<SurfaceContact> ElasticWorld::contacts(const Places& places, double lead,
                                                   const std::vector<double>& speeds) const {
  const auto reach = [&](double one, double two) {
    return speeds.empty() ? 0.0 : settings_.envelope + settings_.time_step * std::max(one, two);
  };
  const auto speed = [&](std::size_t body) { return speeds.empty() ? 0.0 : speeds[body]; };
  std::vector<ElasticSurface> surfaces;
  surfaces.reserve(bodies_.size());
  for (std::size_t body = 0; body < bodies_.size(); ++body) surfaces.emplace_back(*bodies_[body].model, places[body]);
  // Rigid bodies, whose velocity may change in the step, and then obstacles.
  std::vector<ObstacleFrame> frames = frames_after(lead);
  std::vector<const Shape*> shapes;
  std::vector<double> rigid_speeds;
  for (std::size_t p = 0; p < partners_.size(); ++p) {
    const Vector3 &velocity = frames[p].velocity, falling = velocity + settings_.time_step * settings_.gravity;
    shapes.push_back(&partners_[p].shape);
    rigid_speeds.push_back(
        std::max(largest_speed(*shapes[p], velocity, frames[p].spin), largest_speed(*shapes[p], falling, frames[p].spin)));
  }
  for (const ElasticObstacle& obstacle : obstacles_) {
    frames.push_back(obstacle.motion(time() + lead * settings_.time_step));
    shapes.push_back(&obstacle.shape);
    rigid_speeds.push_back(largest_speed(obstacle.shape, frames.back().velocity, frames.back().spin));
  }
  std::vector<SurfaceContact> found;
  for (std::size_t a = 0; a < bodies_.size(); ++a) {
    for (std::size_t b = a + 1; b < bodies_.size(); ++b)
      find_skin_contacts(surfaces[a], static_cast<int>(a), surfaces[b], static_cast<int>(b), reach(speed(a), speed(b)),
                         found);
    for (std::size_t r = 0; r < frames.size(); ++r)
      find_obstacle_contacts(surfaces[a], static_cast<int>(a), *shapes[r], frames[r], static_cast<int>(bodies_.size() + r),
                             reach(speed(a), rigid_speeds[r]), found);
  }
  std::vector<RigidSide> sides;
  for (std::size_t r = 0; r < frames.size(); ++r) sides.push_back({shapes[r], &frames[r], reach(rigid_speeds[r], 0.0)});
  const auto middle = sides.begin() + std::ssize(partners_);
  const auto rigid = rigid_contacts(static_cast<int>(bodies_.size()), {sides.begin(), middle}, {middle, sides.end()});
  found.insert(found.end(), rigid.begin(), rigid.end());
  return found;
}

ElasticStep ElasticWorld::driven_step(const ElasticObstacle& obstacle) const {
  const ObstacleFrame now = obstacle.motion(time());
  const Matrix3 inertia = world_inertia(
      obstacle.inertia, rotation_matrix(obstacle.motion(time() + stepper_->lead() * settings_.time_step).attitude));
  MassWriter mass(6, 12);
  mass.add_rigid(obstacle.mass, inertia);
  ElasticStep step{mass.finish(), Vector(6)};
  step.k << obstacle.mass * (now.velocity + settings_.time_step * settings_.gravity), inertia * now.spin;
  return step;
}

MotionProblem ElasticWorld::problem() const {
  const double h = settings_.time_step;
  const Places places = places_after(stepper_->lead());
  std::vector<ElasticStep> steps;
  std::vector<double> speeds;
  FreeVelocities free_velocities;
  const std::vector<ObstacleFrame> frames_here = frames_after(stepper_->lead());
  for (std::size_t p = 0; p < partners_.size(); ++p)
    steps.push_back(rigid_step(partners_[p].body, frames_here[p], h, settings_.gravity));
  for (const std::size_t o : driven_) steps.push_back(driven_step(obstacles_[o]));
  for (std::size_t number = 0; number < bodies_.size(); ++number) {
    ElasticBody halfway = bodies_[number];
    halfway.places = places[number];
    steps.push_back(elastic_step(halfway, settings_.stepping, h, settings_.gravity));
    if (settings_.stepping == Stepping::velocity_impulse && settings_.penalty.kind == PenaltyLaw::Kind::none)
      speeds.push_back(std::max(largest_speed(halfway.velocities),
                                largest_speed(free_velocities.of(*halfway.model, steps.back(), number))));
  }
  if (settings_.penalty.kind != PenaltyLaw::Kind::none) return sprung_problem(steps, places);
  std::vector<SurfaceContact> found = contacts(places, stepper_->lead(), speeds);
  std::erase_if(found, [&](const SurfaceContact& contact) { return !stepper_->active(contact.gap); });

  ProblemBuilder builder(settings_.name);
  std::vector<ContactKey> keys;
  std::vector<Matrix3> frames;
  std::vector<double> gaps;
  std::vector<Vector3> points;
  for (const SurfaceContact& contact : found) {
    if (settings_.friction > 0.0)
      builder.contact(settings_.friction);
    else
      builder.unilateral();
    keys.push_back(contact.key);
    frames.push_back(contact_frame(contact.normal));
    gaps.push_back(contact.gap);
    points.push_back(contact.point);
  }
  add_driven_blocks(builder, keys);
  auto [D, b] = contact_rows(found, frames);
  auto [H, k] = joined(steps, dofs());
  builder.global(std::move(H), std::move(k), std::move(D), std::move(b));
  return {builder.build(), std::move(keys), std::move(frames), std::move(gaps), std::move(points)};
}

void ElasticWorld::add_driven_blocks(ProblemBuilder& builder, std::vector<ContactKey>& keys) const {
  const int first = static_cast<int>(bodies_.size() + partners_.size());
  for (const std::size_t o : driven_)
    for (int row = 0; row < 6; ++row) {
      builder.bilateral();
      const int number = first + static_cast<int>(o);
      keys.push_back({number, number, ContactKey::joint_row, static_cast<int>(o), row});
    }
}

MotionProblem ElasticWorld::sprung_problem(const std::vector<ElasticStep>& steps, const Places& places) const {
  const std::vector<SurfaceContact> touching = contacts(places, 0.0, {});
  std::vector<Matrix3> frames;
  Vector gaps(std::ssize(touching)), stiffness(std::ssize(touching));
  for (std::size_t c = 0; c < touching.size(); ++c) {
    frames.push_back(contact_frame(touching[c].normal));
    gaps[static_cast<Index>(c)] = touching[c].gap;
    const bool vertex = touching[c].key.kind != static_cast<int>(SkinContact::edges);
    stiffness[static_cast<Index>(c)] = (vertex ? 1.0 : edge_stiffness) * settings_.penalty.stiffness;
  }
  const auto [rows, offsets] = contact_rows(touching, frames);
  auto [H, k] = joined(steps, dofs());
  const Index springs = gaps.size(), held = rows.cols() - springs;
  add_penalty(settings_.penalty.kind, settings_.time_step, rows.leftCols(springs), stiffness, gaps, offsets.head(springs), H,
              k);
  ProblemBuilder builder(settings_.name);
  std::vector<ContactKey> keys;
  add_driven_blocks(builder, keys);
  builder.global(std::move(H), std::move(k), rows.rightCols(held), offsets.tail(held));
  return {builder.build(), std::move(keys), {}, {}, {}};
}

std::pair<SparseMatrix, Vector> ElasticWorld::contact_rows(const std::vector<SurfaceContact>& contacts,
                                                           const std::vector<Matrix3>& frames) const {
  const double h = settings_.time_step;
  std::vector<Index> first_dof{rigid_dofs()};
  for (const ElasticBody& body : bodies_) first_dof.push_back(first_dof.back() + 3 * body.model->nodes());
  std::vector<ObstacleFrame> here = frames_after(stepper_->lead()), moving = here;
  for (const ElasticObstacle& obstacle : obstacles_) {
    here.push_back(obstacle.motion(time() + stepper_->lead() * h));
    moving.push_back(obstacle.motion(time() + h));
  }
  const Index rows_each = settings_.friction > 0.0 ? 3 : 1, rows = rows_each * std::ssize(contacts);
  const Index held = 6 * std::ssize(driven_);
  JacobianWriter D(first_dof.back(), rows + held, 12 * rows + held);
  Vector b(rows + held);
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const SurfaceContact& contact = contacts[c];
    const Index first_row = rows_each * static_cast<Index>(c);
    Vector3 velocity = Vector3::Zero();
    std::array<RigidShare, 2> pushed;  // what is rigid and has dofs
    for (const auto& [number, sign] : {std::pair(contact.key.body_a, -1.0), std::pair(contact.key.body_b, 1.0)}) {
      if (static_cast<std::size_t>(number) < bodies_.size()) continue;
      const std::size_t rigid = static_cast<std::size_t>(number) - bodies_.size();
      const Vector3 arm = contact.point - here[rigid].position;
      if (const Index dof = first_rigid_dof(number); dof >= 0)
        pushed[sign < 0.0 ? 0 : 1] = {dof, sign, arm};
      else
        velocity = moving[rigid].velocity + moving[rigid].spin.cross(arm);  // of an obstacle, which is body_b
    }
    for (Index i = 0; i < rows_each; ++i) {
      const Vector3 direction = frames[c].col(i);
      D.next_column();
      for (const RigidShare& share : pushed)
        if (share.sign != 0.0) D.insert(share.dof, rigid_impulse(share.sign, direction, share.arm));
      for (int s = 0; s < contact.count; ++s) {
        const SurfaceContact::Share& share = contact.shares[static_cast<std::size_t>(s)];
        D.insert(first_dof[static_cast<std::size_t>(share.body)] + 3 * Index{share.node}, share.weight * direction);
      }
      b[first_row + i] = direction.dot(velocity);
    }
    b[first_row] += stepper_->normal_offset({contact.gap, 0.0, 0.0, h});
  }
  for (std::size_t d = 0; d < driven_.size(); ++d) {
    const Index first = 6 * static_cast<Index>(d);
    const ObstacleFrame& told = moving[partners_.size() + driven_[d]];
    b.segment<6>(rows + first) << -told.velocity, -told.spin;
    for (Index row = 0; row < 6; ++row) {
      D.next_column();
      D.insert(6 * std::ssize(partners_) + first + row, Vector::Ones(1));
    }
  }
  return {D.finish(), std::move(b)};
}

void ElasticWorld::advance(const Vector& velocity, const Vector& impulse) {
  check_solution(velocity, impulse, dofs(), step_);
  Places halfway = places_after(stepper_->lead());
  const double rest = (1.0 - stepper_->lead()) * settings_.time_step;
  const std::vector<ObstacleFrame> frames = frames_after(stepper_->lead());
  for (std::size_t p = 0; p < partners_.size(); ++p) {
    MovingBody& body = partners_[p].body;
    body.velocity = velocity.segment<3>(6 * static_cast<Index>(p));
    body.spin = velocity.segment<3>(6 * static_cast<Index>(p) + 3);
    body.position = frames[p].position + rest * body.velocity;
    body.attitude = turned(frames[p].attitude, rest * body.spin);
  }
  Index start = rigid_dofs();
  for (std::size_t number = 0; number < bodies_.size(); ++number) {
    ElasticBody& body = bodies_[number];
    body.velocities = unflattened(velocity.segment(start, 3 * body.model->nodes()));
    body.places = std::move(halfway[number]);
    for (std::size_t node = 0; node < body.places.size(); ++node) body.places[node] += rest * body.velocities[node];
    fastest_ = std::max(fastest_, largest_speed(body.velocities));
    start += 3 * body.model->nodes();
  }
  ++step_;
}

Vector ElasticWorld::velocity() const {
  Vector v(dofs());
  Index start = 0;
  for (const RigidPartner& partner : partners_) {
    v.segment<6>(start) << partner.body.velocity, partner.body.spin;
    start += 6;
  }
  for (const std::size_t o : driven_) {
    const ObstacleFrame now = obstacles_[o].motion(time());
    v.segment<6>(start) << now.velocity, now.spin;
    start += 6;
  }
  for (const ElasticBody& body : bodies_) {
    v.segment(start, 3 * body.model->nodes()) = flattened(body.velocities);
    start += 3 * body.model->nodes();
  }
  return v;
}

MotionState ElasticWorld::state() const {
  MotionState state{settings_.name, step_, Vector(state_size())};
  Index place = 0;
  for (const ElasticBody& body : bodies_)
    for (std::size_t node = 0; node < body.places.size(); ++node, place += node_state_size)
      state.values.segment<node_state_size>(place) << body.places[node], body.velocities[node];
  const Vector rigid = packed(moving_bodies(partners_), {});
  state.values.segment(place, rigid.size()) = rigid;
  place += rigid.size();
  if (settings_.remembers_fastest) state.values[place] = fastest_;
  return state;
}

void ElasticWorld::restore(const MotionState& state) {
  check_origin(state, settings_.name);
  if (state.values.size() != state_size())
    throw InputError(fmt::format("state has {} numbers, expected {} (6 for each of {} nodes{}{})", state.values.size(),
                                 state_size(), node_dofs() / 3,
                                 partners_.empty() ? "" : fmt::format(", 13 for each of {} rigid bodies", partners_.size()),
                                 settings_.remembers_fastest ? " and one more" : ""));
  check_finite(state.values);
  std::vector<MovingBody> rigid = moving_bodies(partners_);
  std::vector<PseudoRigidBody> none;
  unpack(state.values.segment(2 * node_dofs(), rigid_state_size * std::ssize(partners_)), rigid, none);
  for (std::size_t p = 0; p < partners_.size(); ++p) partners_[p].body = rigid[p];
  Index place = 0;
  for (ElasticBody& body : bodies_)
    for (std::size_t node = 0; node < body.places.size(); ++node, place += node_state_size) {
      body.places[node] = state.values.segment<3>(place);
      body.velocities[node] = state.values.segment<3>(place + 3);
    }
  if (settings_.remembers_fastest) fastest_ = state.values[place + rigid_state_size * std::ssize(partners_)];
  step_ = state.step;
}

double ElasticWorld::kinetic_energy() const {
  double energy = 0.0;
  for (const ElasticBody& body : bodies_) energy += ccp::kinetic_energy(body);
  for (const RigidPartner& partner : partners_) energy += ccp::kinetic_energy(partner.body);
  return energy;
}

double ElasticWorld::potential_energy() const {
  double energy = 0.0;
  for (const ElasticBody& body : bodies_)
    for (std::size_t node = 0; node < body.places.size(); ++node)
      energy -= body.model->masses()[static_cast<Index>(node)] * settings_.gravity.dot(body.places[node]);
  for (const RigidPartner& partner : partners_) energy -= partner.body.mass * settings_.gravity.dot(partner.body.position);
  return energy;
}

double ElasticWorld::deepest_gap() const {
  double least = 0.0;
  for (const SurfaceContact& contact : contacts(places_after(0.0), 0.0, {})) least = std::min(least, contact.gap);
  return least;
}

std::vector<MotionFact> ElasticWorld::facts() const {
  double elastic = 0.0;
  int inverted = 0;
  for (const ElasticBody& body : bodies_) {
    const ElasticModel::Forces now = body.model->energy(body.places);
    elastic += now.energy;
    inverted += now.inverted;
  }
  std::vector<MotionFact> facts{{"kinetic_J", kinetic_energy()},
                                {"potential_J", potential_energy() + elastic},
                                {"elastic_J", elastic},
                                {"deepest_gap", deepest_gap()},
                                {"inverted", static_cast<double>(inverted)}};
  if (settings_.remembers_fastest) facts.push_back({"fastest", fastest_});
  return facts;
}

SceneGeometry ElasticWorld::surfaces() const {
  SceneGeometry geometry;
  const std::vector<ObstacleFrame> frames = frames_after(stepper_->lead());
  for (std::size_t p = 0; p < partners_.size(); ++p) {
    geometry.bodies.push_back(placed_surface(partners_[p].shape, {frames[p].position, rotation_matrix(frames[p].attitude)}));
    geometry.velocities.push_back(frames[p].velocity);
  }
  for (const ElasticObstacle& obstacle : obstacles_) {
    const ObstacleFrame frame = obstacle.motion(time() + stepper_->lead() * settings_.time_step);
    geometry.obstacles.push_back(placed_surface(obstacle.shape, {frame.position, rotation_matrix(frame.attitude)}));
  }
  return geometry;
}

std::vector<PlacedMesh> ElasticWorld::meshes() const {
  std::vector<PlacedMesh> meshes;
  const Places places = places_after(stepper_->lead());
  for (std::size_t number = 0; number < bodies_.size(); ++number) {
    const ElasticBody& body = bodies_[number];
    const Mesh& mesh = body.model->mesh();
    meshes.push_back({places[number], body.starts, body.velocities, body.model->skin().triangles, node_count(mesh.kind),
                      mesh.corners, body.model->von_mises_stresses(places[number])});
  }
  return meshes;
}

}  // namespace ccp
