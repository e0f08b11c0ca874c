#include "problems/scenes/dish_piling.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <utility>
#include <vector>

#include "problems/articulated/inverse_kinematics.hpp"
#include "problems/articulated/robot_task.hpp"
#include "problems/distance_field/dish.hpp"
#include "problems/distance_field/field_solid.hpp"
#include "problems/dynamics/elementary.hpp"
#include "problems/random.hpp"

namespace ccp {
namespace {

constexpr const char* lee_piling = "Lee 2025, sec. VII-B2";
constexpr std::size_t flange_link = 6, arm_joints = 7;
constexpr Index elbow_joint = 2;             // held, so that the arm stays in its plane
constexpr double adapter = 0.035;            // m, from the flange to the middle of the hand
constexpr double reach = 0.45, table = 0.2;  // m, of the dishes from the axis of the arm; height
constexpr double lift = 0.1;                 // m
constexpr double tip_radius = 0.012;         // m, of the hand's fingertips
constexpr double open_gap = 0.011;           // m, between a dish and the fingertips of an open hand
constexpr double off_place = 0.002;          // m, of dishes at the start
constexpr double thumb_share = 1.5;
constexpr int piled_azimuths = 48;
/// Where the middle of a grasp is in the frame of the hand, whose palm looks along x and whose fingers go along z.
const Vector3 grasp_in_hand(0.08, 0.0, 0.028);
constexpr double closing = 0.2, lifting = 0.3, swinging = 0.4;                     // s
constexpr double most_slipped = 0.02;                                              // m
constexpr double most_off_axis = 0.005, most_off_height = 0.003, most_tilt = 0.1;  // m, m, rad: of a dish in its place
constexpr TaskLimits piling_limits{0.2, 0.001, 0.05};

struct TableDish {
  DishProfile profile;
  double mass;   ///< kg
  double grasp;  ///< height of the fingertips over its origin, m
  double angle;  ///< where it stands at the start, about the axis of the arm, rad
};

constexpr double pile_angle = 0.0;
/// In the order of the pile, from the table up.
const TableDish table_dishes[] = {{{{0.021, 0.0}, {0.045, 0.027}, 0.0018}, 0.1, 0.027, pile_angle},
                                  {{{0.021, 0.0}, {0.045, 0.027}, 0.0018}, 0.1, 0.027, -0.4},
                                  {{{0.030, 0.0}, {0.047, 0.0135}, 0.0018}, 0.1, 0.0135, 0.4},
                                  {{{0.038, 0.0}, {0.043, 0.062}, 0.0024}, 5.0, 0.04, -0.8}};

Vector3 place_on_table(double angle) { return {reach * taylor_cos(angle), reach * taylor_sin(angle), table}; }

/// Heights of the dishes' origins over the table in the pile, m.
std::vector<double> pile_heights() {
  std::vector<double> heights{table_dishes[0].profile.thickness};
  for (std::size_t i = 1; i < std::size(table_dishes); ++i)
    heights.push_back(heights.back() + stacking_height(table_dishes[i - 1].profile, table_dishes[i].profile, 0.0));
  return heights;
}

/// The radius at which a fingertip touches a dish, m.
double touching_radius(const TableDish& dish) {
  const DishDistance distance(dish.profile);
  double radius = dish.profile.rim[0] + dish.profile.thickness + tip_radius;
  for (int i = 0; i < 50; ++i) radius -= distance.distance({radius, 0.0, dish.grasp}) - tip_radius;
  return radius;
}

/// Finds the angles of the joints on the path: of the arm for a height, of the hand for a grasp.
class PilingPoses {
 public:
  PilingPoses() : hand_(allegro_hand().links), arm_(panda()), hand_pose_(hand_.rest()), arm_pose_(arm_.rest()) {
    const double bent[] = {0.0, 0.4, 0.6, 0.5}, opposed[] = {0.95, 1.0, 0.9, 1.2};
    for (std::size_t i = 0; i < hand_pose_.joints.size(); ++i) hand_pose_.joints[i] = i < 12 ? bent[i % 4] : opposed[i % 4];
    arm_pose_.joints.assign(std::begin(panda_ready), std::end(panda_ready));
  }

