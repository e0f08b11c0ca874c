#include "problems/scenes/pouring.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>
#include <utility>

#include "problems/articulated/robot_task.hpp"
#include "problems/distance_field/dish.hpp"
#include "problems/distance_field/field_solid.hpp"
#include "problems/dynamics/elementary.hpp"
#include "problems/random.hpp"

namespace ccp {
namespace {

constexpr const char* lee_pouring = "Lee 2025, sec. VII-C";
constexpr double ball_density = 1e4;  // kg/m³
constexpr double loose = 2e-4;        // m: how far a ball is off its place
constexpr double held_radius = 0.03, held_height = 0.12, wall = 0.0015,
                 grip = 0.06;                                               // m, outside; height of the palm over the base
constexpr double held_mass = 0.1;                                           // kg
constexpr double target_height = 0.06, target_taper = 0.02;                 // m
constexpr double flight = 0.07;                                             // m: how far balls fly on their way down
constexpr double palm_ball = 0.019, finger_ball = 0.009, phalanx = 0.0458;  // m, of the G1's hand
constexpr double opening = 0.08;                                            // rad, of the fingers at the start
constexpr double raise = 0.8, swing = 1.2, roll = 1.9;                      // rad
constexpr double closed_at = 0.3, raised_at = 0.8, there_at = 1.4, tilted_at = 2.4;  // s
constexpr int held_azimuths = 48, table_contacts = 8;
constexpr double most_slip = 0.03;  // m
constexpr TaskLimits pouring_limits{0.05, 0.001, 0.05};
constexpr std::size_t held = 1, first_ball = 2;  // numbers of robots

const DishProfile held_profile{{held_radius - wall, 0.0}, {held_radius - wall, held_height}, wall};
/// Of the bottle's axis, in the frame of the left palm: both balls of the palm are 0.1 mm away.
const Vector3 axis_in_palm(0.062, -held_radius - palm_ball - 1e-4, -grip);

struct LeftHand {
  const Tree& tree;

  std::size_t link(const std::string& name) const {
    for (std::size_t i = 0; i < tree.links().size(); ++i)
      if (tree.links()[i].name == name) return i;
    throw std::logic_error("pouring: no link " + name);
  }
  /// Where a point is that has this place in the frame of the left palm, which is fixed to the wrist.
  Vector3 point(const PlacedTree& placed, const Vector3& in_palm) const {
    const Placement& wrist = placed.links()[link("left_wrist_yaw")];
    return wrist.position + wrist.rotation * (Vector3(0.0415, 0.003, 0.0) + in_palm);
  }
};

/// The direction of a finger from its joint, in the plane across the bottle, that touches the bottle; side: on which it
/// passes.
double touching(const Vector2& joint, double side) {
  const Vector2 way = axis_in_palm.head<2>() - joint;
  const double sine = (held_radius + finger_ball) / std::sqrt(way.squaredNorm());
  return taylor_atan2(way[1], way[0]) + side * taylor_atan2(sine, std::sqrt(1.0 - sine * sine));
}

Vector2 along(double angle) { return {taylor_cos(angle), taylor_sin(angle)}; }

/// Sets the fingers of the left hand around the bottle, `closing` (rad) beyond where they touch.
void close_hand(const LeftHand& hand, double closing, Vector& angles) {
  const auto set = [&](const char* name, double angle) { angles[hand.tree.first_dof(hand.link(name))] = angle; };
  const Vector2 knuckle(0.0777, 0.0016), root(0.023, -0.0193);
  const double first = touching(knuckle, 1.0), second = touching(knuckle + phalanx * along(first), 1.0);
  for (const std::string finger : {"left_middle_", "left_index_"}) {
    set((finger + "0").c_str(), first - closing);
    set((finger + "1").c_str(), second - first - closing);
  }
  const double thumb = touching(root, -1.0), tip = touching(root + phalanx * along(thumb), -1.0);
  set("left_thumb_1", thumb + 0.5 * std::numbers::pi + closing);
  set("left_thumb_2", tip - thumb + closing);
}

JointPath<Vector> pouring_path(const LeftHand& hand, double squeeze) {
  std::vector<JointPath<Vector>::Point> points(1, {0.0, Vector::Zero(hand.tree.dofs())});
  close_hand(hand, -opening, points.back().angles);
  const auto then = [&](double time, const auto& change) {
    points.push_back({time, points.back().angles});
    change(points.back().angles);
  };
  const auto set = [&](const char* name, double angle, Vector& angles) {
    angles[hand.tree.first_dof(hand.link(name))] = angle;
  };
  then(closed_at, [&](Vector& angles) { close_hand(hand, squeeze, angles); });
  // The hand stays level: the angles of shoulder, elbow and wrist add up to 0.
  then(raised_at, [&](Vector& angles) {
    set("left_elbow", -raise, angles);
    set("left_wrist_pitch", raise, angles);
  });
  then(there_at, [&](Vector& angles) {
    set("left_shoulder_pitch", -swing, angles);
    set("left_elbow", swing, angles);
    set("left_wrist_pitch", 0.0, angles);
  });
  then(tilted_at, [&](Vector& angles) { set("left_wrist_roll", roll, angles); });
  return JointPath<Vector>(std::move(points));
}

TreePose posed(const Tree& tree, const Vector& angles) {
  TreePose pose = tree.rest();
  for (std::size_t i = 0; i < pose.joints.size(); ++i) pose.joints[i] = angles[tree.first_dof(i)];
  return pose;
}

bool of_a_finger(const TreeLink& link) {
  for (const char* finger : {"thumb", "middle", "index"})
    if (link.name.find(finger) != std::string::npos) return true;
  return false;
}

/// The robot at the start of its path.
Robot pouring_robot(const Pouring::Parameters& p) {
  const auto model = std::make_shared<const RobotModel>(merged_robot(g1_upper_body()).model);
  const Tree& tree = model->tree;
  Vector stiffness = Vector::Constant(tree.dofs(), p.stiffness);
  for (std::size_t i = 0; i < tree.links().size(); ++i)
    if (of_a_finger(tree.links()[i])) stiffness[tree.first_dof(i)] = p.finger_stiffness;
  JointPath<Vector> path = pouring_path({tree}, p.squeeze);
  Robot robot{model, posed(tree, path.angles(0.0)), Vector::Zero(tree.dofs())};
  robot.impedance = std::make_shared<const JointImpedance>(
      JointImpedance{stiffness, p.damping_time * stiffness, std::move(path), JointImpedance::Carries::bias});
  return robot;
}

Robot bottle_at(const Vector3& base) {
  const ShellInertia shell = shell_inertia(held_profile);
  const FieldShape shape = field_shape(
      {std::make_unique<DishDistance>(held_profile), dish_mesh(held_profile, held_azimuths), true, false, table_contacts});
  const Vector3 centre(0.0, 0.0, shell.centre);
  return free_body(held_mass, (held_mass * Vector3(shell.across, shell.across, shell.axial)).asDiagonal(), shape,
                   base + centre, -centre);
}

/// Balls in layers of k² on the base of the bottle: k is the most that fit.
struct BallLayers {
  explicit BallLayers(double ball_radius)
      : radius(ball_radius),
        pitch(2.2 * radius),
        along(1 + static_cast<int>(std::sqrt(2.0) * (held_radius - 2.0 * wall - loose - radius) / pitch)) {}

