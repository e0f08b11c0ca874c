#include "problems/finite_elements/elastic_world.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
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
#include "problems/rigid/assembly.hpp"
#include "problems/rigid/rigid_system.hpp"

namespace ccp {
namespace {

constexpr Index node_state_size = 6;
/// Of the spring of an edge over that of a vertex: edges and diagonals that cross a line over the skin are about twice as
/// many as vertices on such a line, which is as stiff between vertices as on them.
constexpr double edge_stiffness = 0.5;

double largest_speed(const std::vector<Vector3>& velocities) {
  double square = 0.0;
  for (const Vector3& velocity : velocities) square = std::max(square, velocity.squaredNorm());
  return std::sqrt(square);
}

/// Of the points of an obstacle towards anything; round ones do not come nearer by their spin.
double largest_speed(const Shape& shape, const ObstacleFrame& frame) {
  const auto* box = std::get_if<Box>(&shape);
  return frame.velocity.norm() + (box != nullptr ? frame.spin.norm() * box->half.norm() : 0.0);
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
                           std::vector<ElasticObstacle> obstacles)
    : settings_(std::move(settings)),
      bodies_(std::move(bodies)),
      obstacles_(std::move(obstacles)),
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
  check_penalty(settings_.penalty);
  if (settings_.penalty.kind != PenaltyLaw::Kind::none &&
      (settings_.friction > 0.0 || settings_.stepping != Stepping::velocity_impulse))
    throw InputError("penalty springs have no friction, and velocity_impulse as integrator");
}

Index ElasticWorld::dofs() const { return 6 * std::ssize(driven_) + node_dofs(); }

Index ElasticWorld::node_dofs() const {
  Index size = 0;
  for (const ElasticBody& body : bodies_) size += 3 * body.model->nodes();
  return size;
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

std::vector<SurfaceContact> ElasticWorld::contacts(const Places& places, double time,
                                                   const std::vector<double>& speeds) const {
  const auto reach = [&](double one, double two) {
    return speeds.empty() ? 0.0 : settings_.envelope + settings_.time_step * std::max(one, two);
  };
  const auto speed = [&](std::size_t body) { return speeds.empty() ? 0.0 : speeds[body]; };
  std::vector<ElasticSurface> surfaces;
  surfaces.reserve(bodies_.size());
  for (std::size_t body = 0; body < bodies_.size(); ++body) surfaces.emplace_back(*bodies_[body].model, places[body]);
  std::vector<ObstacleFrame> frames;
  for (const ElasticObstacle& obstacle : obstacles_) frames.push_back(obstacle.motion(time));
  std::vector<SurfaceContact> found;
  for (std::size_t a = 0; a < bodies_.size(); ++a) {
    for (std::size_t b = a + 1; b < bodies_.size(); ++b)
      find_skin_contacts(surfaces[a], static_cast<int>(a), surfaces[b], static_cast<int>(b), reach(speed(a), speed(b)),
                         found);
    for (std::size_t o = 0; o < frames.size(); ++o)
      find_obstacle_contacts(surfaces[a], static_cast<int>(a), obstacles_[o].shape, frames[o],
                             static_cast<int>(bodies_.size() + o),
                             reach(speed(a), largest_speed(obstacles_[o].shape, frames[o])), found);
  }
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
  const double h = settings_.time_step, ahead = stepper_->lead() * h;
  const Places places = places_after(stepper_->lead());
  std::vector<ElasticStep> steps;
  std::vector<double> speeds;
  FreeVelocities free_velocities;
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
  std::vector<SurfaceContact> found = contacts(places, time() + ahead, speeds);
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
  const int first = static_cast<int>(bodies_.size());
  for (const std::size_t o : driven_)
    for (int row = 0; row < 6; ++row) {
      builder.bilateral();
      const int number = first + static_cast<int>(o);
      keys.push_back({number, number, ContactKey::joint_row, static_cast<int>(o), row});
    }
}

MotionProblem ElasticWorld::sprung_problem(const std::vector<ElasticStep>& steps, const Places& places) const {
  const std::vector<SurfaceContact> touching = contacts(places, time(), {});
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
  std::vector<Index> first_dof{6 * std::ssize(driven_)};
  for (const ElasticBody& body : bodies_) first_dof.push_back(first_dof.back() + 3 * body.model->nodes());
  std::vector<ObstacleFrame> here, moving;
  for (const ElasticObstacle& obstacle : obstacles_) {
    here.push_back(obstacle.motion(time() + stepper_->lead() * h));
    moving.push_back(obstacle.motion(time() + stepper_->obstacle_lead() * h));
  }
  const Index rows_each = settings_.friction > 0.0 ? 3 : 1, rows = rows_each * std::ssize(contacts);
  const Index held = 6 * std::ssize(driven_);
  JacobianWriter D(first_dof.back(), rows + held, 12 * rows + held);
  Vector b(rows + held);
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const SurfaceContact& contact = contacts[c];
    Vector3 velocity = Vector3::Zero(), arm = Vector3::Zero();
    Index pushed = -1;  // dofs of an obstacle with a mass
    if (const auto body = static_cast<std::size_t>(contact.key.body_b); body >= bodies_.size()) {
      const std::size_t o = body - bodies_.size();
      arm = contact.point - here[o].position;
      if (const auto driven = std::find(driven_.begin(), driven_.end(), o); driven != driven_.end())
        pushed = 6 * (driven - driven_.begin());
      else
        velocity = moving[o].velocity + moving[o].spin.cross(arm);
    }
    const Index first_row = rows_each * static_cast<Index>(c);
    for (Index i = 0; i < rows_each; ++i) {
      const Vector3 direction = frames[c].col(i);
      D.next_column();
      if (pushed >= 0) D.insert(pushed, rigid_impulse(1.0, direction, arm));
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
    b.segment<6>(rows + first) << -moving[driven_[d]].velocity, -moving[driven_[d]].spin;
    for (Index row = 0; row < 6; ++row) {
      D.next_column();
      D.insert(first + row, Vector::Ones(1));
    }
  }
  return {D.finish(), std::move(b)};
}

void ElasticWorld::advance(const Vector& velocity, const Vector& impulse) {
  check_solution(velocity, impulse, dofs(), step_);
  Places halfway = places_after(stepper_->lead());
  const double rest = (1.0 - stepper_->lead()) * settings_.time_step;
  Index start = 6 * std::ssize(driven_);
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
  if (settings_.remembers_fastest) state.values[place] = fastest_;
  return state;
}

void ElasticWorld::restore(const MotionState& state) {
  check_origin(state, settings_.name);
  if (state.values.size() != state_size())
    throw InputError(fmt::format("state has {} numbers, expected {} (6 for each of {} nodes{})", state.values.size(),
                                 state_size(), node_dofs() / 3, settings_.remembers_fastest ? " and one more" : ""));
  check_finite(state.values);
  Index place = 0;
  for (ElasticBody& body : bodies_)
    for (std::size_t node = 0; node < body.places.size(); ++node, place += node_state_size) {
      body.places[node] = state.values.segment<3>(place);
      body.velocities[node] = state.values.segment<3>(place + 3);
    }
  if (settings_.remembers_fastest) fastest_ = state.values[place];
  step_ = state.step;
}

double ElasticWorld::kinetic_energy() const {
  double energy = 0.0;
  for (const ElasticBody& body : bodies_) energy += ccp::kinetic_energy(body);
  return energy;
}

double ElasticWorld::potential_energy() const {
  double energy = 0.0;
  for (const ElasticBody& body : bodies_)
    for (std::size_t node = 0; node < body.places.size(); ++node)
      energy -= body.model->masses()[static_cast<Index>(node)] * settings_.gravity.dot(body.places[node]);
  return energy;
}

double ElasticWorld::deepest_gap() const {
  double least = 0.0;
  for (const SurfaceContact& contact : contacts(places_after(0.0), time(), {})) least = std::min(least, contact.gap);
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
