#include "problems/articulated/articulated_world.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "core/error.hpp"
#include "core/text.hpp"
#include "problems/articulated/articulated_step.hpp"
#include "problems/distance_field/field_solid.hpp"
#include "problems/dynamics/body.hpp"
#include "problems/dynamics/state.hpp"

namespace ccp {
namespace {

constexpr double least_envelope = 1e-4;  // m

void check_not_negative(double value, const char* what, const char* unit) {
  if (!(value >= 0.0) || !std::isfinite(value))
    throw InputError(fmt::format("{} is {}{}, expected a finite number >= 0", what, format_double(value), unit));
}

void check_impedance(const JointImpedance& impedance, const Tree& tree, std::size_t number) {
  for (const Vector* list : {&impedance.stiffness, &impedance.damping})
    if (list->size() != tree.dofs() || !list->allFinite() || (tree.dofs() > 0 && list->minCoeff() < 0.0))
      throw InputError(
          fmt::format("impedance of robot {} has {} numbers, expected {} that are >= 0", number, list->size(), tree.dofs()));
  const Vector start = impedance.path.angles(0.0);
  if (start.size() != tree.dofs() || !start.allFinite())
    throw InputError(fmt::format("path of robot {} has {} numbers, expected {}", number, start.size(), tree.dofs()));
}

void check_robot(const Robot& robot, std::size_t number) {
  const Tree& tree = robot.model->tree;
  const std::size_t links = tree.links().size();
  if (robot.velocity.size() != tree.dofs() || robot.pose.joints.size() != links)
    throw InputError(fmt::format("robot {} has {} velocities and {} joint angles, expected {} and {}", number,
                                 robot.velocity.size(), robot.pose.joints.size(), tree.dofs(), links));
  if (robot.impedance) check_impedance(*robot.impedance, tree, number);
  for (std::size_t i = 0; i < robot.model->shapes.size(); ++i) {
    const LinkShape& shape = robot.model->shapes[i];
    const std::string name = fmt::format("shape {} of robot {}", i, number);
    if (shape.link >= links)
      throw InputError(fmt::format("{} is on link {}, expected a number below {}", name, shape.link, links));
    check_body_shape(shape.shape, name);
  }
}

/// The farthest point of a shape from its centre, m.
double radius_of(const Shape& shape) { return bounds_of(shape, {}).high.norm(); }

/// A bound on the speed of the points of all shapes, m/s.
double largest_speed_of(const Robot& robot, const PlacedTree& placed, const Vector& velocity) {
  double largest = 0.0;
  for (const LinkShape& shape : robot.model->shapes) {
    const Placement& link = placed.links()[shape.link];
    const Vector twist = placed.body_jacobian(shape.link, link.position + link.rotation * shape.place) * velocity;
    largest = std::max(largest, twist.head<3>().norm() + twist.tail<3>().norm() * radius_of(shape.shape));
  }
  return largest;
}

Pose placed_pose(const LinkShape& shape, const PlacedTree& placed) {
  const Placement& link = placed.links()[shape.link];
  return {link.position + link.rotation * shape.place, link.rotation * shape.turn};
}

bool is_free(const Tree& tree) { return !tree.links().empty() && tree.links()[0].joint == TreeJoint::free; }

/// Place and attitude of the base where it is free, an entry for each link, and the velocities.
Index packed_size(const Robot& robot) {
  return (is_free(robot.model->tree) ? 7 : 0) + std::ssize(robot.pose.joints) + robot.velocity.size();
}

}  // namespace

void add_impedance_form(FieldTable& fields, ImpedanceForm* form) {
  fields.add("impedance", form, {{"inertia", ImpedanceForm::inertia}, {"rows", ImpedanceForm::rows}},
             "the springs and dampers of the motors: in H, or as soft rows (B.3), which move the robot alike", "ours");
}

std::vector<Solid> placed_shapes(const RobotModel& model, const PlacedTree& placed, int first_id) {
  std::vector<Solid> solids;
  for (const LinkShape& shape : model.shapes) solids.push_back({first_id++, shape.shape, placed_pose(shape, placed)});
  return solids;
}

bool may_touch(const Tree& tree, int one, int other) {
  const auto ancestors = [&](int link) {
    std::vector<int> list{link};
    for (int n = 0; n < 2 && list.back() != TreeLink::ground; ++n)
      list.push_back(tree.links()[static_cast<std::size_t>(list.back())].parent);
    return list;
  };
  const std::vector<int> up = ancestors(one), to = ancestors(other);
  for (std::size_t i = 0; i < up.size(); ++i)
    for (std::size_t j = 0; i + j <= 2 && j < to.size(); ++j)
      if (up[i] == to[j]) return false;
  return true;
}

MergedRobot merged_robot(const RobotDescription& description) {
  MergedRobot robot{{Tree(description.links), {}}, {}};
  for (const LinkShape& shape : description.shapes) {
    const MergedLink& merged = robot.model.tree.merged()[shape.link];
    const Vector3 place = merged.place + merged.turn * shape.place;
    const Matrix3 turn = merged.turn * shape.turn;
    if (merged.link == TreeLink::ground)
      robot.base.push_back({shape.shape, {place, turn}});
    else
      robot.model.shapes.push_back({static_cast<std::size_t>(merged.link), shape.shape, place, turn});
  }
  return robot;
}

Robot free_body(double mass, const Matrix3& inertia, const Shape& shape, const Vector3& position, const Vector3& place) {
  TreeLink link;
  link.joint = TreeJoint::free;
  link.mass = mass;
  link.inertia = inertia;
  Robot body{std::make_shared<const RobotModel>(RobotModel{Tree({link}), {{0, shape, place}}}), {}, Vector::Zero(6)};
  body.pose = body.model->tree.rest();
  body.pose.base = position;
  return body;
}

ArticulatedWorld::ArticulatedWorld(ArticulatedWorldSettings settings, std::vector<Robot> robots,
                                   const std::vector<PlacedObstacle>& obstacles)
    : settings_(std::move(settings)), robots_(std::move(robots)), memory_(settings_.memory) {
  require_positive(settings_.time_step, "time step", "s");
  require_finite(settings_.gravity, "gravity");
  check_not_negative(settings_.friction, "friction of the contacts", "");
  check_not_negative(settings_.envelope, "envelope", " m");
  check_not_negative(settings_.limit_margin, "margin of joint limits", "");
  check_not_negative(settings_.joint_damping, "damping of joints", "");
  for (std::size_t i = 0; i < robots_.size(); ++i) {
    check_robot(robots_[i], i);
    for (const LinkShape& shape : robots_[i].model->shapes) owners_.push_back({i, shape.link});
  }
  for (const PlacedObstacle& obstacle : obstacles) {
    check_shape(obstacle.shape, fmt::format("obstacle {}", obstacles_.size()));
    obstacles_.push_back({static_cast<int>(owners_.size() + obstacles_.size()), obstacle.shape, obstacle.pose});
    based_.push_back(obstacle.robot);
  }
}

Index ArticulatedWorld::dofs() const {
  Index size = 0;
  for (const Robot& robot : robots_) size += robot.model->tree.dofs();
  return size;
}

std::vector<PlacedTree> ArticulatedWorld::placed() const {
  std::vector<PlacedTree> list;
  for (const Robot& robot : robots_) list.emplace_back(robot.model->tree, robot.pose);
  return list;
}

Contacts ArticulatedWorld::contacts(const std::vector<PlacedTree>& placed, double envelope) const {
  std::vector<Solid> solids;
  for (std::size_t i = 0; i < robots_.size(); ++i) {
    const std::vector<Solid> shapes = placed_shapes(*robots_[i].model, placed[i], static_cast<int>(solids.size()));
    solids.insert(solids.end(), shapes.begin(), shapes.end());
  }
  Contacts found = find_contacts(solids, obstacles_, envelope);
  std::erase_if(found, [&](const Contact& contact) {
    const ShapeOwner& a = owners_[static_cast<std::size_t>(contact.id.a)];
    const auto b = static_cast<std::size_t>(contact.id.b);
    const bool is_obstacle = b >= owners_.size();
    const int other = is_obstacle ? based_[b - owners_.size()] : static_cast<int>(owners_[b].robot);
    const int link = is_obstacle ? TreeLink::ground : static_cast<int>(owners_[b].link);
    return other == static_cast<int>(a.robot) && !may_touch(robots_[a.robot].model->tree, static_cast<int>(a.link), link);
  });
  return found;
}

MotionProblem ArticulatedWorld::problem() const {
  const std::vector<PlacedTree> now = placed();
  std::vector<FreeStep> free;
  double speed = 0.0;
  for (std::size_t i = 0; i < robots_.size(); ++i) {
    free.push_back(free_step(settings_, robots_[i], now[i], time()));
    speed = std::max(speed, largest_speed_of(robots_[i], now[i], free.back().velocity));
  }
  const double reach = std::max(settings_.envelope, least_envelope) + 2.0 * settings_.time_step * speed;
  return articulated_step({settings_, robots_, now, owners_}, free, contacts(now, reach));
}

void ArticulatedWorld::advance(const Vector& velocity, const Vector& impulse) {
  check_solution(velocity, impulse, dofs(), step_);
  check_way(velocity, settings_.time_step, "robot", step_);
  const Vector change = settings_.remember ? Vector(velocity - this->velocity()) : Vector();
  Index start = 0;
  for (Robot& robot : robots_) {
    robot.velocity = velocity.segment(start, robot.velocity.size());
    robot.pose = integrated(robot.model->tree, std::move(robot.pose), robot.velocity, settings_.time_step);
    start += robot.velocity.size();
  }
  ++step_;
  deepest_gap_.reset();
  if (settings_.remember) settings_.remember(*this, change, memory_);
}

Vector ArticulatedWorld::velocity() const {
  Vector v(dofs());
  Index start = 0;
  for (const Robot& robot : robots_) {
    v.segment(start, robot.velocity.size()) = robot.velocity;
    start += robot.velocity.size();
  }
  return v;
}

MotionState ArticulatedWorld::state() const {
  Index size = 0;
  for (const Robot& robot : robots_) size += packed_size(robot);
  size += memory_.size();
  MotionState state{settings_.name, step_, Vector(size)};
  Index place = 0;
  for (const Robot& robot : robots_) {
    const Quaternion& q = robot.pose.attitude;
    if (is_free(robot.model->tree)) {
      state.values.segment<7>(place) << robot.pose.base, q.w, q.x, q.y, q.z;
      place += 7;
    }
    for (const double angle : robot.pose.joints) state.values[place++] = angle;
    state.values.segment(place, robot.velocity.size()) = robot.velocity;
    place += robot.velocity.size();
  }
  state.values.tail(memory_.size()) = memory_;
  return state;
}

void ArticulatedWorld::restore(const MotionState& state) {
  check_origin(state, settings_.name);
  const Index expected = this->state().values.size();
  if (state.values.size() != expected)
    throw InputError(
        fmt::format("state has {} numbers, expected {} of {} robots", state.values.size(), expected, robots_.size()));
  check_finite(state.values);
  std::vector<Robot> robots = robots_;
  const double* value = state.values.data();
  for (std::size_t number = 0; number < robots.size(); ++number) {
    Robot& robot = robots[number];
    if (is_free(robot.model->tree)) {
      robot.pose.base = Eigen::Map<const Vector3>(value);
      robot.pose.attitude = {value[3], value[4], value[5], value[6]};
      check_unit_quaternion(value + 3, "robot", number);
      value += 7;
    }
    for (double& angle : robot.pose.joints) angle = *value++;
    robot.velocity = Eigen::Map<const Vector>(value, robot.velocity.size());
    value += robot.velocity.size();
  }
  robots_ = std::move(robots);
  memory_ = state.values.tail(memory_.size());
  step_ = state.step;
  deepest_gap_.reset();
}

double ArticulatedWorld::kinetic_energy() const {
  double energy = 0.0;
  for (const Robot& robot : robots_)
    energy += 0.5 * robot.velocity.dot(PlacedTree(robot.model->tree, robot.pose).joint_inertia() * robot.velocity);
  return energy;
}

double ArticulatedWorld::potential_energy() const {
  double energy = 0.0;
  for (const Robot& robot : robots_) {
    const PlacedTree now(robot.model->tree, robot.pose);
    for (std::size_t link = 0; link < now.links().size(); ++link)
      energy -= robot.model->tree.links()[link].mass * settings_.gravity.dot(now.centre(link));
  }
  return energy;
}

double ArticulatedWorld::limit_error() const {
  double largest = 0.0;
  for (const Robot& robot : robots_) {
    const auto& links = robot.model->tree.links();
    for (std::size_t i = 0; i < links.size(); ++i)
      if (links[i].joint != TreeJoint::free)
        largest = std::max({largest, links[i].lower - robot.pose.joints[i], robot.pose.joints[i] - links[i].upper});
  }
  return largest;
}

double ArticulatedWorld::deepest_gap() const {
  if (deepest_gap_) return *deepest_gap_;
  double least = 0.0;
  for (const Contact& contact : contacts(placed(), settings_.envelope)) least = std::min(least, contact.gap);
  deepest_gap_ = least;
  return least;
}

std::vector<MotionFact> ArticulatedWorld::facts() const {
  std::vector<MotionFact> facts{{"kinetic_J", kinetic_energy()},
                                {"potential_J", potential_energy()},
                                {"joint_error", limit_error()},
                                {"deepest_gap", deepest_gap()}};
  if (settings_.task)
    for (MotionFact& fact : settings_.task(*this)) facts.push_back(std::move(fact));
  return facts;
}

SceneGeometry ArticulatedWorld::surfaces() const {
  SceneGeometry geometry;
  for (const Robot& robot : robots_) {
    const PlacedTree now(robot.model->tree, robot.pose);
    for (const LinkShape& shape : robot.model->shapes) {
      if (std::holds_alternative<FieldShape>(shape.shape)) continue;
      const Pose pose = placed_pose(shape, now);
      geometry.bodies.push_back(placed_surface(shape.shape, pose));
      const DenseMatrix J = now.body_jacobian(shape.link, pose.position);
      geometry.velocities.emplace_back(J.topRows<3>() * robot.velocity);
    }
  }
  for (const Solid& obstacle : obstacles_)
    if (!std::holds_alternative<FieldShape>(obstacle.shape))
      geometry.obstacles.push_back(placed_surface(obstacle.shape, obstacle.pose));
  return geometry;
}

std::vector<PlacedMesh> ArticulatedWorld::meshes() const {
  std::vector<PlacedMesh> meshes;
  int number = 0;
  const auto add = [&](const Shape& shape, const Pose& pose, const Vector& twist, bool obstacle) {
    if (const auto* field = std::get_if<FieldShape>(&shape)) {
      meshes.push_back(shown_field(*field, pose, twist.head<3>(), twist.tail<3>(), obstacle));
      meshes.back().number = number;
    }
    ++number;
  };
  for (const Robot& robot : robots_) {
    const PlacedTree now(robot.model->tree, robot.pose);
    for (const LinkShape& shape : robot.model->shapes) {
      const Pose pose = placed_pose(shape, now);
      add(shape.shape, pose, now.body_jacobian(shape.link, pose.position) * robot.velocity, false);
    }
  }
  for (const Solid& obstacle : obstacles_) add(obstacle.shape, obstacle.pose, Vector::Zero(6), true);
  return meshes;
}

}  // namespace ccp
