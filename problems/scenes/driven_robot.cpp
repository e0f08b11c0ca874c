#include "problems/scenes/driven_robot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "core/error.hpp"
#include "core/text.hpp"
#include "problems/articulated/urdf.hpp"
#include "problems/random.hpp"

namespace ccp {
namespace {

constexpr int half_periods = 40;
const std::vector<std::string> own_robots{"allegro", "g1", "panda", "laikago"};

const TextForm robot_form = {"robot", "^(allegro|g1|panda|laikago|.*\\.urdf)$",
                             [](const std::string& text) -> std::optional<std::string> {
                               if (text.ends_with(".urdf")) return std::nullopt;
                               if (std::find(own_robots.begin(), own_robots.end(), text) != own_robots.end())
                                 return std::nullopt;
                               return fmt::format("{}, or a file *.urdf", join(own_robots, ", "));
                             }};

RobotDescription description_of(const DrivenRobot::Parameters& p) {
  const bool free = p.base == DrivenRobot::Base::free;
  if (p.robot.ends_with(".urdf")) return read_urdf(p.robot, free);
  RobotDescription robot = p.robot == "allegro" ? allegro_hand() : p.robot == "g1" ? g1_upper_body() : RobotDescription{};
  if (p.robot == "panda") robot.links = panda();
  if (p.robot == "laikago") {
    robot.links = laikago();
    for (const LinkShape& shape : laikago_shapes()) {
      // These have the numbers of the tree, in which the feet of the legs before it are one with the calves.
      robot.shapes.push_back(shape);
      if (shape.link > 0) robot.shapes.back().link += (shape.link - 1) / 3;
    }
  }
  return robot;
}

/// Halfway between the bounds; 0 of a joint without one.
double middle_of(const TreeLink& link) {
  return std::isfinite(link.lower) && std::isfinite(link.upper) ? 0.5 * (link.lower + link.upper) : 0.0;
}

double half_range_of(const TreeLink& link) {
  return std::isfinite(link.lower) && std::isfinite(link.upper) ? 0.5 * (link.upper - link.lower) : std::numbers::pi / 2.0;
}

/// Up and down about the middle, every second joint against the others; one frequency for all joints, as if each moved
/// alone.
std::shared_ptr<const JointImpedance> swaying(const Tree& tree, const TreePose& pose, const DrivenRobot::Parameters& p) {
  const DenseMatrix M = PlacedTree(tree, pose).joint_inertia();
  Vector middle = Vector::Zero(tree.dofs()), way = middle, inertia = middle;
  for (std::size_t link = 0; link < tree.links().size(); ++link) {
    if (tree.links()[link].joint == TreeJoint::free) continue;
    const Index dof = tree.first_dof(link);
    middle[dof] = middle_of(tree.links()[link]);
    way[dof] = (link % 2 == 0 ? p.sway : -p.sway) * half_range_of(tree.links()[link]);
    inertia[dof] = M(dof, dof);
  }
  std::vector<JointPath<Vector>::Point> points{{0.0, middle}};
  for (int i = 1; i <= half_periods; ++i) points.push_back({0.5 * p.period * i, middle + (i % 2 == 0 ? -1.0 : 1.0) * way});
  const double omega = 2.0 * std::numbers::pi * p.frequency;
  return std::make_shared<const JointImpedance>(JointImpedance{
      omega * omega * inertia, 2.0 * omega * inertia, JointPath<Vector>(std::move(points)), JointImpedance::Carries::bias});
}

/// A column over the middle of what is there.
void add_balls(const DrivenRobot::Parameters& p, const Bounds& robot, Random& random, std::vector<Robot>& robots) {
  const Vector3 middle = 0.5 * (robot.low + robot.high);
  const double moment = 0.4 * p.ball_mass * p.radius * p.radius;
  for (int i = 0; i < p.balls; ++i) {
    Vector3 place = middle + p.radius * random.in_disc();
    place[2] = robot.high[2] + p.radius * (2.0 + 2.5 * i);
    robots.push_back(free_body(p.ball_mass, moment * Matrix3::Identity(), Sphere{p.radius}, place));
  }
}

}  // namespace

DrivenRobot::DrivenRobot() {
  Parameters& p = parameters_;
  Field robot;
  robot.name = "robot";
  robot.type = FieldType::text;
  robot.meaning = "allegro, g1, panda, laikago, or a URDF file, seen from the working folder";
  robot.source = "ours";
  robot.form = &robot_form;
  robot.default_value = p.robot;
  robot.get = [&p] { return FieldValue(p.robot); };
  robot.store = [&p](const FieldValue& value) { p.robot = std::get<std::string>(value); };
  fields_.add(std::move(robot));
  fields_
      .add("base", &p.base, {{"fixed", Base::fixed}, {"free", Base::free}},
           "whether the root of a URDF file is fixed to the ground, or falls", "ours")
      .add("height", &p.height, Range::closed(0.0, 10.0), "m", "of the root over the floor", "ours")
      .add("sway", &p.sway, Range::closed(0.0, 1.0), "", "of each joint to both sides, as a share of half its range", "ours")
      .add("period", &p.period, Range::positive(), "s", "of the sway, which ends after 20 of them", "ours")
      .add("frequency", &p.frequency, Range::non_negative(), "Hz",
           "of a joint on its spring, at the start, as if the others were held; critically damped. 0: no motors", "ours")
      .add("balls", &p.balls, Range::closed(0.0, 1000.0), "balls that fall on the robot, one after the other", "ours")
      .add("radius", &p.radius, Range::positive(), "m", "of a ball", "ours")
      .add("ball_mass", &p.ball_mass, Range::positive(), "kg", "of a ball", "ours")
      .add("friction", &p.friction, Range::non_negative(), "", "friction coefficient of every contact", "ours")
      .add("limit_margin", &p.limit_margin, Range::non_negative(), "rad", "joints nearer to a bound have a row there",
           "ours")
      .add("envelope", &p.envelope, Range::non_negative(), "m", "distance of contacts besides what closes in the step",
           "ours")
      .add("gravity", &p.gravity, Range::non_negative(), "m/s²", "acceleration of gravity, downwards", "ours")
      .add("time_step", &p.time_step, Range::positive(), "s", "length of the step h", "ours");
  add_impedance_form(fields_, &p.impedance);
}

const SceneInfo& DrivenRobot::info() const {
  static const SceneInfo scene{"driven_robot",
                               "A robot of the suite or of yours that sways on its motors, and balls that fall on it",
                               "ours; robots from URDF files"};
  return scene;
}

std::optional<std::string> DrivenRobot::check() const {
  try {
    description_of(parameters_);
    return std::nullopt;
  } catch (const InputError& error) {
    return error.what();
  }
}

std::unique_ptr<Motion> DrivenRobot::do_motion(std::uint64_t seed) const {
  const Parameters& p = parameters_;
  MergedRobot merged = merged_robot(description_of(p));
  const auto model = std::make_shared<const RobotModel>(std::move(merged.model));
  Robot robot{model, model->tree.rest(), Vector::Zero(model->tree.dofs())};
  for (std::size_t link = 0; link < robot.pose.joints.size(); ++link)
    if (model->tree.links()[link].joint != TreeJoint::free) robot.pose.joints[link] = middle_of(model->tree.links()[link]);
  robot.pose.base[2] += p.height;
  if (p.frequency > 0.0) robot.impedance = swaying(model->tree, robot.pose, p);

  std::vector<PlacedObstacle> obstacles{{HalfSpace{}, {{0.0, 0.0, -p.height}, Matrix3::Identity()}}};
  Bounds bounds{Vector3::Zero(), Vector3::Zero()};
  const auto take_in = [&](const Shape& shape, const Pose& pose) {
    const Bounds of = bounds_of(shape, pose);
    bounds = {bounds.low.cwiseMin(of.low), bounds.high.cwiseMax(of.high)};
  };
  for (const Solid& solid : placed_shapes(*model, PlacedTree(model->tree, robot.pose), 0)) take_in(solid.shape, solid.pose);
  for (PlacedObstacle base : merged.base) {
    base.robot = 0;
    take_in(base.shape, base.pose);
    obstacles.push_back(base);
  }
  std::vector<Robot> robots{robot};
  Random random(seed);
  add_balls(p, bounds, random, robots);
  ArticulatedWorldSettings settings = world_settings(info().name, p);
  settings.limit_margin = p.limit_margin;
  return std::make_unique<ArticulatedWorld>(settings, std::move(robots), obstacles);
}

}  // namespace ccp
