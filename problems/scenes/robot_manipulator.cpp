#include "problems/scenes/robot_manipulator.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "core/text.hpp"
#include "problems/dynamics/elementary.hpp"
#include "problems/dynamics/shaped_contacts.hpp"
#include "problems/dynamics/world.hpp"
#include "problems/geometry/find_contacts.hpp"
#include "problems/rigid/rigid_system.hpp"
#include "problems/scenes/robot_arm.hpp"

namespace ccp {
namespace {

constexpr const char* tasora_robot = "Tasora 2021, sec. 8.3";
constexpr double least_wrist_angle = 1e-3, largest_wrist_angle = 0.3;
constexpr double link_masses[] = {300.0, 250.0, 150.0, 60.0, 20.0};
constexpr double link_radii[] = {0.16, 0.13, 0.11, 0.08, 0.06};
constexpr int rows_of_boxes = 3;
const Vector3 box_half(0.2, 0.2, 0.15);

/// The tool, a box from joint 6 to the tip.
constexpr double tool_length = 0.2;
const Vector3 tool_half(0.5 * tool_length, 0.05, 0.05);

/// The compensator, from a pivot on link 1 to one on link 2, in the frames of these links, m.
const Vector3 cylinder_pivot(-0.1, 0.0, 0.85), piston_pivot(-0.3, 0.0, 0.45);
constexpr double cylinder_mass = 40.0, piston_mass = 15.0, compensator_length = 0.3;

enum Number : int { tool_body = 5, cylinder_body = 6, piston_body = 7, arm_bodies = 8 };

struct Waypoint {
  double time;  ///< s
  Vector3 tip;  ///< m
  std::array<double, 3> wrist;
};

/// From above down to the boxes, and through the first row of them. All in one plane: where the base turns while the
/// shoulder does, a step leaves the loop of the compensator skew by O(h²), and its two redundant rows contradict the others.
std::vector<Waypoint> waypoints(const RobotManipulator::Parameters& p) {
  const double height = 0.12, behind = p.distance - 0.15, end = p.distance + p.push;
  return {{0.0, {p.distance - 0.3, 0.0, 0.8}, {0.0, 0.5, -0.4}},
          {0.6, {behind, 0.0, height}, {0.0, 0.3, -0.3}},
          {1.8, {end, 0.0, height}, {0.0, p.wrist_angle, -0.1}}};
}

/// In the end the wrist alone swings the tool to the side.
arm::Path path_of(const RobotManipulator::Parameters& p) {
  std::vector<arm::Path::Point> points;
  for (const Waypoint& waypoint : waypoints(p))
    points.push_back({waypoint.time, arm::reaching(waypoint.tip, waypoint.wrist).value()});
  arm::Angles aside = points.back().angles;
  aside[3] = p.swing;
  aside[4] = 0.7;
  aside[5] = 0.0;
  points.push_back({2.6, aside});
  return arm::Path(std::move(points));
}

/// Lengths of 0.1 m are added to that of the line, and 0.2 m is the width.
MovingBody beam(double mass, double length) {
  MovingBody body;
  const double size = length + 0.1;
  body.mass = mass;
  body.inertia = Vector3::Constant(mass * (size * size + 0.04) / 12.0);
  return body;
}

/// A right-handed frame whose z is the given unit vector.
Matrix3 frame_along(const Vector3& axis) {
  const Vector3 x = any_tangent(axis);
  Matrix3 frame;
  frame << x, axis.cross(x), axis;
  return frame;
}

/// The turn about y that brings z to a direction in the plane of x and z.
Quaternion upright_to(const Vector3& line) {
  return rotation_exponential(taylor_atan2(line[0], line[2]) * Vector3::UnitY());
}

void add_links(const std::array<arm::Link, arm::joints>& chain, double tool_mass, WorldParts& parts) {
  for (std::size_t i = 0; i + 1 < arm::joints; ++i) {
    const Vector3 line = arm::offset(i + 1);
    MovingBody body = beam(link_masses[i], line.norm());
    body.position = 0.5 * (chain[i].position + chain[i + 1].position);
    body.attitude = product(chain[i].attitude, upright_to(line));
    parts.bodies.push_back(body);
    parts.shapes.emplace_back(Cylinder{link_radii[i], 0.5 * line.norm()});
  }
  MovingBody tool = beam(tool_mass, tool_length);
  tool.position = chain.back().position + tool_half[0] * rotation_matrix(chain.back().attitude).col(0);
  tool.attitude = chain.back().attitude;
  parts.bodies.push_back(tool);
  parts.shapes.emplace_back(Box{tool_half});
}

/// Cylinder and piston between their pivots.
void add_compensator(const std::array<arm::Link, arm::joints>& chain, WorldParts& parts) {
  const Vector3 from = chain[0].position + rotation_matrix(chain[0].attitude) * cylinder_pivot;
  const Vector3 to = chain[1].position + rotation_matrix(chain[1].attitude) * piston_pivot;
  const Vector3 along = (to - from).normalized();
  const Quaternion attitude = product(chain[0].attitude, upright_to(rotation_matrix(chain[0].attitude).transpose() * along));
  for (const bool piston : {false, true}) {
    MovingBody body = beam(piston ? piston_mass : cylinder_mass, compensator_length);
    body.position =
        piston ? Vector3(to - 0.5 * compensator_length * along) : Vector3(from + 0.5 * compensator_length * along);
    body.attitude = attitude;
    parts.bodies.push_back(body);
    parts.shapes.emplace_back(Cylinder{piston ? 0.035 : 0.06, 0.5 * compensator_length});
  }
  const Matrix3 hinge = frame_along(chain[1].axis);
  parts.joints.push_back(joint_here(parts, JointKind::revolute, 0, cylinder_body, from, hinge));
  parts.joints.push_back(joint_here(parts, JointKind::revolute, 1, piston_body, to, hinge));
  parts.joints.push_back(joint_here(parts, JointKind::cylindrical, cylinder_body, piston_body, from, frame_along(along)));
}

/// The eight bodies and their joints, as they are at t = 0.
void add_arm(const arm::Angles& angles, double tool_mass, WorldParts& parts) {
  const std::array<arm::Link, arm::joints> chain = arm::links(angles);
  add_links(chain, tool_mass, parts);
  for (std::size_t i = 0; i < arm::joints; ++i) {
    const int link = static_cast<int>(i);
    parts.joints.push_back(joint_here(parts, JointKind::revolute, i == 0 ? Joint::ground : link - 1, link, chain[i].position,
                                      frame_along(chain[i].axis)));
  }
  add_compensator(chain, parts);
}

/// Column by column, the middle one first, each from the base outwards.
void add_boxes(const RobotManipulator::Parameters& p, WorldParts& parts) {
  constexpr int sides[] = {0, 1, -1, 2, -2};
  const Vector3 pitch = 2.0 * box_half + Vector3(p.row_gap, p.column_gap, 0.0);
  for (int i = 0; i < p.boxes; ++i) {
    MovingBody box = moving_box(p.box_mass, box_half);
    box.position = {p.distance + box_half[0] + (i % rows_of_boxes) * pitch[0], sides[i / rows_of_boxes] * pitch[1],
                    box_half[2]};
    parts.bodies.push_back(box);
    parts.shapes.emplace_back(Box{box_half});
  }
}

/// Finds the contacts of the tool and the boxes with each other and with the floor: the rest of the arm touches nothing.
ContactFinder tool_contacts(const RobotManipulator::Parameters& p) {
  const bool jointed = p.arm == RobotManipulator::Arm::jointed;
  return [=](const Configuration& at) {
    std::vector<Solid> bodies, obstacles;
    const int first_box = jointed ? arm_bodies : 0, count = first_box + p.boxes;
    const auto solid = [](int number, const Shape& shape, const Placement& place) {
      return Solid{number, shape, Pose{place.position, place.rotation}};
    };
    if (jointed) bodies.push_back(solid(tool_body, Box{tool_half}, at.bodies[tool_body]));
    for (int i = first_box; i < count; ++i)
      bodies.push_back(solid(i, Box{box_half}, at.bodies[static_cast<std::size_t>(i)]));
    obstacles.push_back(solid(count, HalfSpace{}, at.obstacle_placements[0]));
    if (!jointed) obstacles.push_back(solid(count + 1, Box{tool_half}, at.obstacle_placements[1]));
    std::vector<WorldContact> contacts;
    for (const Contact& contact : find_contacts(bodies, obstacles, p.envelope)) {
      const bool tool = contact.id.a == tool_body && jointed;
      const bool at_tool = contact.id.b == count + 1;
      contacts.push_back(world_contact(contact, p.friction, tool || at_tool ? tool_half[1] : box_half[2]));
    }
    return contacts;
  };
}

}  // namespace

RobotManipulator::RobotManipulator() {
  Parameters& p = parameters_;
  fields_.add("boxes", &p.boxes, Range::closed(0.0, 15.0), "boxes, three to a column, the middle column first", tasora_robot)
      .add("arm", &p.arm, {{"jointed", Arm::jointed}, {"prescribed", Arm::prescribed}},
           "bodies on joints behind the tool, or the tool alone as an obstacle: the joints eliminated exactly", "ours")
      .add("tool_mass", &p.tool_mass, Range::positive(), "kg", "mass of the end effector; the upper arm has 250 kg",
           "ours; \"much lighter than the bicept\"")
      .add("wrist_angle", &p.wrist_angle, Range::closed(0.0, largest_wrist_angle), "rad",
           "least angle of joint 5 on the way, where the push ends; at 0 joints 4 and 6 have one axis", "ours")
      .add("distance", &p.distance, Range::positive(), "m", "from the axis of the base to the first row of boxes", "ours")
      .add("push", &p.push, Range::non_negative(), "m", "how far the tip goes beyond the face of the first row", "ours")
      .add("swing", &p.swing, Range::closed(-1.5, 1.5), "rad",
           "how far joint 4 turns then, which swings the tool to the side", "ours")
      .add("box_mass", &p.box_mass, Range::positive(), "kg", "mass of a box of 0.4 m × 0.4 m × 0.3 m",
           "ours; sizes: " + std::string(tasora_robot))
      .add("row_gap", &p.row_gap, Range::positive(), "m", "between boxes one behind the other", "ours")
      .add("column_gap", &p.column_gap, Range::positive(), "m", "between boxes side by side", "ours")
      .add("friction", &p.friction, Range::non_negative(), "", "friction coefficient of every contact", tasora_robot)
      .add("envelope", &p.envelope, Range::positive(), "m", "pairs nearer than this are contacts", "ours")
      .add("gravity", &p.gravity, Range::non_negative(), "m/s²", "acceleration of gravity, downwards", "ours")
      .add("time_step", &p.time_step, Range::positive(), "s", "length of the step h", tasora_robot);
}

const SceneInfo& RobotManipulator::info() const {
  static const SceneInfo scene{"robot_manipulator",
                               "A six-axis arm, driven by the pose of its light tool, pushes boxes, in time",
                               "Tasora, Mangoni, Benatti, Garziera 2021, sec. 8.3, TEST 3"};
  return scene;
}

std::optional<std::string> RobotManipulator::check() const {
  const Parameters& p = parameters_;
  if (p.wrist_angle < least_wrist_angle)
    return fmt::format(
        "'wrist_angle' is {} rad, expected at least {} rad: nearer to the singular wrist no step has a solution "
        "that can be computed",
        format_double(p.wrist_angle), format_double(least_wrist_angle));
  for (const Waypoint& waypoint : waypoints(p))
    if (!arm::reaching(waypoint.tip, waypoint.wrist))
      return fmt::format(
          "the arm does not reach ({:.3g}, {:.3g}, {:.3g}) m, where its tip is to be at {} s: 'distance' is {} m "
          "and 'push' {} m",
          waypoint.tip[0], waypoint.tip[1], waypoint.tip[2], format_double(waypoint.time), format_double(p.distance),
          format_double(p.push));
  return std::nullopt;
}

std::unique_ptr<Motion> RobotManipulator::do_motion(std::uint64_t /*seed: nothing here is random*/) const {
  const Parameters& p = parameters_;
  const arm::Path path = path_of(p);
  const bool jointed = p.arm == Arm::jointed;
  const double middle = tool_half[0];
  WorldParts parts;
  parts.obstacles = {resting(Vector3::Zero()),
                     [=](double time) { return arm::tool(path.angles(time), path.rates(time), middle); }};
  if (jointed) add_arm(path.angles(0.0), p.tool_mass, parts);
  add_boxes(p, parts);
  if (jointed) {
    const Vector3 tip = arm::tool(path.angles(0.0), {}, tool_length).position;
    parts.joints.push_back(joint_here(parts, JointKind::fixed, tool_body, parts.obstacle(1), tip));
  }
  parts.shapes.emplace_back(HalfSpace{});
  parts.shapes.emplace_back(jointed ? Shape(Sphere{0.02}) : Shape(Box{tool_half}));
  parts.contacts = tool_contacts(p);
  return std::make_unique<World>(WorldSettings{info().name, p.time_step, {0.0, 0.0, -p.gravity}}, std::move(parts));
}

}  // namespace ccp
