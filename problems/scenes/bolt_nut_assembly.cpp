#include "problems/scenes/bolt_nut_assembly.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <utility>
#include <vector>

#include "problems/articulated/inverse_kinematics.hpp"
#include "problems/articulated/robot_task.hpp"
#include "problems/distance_field/field_solid.hpp"
#include "problems/distance_field/thread.hpp"
#include "problems/distance_field/thread_surface.hpp"
#include "problems/random.hpp"
#include "problems/scenes/m48.hpp"

namespace ccp {
namespace {

constexpr const char* lee_assembly = "Lee 2025, sec. VII-A2";
constexpr double full_turn = 2.0 * std::numbers::pi;  // rad
constexpr double gripper = 0.1;                       // m, along the last axis from the flange to the nut's centre
constexpr std::size_t last_link = 6;
constexpr Index held_joint = 2;
constexpr int points_a_turn = 16;
constexpr double pitch = 0.005;  // m
// Thresholds of failure, ours.
constexpr double most_left = 0.05;       // turns
constexpr double most_off_helix = 2e-4;  // m
constexpr TaskLimits assembly_limits{0.2, 1e-4, 0.05};

const Vector3 nut_in_link(0.0, 0.0, panda_flange + gripper);
/// The last axis of the ready robot points down, that of the nut up.
const Matrix3 nut_turn = Vector3(1.0, -1.0, -1.0).asDiagonal();

std::shared_ptr<const RobotModel> panda_with_nut(const BoltNutAssembly::Parameters& p) {
  RobotDescription robot{panda(), {}};
  TreeLink nut;
  nut.name = "nut";
  nut.parent = static_cast<int>(last_link);
  nut.joint = TreeJoint::fixed;
  nut.place = nut_in_link;
  nut.turn = nut_turn;
  nut.mass = m48::nut_mass;
  nut.inertia = m48::nut_moments.asDiagonal();
  robot.links.push_back(nut);
  const ThreadProfile profile = ThreadProfile::nut_m48(p.fit);
  FieldSolid thread, look;
  thread.surface = nut_mesh(profile, m48::half_height, m48::nut_azimuths, m48::flank_rows);
  thread.patches = surface_patches(thread.surface, p.contacts);
  look.surface = nut_surface(profile, m48::half_height, m48::across_flats, m48::nut_azimuths);
  look.by_surface = false;
  for (FieldSolid* solid : {&thread, &look}) robot.shapes.push_back({last_link + 1, field_shape(std::move(*solid))});
  return std::make_shared<const RobotModel>(merged_robot(robot).model);
}

/// Down the thread and straight away from it by `error` (m) at the end.
JointPath<Vector> screw_path(const Tree& tree, const TreePose& start, const Vector3& error,
                             const BoltNutAssembly::Parameters& p) {
  const Placement link = PlacedTree(tree, start).links()[last_link];
  const Vector3 nut = link.position + link.rotation * nut_in_link;
  const int count = static_cast<int>(std::ceil(points_a_turn * p.turns));
  std::vector<JointPath<Vector>::Point> points{{0.0, joint_angles(start)}};
  TreePose pose = start;
  for (int i = 1; i <= count; ++i) {
    const double share = static_cast<double>(i) / count;
    const Vector3 place = nut + share * (error - p.turns * pitch * Vector3::UnitZ());
    const Matrix3 turn = m48::turn_about_axis(-share * p.turns * full_turn);
    pose = reaching_pose(tree, std::move(pose), {last_link, nut_in_link, place, turn * link.rotation, held_joint});
    points.push_back({share * p.turns / p.turn_rate, joint_angles(pose)});
  }
  return JointPath<Vector>(std::move(points), PathRests::at_ends);
}

Robot ready_robot(const Vector3& path_error, const BoltNutAssembly::Parameters& p) {
  const auto model = panda_with_nut(p);
  const Tree& tree = model->tree;
  Robot robot{model, tree.rest(), Vector::Zero(tree.dofs())};
  robot.pose.joints.assign(std::begin(panda_ready), std::end(panda_ready));
  const Vector K = p.gain * Eigen::Map<const Vector>(panda_stiffness, tree.dofs());
  const Vector D = std::sqrt(p.gain) * Eigen::Map<const Vector>(panda_damping, tree.dofs());
  robot.impedance = std::make_shared<const JointImpedance>(
      JointImpedance{K, D, screw_path(tree, robot.pose, path_error, p), JointImpedance::Carries::bias});
  return robot;
}

Placement nut_of(const Robot& robot) {
  const Placement link = PlacedTree(robot.model->tree, robot.pose).links()[last_link];
  return {link.position + link.rotation * nut_in_link, link.rotation * nut_turn};
}

/// What the facts of the task ask for.
struct ScrewPlan {
  Pose bolt;
  double height;  ///< of the nut at the start, from the middle of the bolt, m
  double turns;
};

std::vector<MotionFact> facts_of_assembly(const ArticulatedWorld& world, const ScrewPlan& plan, const TaskMemory& memory) {
  const Robot& robot = world.robots()[0];
  const Placement nut = nut_of(robot);
  const Matrix3 back = plan.bolt.rotation.transpose();
  const Matrix3 R = back * nut.rotation;
  const Vector3 place = back * (nut.position - plan.bolt.position);
  // The angle of the nut, which is on the helix at the start, tells the turns but for a whole number.
  const double part = plan.height / pitch - taylor_atan2(R(1, 0) - R(0, 1), R(0, 0) + R(1, 1)) / full_turn;
  const double turns = part + std::round((robot.pose.joints[last_link] - panda_ready[last_link]) / full_turn - part);
  const double depth = plan.height - place[2], off_helix = depth - pitch * turns;
  const bool stuck = plan.turns - turns > most_left;
  return memory.facts(world, !stuck,
                      {{"turns", turns}, {"depth", depth}, {"off_helix", off_helix}, {"off_axis", place.head<2>().norm()}},
                      {{"stuck", stuck}, {"off_thread", std::abs(off_helix) > most_off_helix}});
}

}  // namespace

BoltNutAssembly::BoltNutAssembly() {
  Parameters& p = parameters_;
  fields_.add("turns", &p.turns, Range::closed(0.1, 10.0), "", "of the nut on the path", "ours")
      .add("engaged", &p.engaged, Range::closed(-2.0, 7.6), "",
           "turns of thread that the nut is on at the start; below 0 it is above the bolt", "ours")
      .add("turn_rate", &p.turn_rate, Range::positive(), "1/s", "mean turns per second of the path", "ours")
      .add("press", &p.press, Range::closed(0.0, 0.02), "m", "how far the path is below the thread at its end", "ours")
      .add("offset", &p.offset, Range::closed(0.0, 0.02), "m",
           "how far it is beside the axis of the bolt there, at most; the seed draws the place in a disc", "ours")
      .add("gain", &p.gain, Range::closed(1e-3, 1e6), "",
           "stiffness of the joints over that of libfranka's example; the damping goes with its root", "ours")
      .add("fit", &p.fit, Range::closed(0.0, 1.0), "", "place in the tolerances 6H/6g: 0 tightest, 1 loosest",
           "ours; ISO 965-1")
      .add("contacts", &p.contacts, Range::closed(1.0, 1e4), "patches of the nut's thread, each with one contact at most",
           "ours; 130 act after four turns, 120 in the paper")
      .add("friction", &p.friction, Range::non_negative(), "", "friction coefficient of every contact", "ours")
      .add("envelope", &p.envelope, Range::non_negative(), "m", "distance of contacts besides what closes in the step",
           "ours")
      .add("gravity", &p.gravity, Range::non_negative(), "m/s²", "acceleration of gravity, downwards", "ours")
      .add("time_step", &p.time_step, Range::positive(), "s", "length of the step h", lee_assembly);
  add_impedance_form(fields_, &p.impedance);
}

const SceneInfo& BoltNutAssembly::info() const {
  static const SceneInfo scene{"bolt_nut_assembly", "A robot arm that screws a nut M48 on its bolt",
                               "Lee, Lee, Park, Yun, Lee 2025, sec. VII-A2"};
  return scene;
}

std::unique_ptr<Motion> BoltNutAssembly::do_motion(std::uint64_t seed) const {
  const Parameters& p = parameters_;
  Random random(seed);
  std::vector<Robot> robots{ready_robot(p.offset * random.in_disc() - p.press * Vector3::UnitZ(), p)};
  const Placement nut = nut_of(robots[0]);
  const double height = m48::half_bolt + m48::half_height - pitch * p.engaged;
  const Pose place{nut.position - height * Vector3::UnitZ(),
                   nut.rotation * m48::turn_about_axis(-full_turn * height / pitch)};
  const ScrewPlan plan{place, height, p.turns};

  const ThreadProfile profile = ThreadProfile::bolt_m48(p.fit);
  FieldSolid bolt{std::make_unique<ThreadedBolt>(profile, m48::half_bolt),
                  bolt_surface(profile, m48::half_bolt, m48::nut_azimuths), false};
  ArticulatedWorldSettings settings = world_settings(info().name, p);
  const TaskMemory memory{{0, 1, 2, 3, 4, 5, 6}, assembly_limits};
  settings.memory = Vector::Zero(TaskMemory::size);
  settings.remember = [memory](const ArticulatedWorld& world, const Vector& change, Vector& values) {
    memory.remember(world, change, values);
  };
  settings.task = [plan, memory](const ArticulatedWorld& world) { return facts_of_assembly(world, plan, memory); };
  return std::make_unique<ArticulatedWorld>(settings, std::move(robots),
                                            std::vector<PlacedObstacle>{{field_shape(std::move(bolt)), place}});
}

}  // namespace ccp