  /// The middle of the grasp is at this height (m), the palm looks down.
  Vector arm(double angle, double height) const {
    const Matrix3 turn = Vector3(1.0, -1.0, -1.0).asDiagonal();
    const Vector3 in_link(0.0, 0.0, panda_flange + adapter + grasp_in_hand[0]);
    Vector joints =
        joint_angles(reaching_pose(arm_, arm_pose_, {flange_link, in_link, {reach, 0.0, height}, turn, elbow_joint}));
    joints[0] += angle;
    return joints;
  }

  /// The fingertips are on a circle of this radius less `grip` (m), that of the thumb `thumb_share` times as far inside.
  Vector hand(double radius, double grip) const {
    TreePose pose = hand_pose_;
    const double diagonal = std::sqrt(0.5);
    const double ways[][3] = {
        {diagonal, diagonal, 1.0}, {0.0, 1.0, 1.0}, {-diagonal, diagonal, 1.0}, {0.0, -1.0, thumb_share}};
    for (std::size_t finger = 0; finger < 4; ++finger) {
      const double at = radius - grip * ways[finger][2];
      const Vector3 tip(0.0, 0.0, finger < 3 ? 0.0267 : 0.0423);
      pose = reaching_pose(hand_, std::move(pose),
                           {4 * finger + 3, tip, grasp_in_hand + at * Vector3(0.0, ways[finger][0], ways[finger][1])});
    }
    return joint_angles(pose);
  }