  Vector3 place(int i) const {
    const double middle = 0.5 * (along - 1);
    return {(i % along - middle) * pitch, (i / along % along - middle) * pitch,
            wall + radius + i / (along * along) * (2.0 * radius + loose)};
  }
  double height(int count) const { return place(count - 1)[2] + radius; }  ///< of the layers of `count` balls, m

  double radius, pitch;  ///< m
  int along;             ///< k
};

/// Each ball is off its place by up to 0.2 mm.
void add_pouring_balls(const Vector3& base, const Pouring::Parameters& p, Random& random, std::vector<Robot>& robots) {
  const double r = p.ball_radius, mass = 4.0 / 3.0 * std::numbers::pi * r * r * r * ball_density;
  const Matrix3 inertia = 0.4 * mass * r * r * Matrix3::Identity();
  const BallLayers layers(r);
  for (int i = 0; i < p.balls; ++i)
    robots.push_back(free_body(mass, inertia, Sphere{r}, base + layers.place(i) + loose * random.in_disc()));
}

/// What the facts of the task ask for.
struct PouringPlan {
  Vector3 target;  ///< base of the bottle on the table, m
  double mouth;    ///< its radius, m
};

/// The base of the held bottle and its axes.
Placement held_bottle(const ArticulatedWorld& world) {
  const Robot& body = world.robots()[held];
  Placement frame = PlacedTree(body.model->tree, body.pose).links()[0];
  frame.position += frame.rotation * body.model->shapes[0].place;
  return frame;
}

/// The most so far that the bottle has moved in the hand, m, is the first number that the world remembers.
void remember_slip(const ArticulatedWorld& world, Vector& memory) {
  const Robot& robot = world.robots()[0];
  const Tree& tree = robot.model->tree;
  const Vector3 wanted_base = LeftHand{tree}.point(PlacedTree(tree, robot.pose), axis_in_palm);
  memory[0] = std::max(memory[0], (held_bottle(world).position - wanted_base).norm());
}

/// The joints of the arms must stay on the path, those of the hands do not.
TaskMemory pouring_memory(const Robot& robot) {
  TaskMemory memory{{}, pouring_limits, 1};
  const Tree& tree = robot.model->tree;
  for (std::size_t i = 0; i < tree.links().size(); ++i)
    if (!of_a_finger(tree.links()[i])) memory.guided.push_back(i);
  return memory;
}

std::vector<MotionFact> facts_of_pouring(const ArticulatedWorld& world, const PouringPlan& plan, const TaskMemory& memory) {
  const Placement bottle = held_bottle(world);
  int poured = 0, kept = 0, spilled = 0;
  for (std::size_t i = first_ball; i < world.robots().size(); ++i) {
    const Vector3& at = world.robots()[i].pose.base;
    const Vector3 there = at - plan.target, here = bottle.rotation.transpose() * (at - bottle.position);
    const bool low = there[2] < target_height;
    if (low && there.head<2>().norm() < plan.mouth)
      ++poured;
    else if (here[2] > 0.0 && here[2] < held_height && here.head<2>().norm() < held_radius)
      ++kept;
    else if (low)
      ++spilled;
  }
  const double slip = world.memory()[0];
  return memory.facts(world, poured + static_cast<int>(first_ball) == std::ssize(world.robots()),
                      {{"poured", static_cast<double>(poured)},
                       {"kept", static_cast<double>(kept)},
                       {"spilled", static_cast<double>(spilled)},
                       {"slip", slip}},
                      {{"grasp_lost", slip > most_slip}});
}

}  // namespace

Pouring::Pouring() {
  Parameters& p = parameters_;
  fields_.add("balls", &p.balls, Range::closed(1.0, 1000.0), "in the bottle, in layers; 9 to 45 in the paper", lee_pouring)
      .add("ball_radius", &p.ball_radius, Range::closed(0.002, 0.01), "m", "of 10 g/cm³", lee_pouring)
      .add("friction", &p.friction, Range::non_negative(), "", "friction coefficient of every contact", "ours")
      .add("stiffness", &p.stiffness, Range::non_negative(), "N·m/rad", "of the joints of the arms", "ours; \"high-gain\"")
      .add("finger_stiffness", &p.finger_stiffness, Range::non_negative(), "N·m/rad", "of the joints of the hands", "ours")
      .add("damping_time", &p.damping_time, Range::non_negative(), "s", "damping of a joint over its stiffness", "ours")
      .add("squeeze", &p.squeeze, Range::closed(0.0, 1.0), "rad",
           "how far the path of the fingers goes on where they touch the bottle: the strength of the grasp", "ours")
      .add("mouth", &p.mouth, Range::closed(0.04, 0.2), "m", "radius of the mouth of the bottle on the table", "ours")
      .add("envelope", &p.envelope, Range::non_negative(), "m", "distance of contacts besides what closes in the step",
           "ours")
      .add("gravity", &p.gravity, Range::non_negative(), "m/s²", "acceleration of gravity, downwards", "ours")
      .add("time_step", &p.time_step, Range::positive(), "s", "length of the step h", lee_pouring);
  add_impedance_form(fields_, &p.impedance);
}

std::optional<std::string> Pouring::check() const {
  const double height = BallLayers(parameters_.ball_radius).height(parameters_.balls);
  if (height < held_height) return std::nullopt;
  return fmt::format("the balls are {:.3g} m high and the bottle {:.3g} m: expected fewer or smaller ones", height,
                     held_height);
}

const SceneInfo& Pouring::info() const {
  static const SceneInfo scene{"pouring", "A robot of two arms that lifts a bottle and pours its balls into another one",
                               "Lee, Lee, Park, Yun, Lee 2025, sec. VII-C, Figs. 10 and 11"};
  return scene;
}

std::unique_ptr<Motion> Pouring::do_motion(std::uint64_t seed) const {
  const Parameters& p = parameters_;
  std::vector<Robot> robots{pouring_robot(p)};
  const Tree& tree = robots[0].model->tree;
  const LeftHand hand{tree};
  const Vector3 base = hand.point(PlacedTree(tree, robots[0].pose), axis_in_palm);
  robots.push_back(bottle_at(base));
  Random random(seed);
  add_pouring_balls(base, p, random, robots);

  const PlacedTree tilted(tree, posed(tree, robots[0].impedance->path.angles(tilted_at)));
  Vector3 target = hand.point(tilted, axis_in_palm + held_height * Vector3::UnitZ()) - flight * Vector3::UnitY();
  target[2] = base[2];
  const DishProfile profile{{p.mouth - target_taper, 0.0}, {p.mouth, target_height}, wall};
  const FieldShape bottle = field_shape({std::make_unique<DishDistance>(profile), dish_mesh(profile, held_azimuths), false});
  const PouringPlan plan{target, p.mouth};
  ArticulatedWorldSettings settings = world_settings(info().name, p);
  const TaskMemory memory = pouring_memory(robots[0]);
  settings.memory = Vector::Zero(memory.first + TaskMemory::size);
  settings.remember = [memory](const ArticulatedWorld& world, const Vector& change, Vector& values) {
    remember_slip(world, values);
    memory.remember(world, change, values);
  };
  settings.task = [plan, memory](const ArticulatedWorld& world) { return facts_of_pouring(world, plan, memory); };
  const Pose table{base - wall * Vector3::UnitZ(), Matrix3::Identity()};
  return std::make_unique<ArticulatedWorld>(
      settings, std::move(robots),
      std::vector<PlacedObstacle>{{HalfSpace{}, table}, {bottle, {target, Matrix3::Identity()}}});
}

}  // namespace ccp