 private:
  Tree hand_, arm_;
  TreePose hand_pose_, arm_pose_;
};

JointPath<Vector> piling_path(const DishPiling::Parameters& p) {
  const PilingPoses poses;
  const std::vector<double> heights = pile_heights();
  std::vector<JointPath<Vector>::Point> points;
  double time = 0.0;
  const auto then = [&](double duration, const Vector& arm, const Vector& hand) {
    if (!points.empty()) time += duration;
    Vector all(arm.size() + hand.size());
    all << arm, hand;
    points.push_back({time, all});
  };
  for (std::size_t i = 1; i <= static_cast<std::size_t>(p.dishes); ++i) {
    const TableDish& dish = table_dishes[i];
    const double radius = touching_radius(dish), low = table + dish.profile.thickness + dish.grasp;
    const double put = table + heights[i] + p.drop + dish.grasp, high = std::max(low, put) + lift;
    const Vector open = poses.hand(radius + open_gap, 0.0);
    const Vector closed = poses.hand(radius, dish.mass > 1.0 ? p.pot_grip : p.grip);
    if (i > 1) then(swinging, poses.arm(dish.angle, high), open);
    then(lifting, poses.arm(dish.angle, low), open);
    then(closing, poses.arm(dish.angle, low), closed);
    then(lifting, poses.arm(dish.angle, high), closed);
    then(swinging, poses.arm(pile_angle, high), closed);
    then(lifting, poses.arm(pile_angle, put), closed);
    then(closing, poses.arm(pile_angle, put), open);
    then(lifting, poses.arm(pile_angle, high), open);
  }
  return JointPath<Vector>(std::move(points));
}

std::shared_ptr<const RobotModel> panda_with_hand() {
  RobotDescription robot{panda(), {}};
  RobotDescription hand = allegro_hand();
  const std::size_t first = robot.links.size();
  for (TreeLink& link : hand.links) {
    link.parent = link.parent == TreeLink::ground ? static_cast<int>(flange_link) : link.parent + static_cast<int>(first);
    robot.links.push_back(link);
  }
  TreeLink& palm = robot.links[first];
  palm.turn << 0.0, 0.0, 1.0, 0.0, -1.0, 0.0, 1.0, 0.0, 0.0;  // x, in which the palm looks, along z of the flange
  palm.place = Vector3(0.0, 0.0, panda_flange + adapter) - palm.turn * Vector3(0.0, 0.0, grasp_in_hand[2]);
  for (LinkShape& shape : hand.shapes) {
    shape.link += first;
    robot.shapes.push_back(shape);
  }
  return std::make_shared<const RobotModel>(merged_robot(robot).model);
}

Robot piling_robot(const DishPiling::Parameters& p) {
  const auto model = panda_with_hand();
  const Tree& tree = model->tree;
  Vector K = Vector::Constant(tree.dofs(), p.finger_stiffness), D = p.damping_time * K;
  K.head(arm_joints) = p.gain * Eigen::Map<const Vector>(panda_stiffness, arm_joints);
  D.head(arm_joints) = std::sqrt(p.gain) * Eigen::Map<const Vector>(panda_damping, arm_joints);
  JointPath<Vector> path = piling_path(p);
  Robot robot{model, tree.rest(), Vector::Zero(tree.dofs())};
  const Vector start = path.angles(0.0);
  robot.pose.joints.assign(start.data(), start.data() + start.size());
  robot.impedance = std::make_shared<const JointImpedance>(
      JointImpedance{std::move(K), std::move(D), std::move(path), JointImpedance::Carries::bias});
  return robot;
}

/// At this place of the table.
Robot standing_dish(const TableDish& dish, const Vector3& place, int patches) {
  const ShellInertia shell = shell_inertia(dish.profile);
  FieldSolid solid{std::make_unique<DishDistance>(dish.profile), dish_mesh(dish.profile, piled_azimuths)};
  solid.patches = surface_patches(solid.surface, patches);
  const Vector3 centre(0.0, 0.0, shell.centre);
  return free_body(dish.mass, (dish.mass * Vector3(shell.across, shell.across, shell.axial)).asDiagonal(),
                   field_shape(std::move(solid)), place + dish.profile.thickness * Vector3::UnitZ() + centre, -centre);
}

/// The origin of a dish and its axes.
Placement frame_of_dish(const ArticulatedWorld& world, std::size_t dish) {
  const Robot& body = world.robots()[1 + dish];
  Placement frame = PlacedTree(body.model->tree, body.pose).links()[0];
  frame.position += frame.rotation * body.model->shapes[0].place;
  return frame;
}

/// The dish that the path holds at a time; 0: none.
std::size_t held_dish(const DishPiling::Parameters& p, double time) {
  const double stay = closing + lifting + swinging + lifting, all = stay + closing + lifting + swinging + lifting;
  const double part = std::fmod(time, all);
  const auto number = static_cast<std::size_t>(time / all);
  return number < static_cast<std::size_t>(p.dishes) && part > closing && part < stay ? 1 + number : 0;
}

/// What the world remembers besides its TaskMemory: the farthest that a held dish has moved in the hand, m; the sum over the
/// steps of the mean change of a dish's velocity, m/s.
enum : Index { memory_slip, memory_rattle, own_memory };

void remember_rattle(const ArticulatedWorld& world, const Vector& change, Vector& memory) {
  const Index dishes = std::ssize(world.robots()) - 1;
  double sum = 0.0;
  for (Index i = 0; i < dishes; ++i) sum += change.tail(6 * (dishes - i)).head<3>().norm();
  memory[memory_rattle] += sum / static_cast<double>(dishes);
}

void remember_held(const ArticulatedWorld& world, const DishPiling::Parameters& p, Vector& memory) {
  const std::size_t dish = held_dish(p, world.time());
  if (dish == 0) return;
  const Robot& robot = world.robots()[0];
  const Placement link = PlacedTree(robot.model->tree, robot.pose).links()[flange_link];
  const Vector3 wanted = link.position + (panda_flange + adapter + grasp_in_hand[0]) * link.rotation.col(2);
  const Placement frame = frame_of_dish(world, dish);
  const Vector3 held = frame.position + table_dishes[dish].grasp * frame.rotation.col(2);
  memory[memory_slip] = std::max(memory[memory_slip], (held - wanted).norm());
}

std::vector<MotionFact> facts_of_piling(const ArticulatedWorld& world, int dishes, const TaskMemory& memory) {
  const std::vector<double> heights = pile_heights();
  const Vector3 place = place_on_table(pile_angle);
  int piled = 0;
  double off_axis = 0.0, off_height = 0.0, tilt = 0.0;
  for (std::size_t i = 1; i <= static_cast<std::size_t>(dishes); ++i) {
    const Placement frame = frame_of_dish(world, i);
    const Vector3 off = frame.position - place - heights[i] * Vector3::UnitZ();
    const Vector2 axis = frame.rotation.col(2).head<2>();
    const double aside = off.head<2>().norm(), leans = taylor_atan2(axis.norm(), frame.rotation(2, 2));
    if (aside < most_off_axis && std::abs(off[2]) < most_off_height && leans < most_tilt) ++piled;
    off_axis = std::max(off_axis, aside);
    off_height = std::max(off_height, std::abs(off[2]));
    tilt = std::max(tilt, leans);
  }
  const double slip = world.memory()[memory_slip], steps = static_cast<double>(std::max<Index>(world.step(), 1));
  return memory.facts(world, piled == dishes,
                      {{"piled", static_cast<double>(piled)},
                       {"off_axis", off_axis},
                       {"off_height", off_height},
                       {"tilt", tilt},
                       {"slip", slip},
                       {"rattle", world.memory()[memory_rattle] / steps}},
                      {{"grasp_lost", slip > most_slipped}});
}

}  // namespace

DishPiling::DishPiling() {
  Parameters& p = parameters_;
  fields_.add("dishes", &p.dishes, Range::closed(1.0, 3.0), "that the hand puts on the bowl: a bowl, a plate, a pot", "ours")
      .add("friction", &p.friction, Range::non_negative(), "", "friction coefficient of every contact", "ours")
      .add("gain", &p.gain, Range::closed(1e-3, 1e6), "",
           "stiffness of the arm over that of libfranka's example; the damping goes with its root", "ours")
      .add("finger_stiffness", &p.finger_stiffness, Range::non_negative(), "N·m/rad", "of the joints of the hand", "ours")
      .add("damping_time", &p.damping_time, Range::non_negative(), "s", "damping of those over their stiffness", "ours")
      .add("drop", &p.drop, Range::closed(0.0, 0.02), "m", "how far over its place a dish is let go", "ours")
      .add("grip", &p.grip, Range::closed(0.0, 0.02), "m",
           "how far the path of a fingertip goes on where it touches a bowl or the plate", "ours")
      .add("pot_grip", &p.pot_grip, Range::closed(0.0, 0.02), "m", "and where it touches the pot", "ours")
      .add("patches", &p.patches, Range::closed(1.0, 1e4), "patches of a dish, each with one contact with a solid at most",
           "ours")
      .add("envelope", &p.envelope, Range::non_negative(), "m", "distance of contacts besides what closes in the step",
           "ours")
      .add("gravity", &p.gravity, Range::non_negative(), "m/s²", "acceleration of gravity, downwards", "ours")
      .add("time_step", &p.time_step, Range::positive(), "s", "length of the step h", lee_piling);
  add_impedance_form(fields_, &p.impedance);
}

const SceneInfo& DishPiling::info() const {
  static const SceneInfo scene{"dish_piling", "A robot arm with a hand that piles dishes",
                               "Lee, Lee, Park, Yun, Lee 2025, sec. VII-B2, Fig. 1"};
  return scene;
}

std::unique_ptr<Motion> DishPiling::do_motion(std::uint64_t seed) const {
  const Parameters& p = parameters_;
  Random random(seed);
  std::vector<Robot> robots{piling_robot(p)};
  for (const TableDish& dish : table_dishes)
    robots.push_back(standing_dish(dish, place_on_table(dish.angle) + off_place * random.in_disc(), p.patches));
  const TaskMemory memory{{0, 1, 2, 3, 4, 5, 6}, piling_limits, own_memory};
  ArticulatedWorldSettings settings = world_settings(info().name, p);
  settings.memory = Vector::Zero(memory.first + TaskMemory::size);
  settings.remember = [p, memory](const ArticulatedWorld& world, const Vector& change, Vector& values) {
    remember_held(world, p, values);
    remember_rattle(world, change, values);
    memory.remember(world, change, values);
  };
  settings.task = [p, memory](const ArticulatedWorld& world) { return facts_of_piling(world, p.dishes, memory); };
  const Pose top{{0.0, 0.0, table}, Matrix3::Identity()};
  return std::make_unique<ArticulatedWorld>(settings, std::move(robots), std::vector<PlacedObstacle>{{HalfSpace{}, top}});
}

}  // namespace ccp
