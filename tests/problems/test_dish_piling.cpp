#include <catch2/catch.hpp>
#include <cmath>

#include "problem/placed_mesh.hpp"
#include "problem/subsystems.hpp"
#include "problems/articulated/articulated_world.hpp"
#include "problems/distance_field/field_solid.hpp"
#include "tests/problems/driven_motion.hpp"
#include "tests/problems/same_bytes.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

const Driver piling_driver{"proximal_newton", Model::ncp, 1e-5};

const ArticulatedWorld& world_in(const Motion& motion) { return dynamic_cast<const ArticulatedWorld&>(motion); }

/// Of a fingertip of the robot on its path, from the axis of a dish that is at an angle on the table, m.
double tip_from_axis(const ArticulatedWorld& world, double time, int finger, double angle) {
  const Robot& robot = world.robots()[0];
  const Tree& tree = robot.model->tree;
  const Vector angles = robot.impedance->path.angles(time);
  TreePose pose = tree.rest();
  for (Index i = 0; i < angles.size(); ++i) pose.joints[static_cast<std::size_t>(i)] = angles[i];
  const Placement link = PlacedTree(tree, pose).links()[static_cast<std::size_t>(7 + 4 * finger + 3)];
  const Vector3 tip = link.position + (finger < 3 ? 0.0267 : 0.0423) * link.rotation.col(2);
  return (tip.head<2>() - 0.45 * Vector2(std::cos(angle), std::sin(angle))).norm();
}

}  // namespace

TEST_CASE("four dishes stand on the table before an arm with an open hand: 47 dofs") {
  const auto motion = scene_in_time("dish_piling");
  const auto& world = world_in(*motion);
  const MotionProblem step = motion->problem();
  CHECK(step.problem.dofs() == 7 + 16 + 24);
  CHECK(step.problem.subsystems() != nullptr);
  const double masses[] = {0.1, 0.1, 0.1, 5.0};
  for (std::size_t i = 0; i < 4; ++i) CHECK(world.robots()[1 + i].model->tree.mass() == masses[i]);
  CHECK(fact(*motion, "deepest_gap") > -1e-12);
  CHECK(fact(*motion, "piled") == 0.0);
  CHECK(fact(*motion, "done") == 0.0);
  CHECK(fact(*motion, "path_error") == 0.0);
  CHECK(meshes_of(*motion).size() == 4);
  for (int finger = 0; finger < 4; ++finger)  // the rim of 46.8 mm, 11 mm of air, a tip of 12 mm
    CHECK(tip_from_axis(world, 0.0, finger, -0.4) == Approx(0.0698).margin(1e-9));
  for (int finger = 0; finger < 4; ++finger)
    CHECK(tip_from_axis(world, 0.2, finger, -0.4) == Approx(finger < 3 ? 0.0578 : 0.0573).margin(1e-9));
  for (int finger = 0; finger < 4; ++finger)  // over the pile
    CHECK(tip_from_axis(world, 1.2, finger, 0.0) == Approx(finger < 3 ? 0.0578 : 0.0573).margin(1e-9));
}

TEST_CASE("a dish is piled where it is in its place, upright") {
  const auto motion = scene_in_time("dish_piling", {{"dishes", "1"}});
  MotionState state = motion->state();
  const Index first =
      2 * (7 + 16) + 14;  // of the second bowl: its place, attitude and velocities, behind the robot and a bowl
  const double standing = state.values[first + 2];
  state.values.segment<2>(first - 14) << 0.45, 0.0;
  const auto set = [&](double x, double y, double above) {
    state.values.segment<3>(first) << x, y, standing + above;
    motion->restore(state);
    return fact(*motion, "piled");
  };
  const double nested = 2.0 * 0.0018 * std::sqrt(24.0 * 24.0 + 27.0 * 27.0) / 24.0;  // of two equal cones
  CHECK(set(0.45, 0.0, nested) == 1.0);
  CHECK(fact(*motion, "off_height") < 1e-9);
  CHECK(fact(*motion, "tilt") < 1e-9);
  CHECK(fact(*motion, "deepest_gap") > -1e-4);  // chords of 48 azimuths
  CHECK(set(0.45, 0.0051, nested) == 0.0);
  CHECK(set(0.45, 0.0, nested + 0.0031) == 0.0);
  state.values.segment<4>(first + 3) << std::cos(0.06), std::sin(0.06), 0.0, 0.0;
  CHECK(set(0.45, 0.0, nested) == 0.0);
  CHECK(fact(*motion, "tilt") == Approx(0.12).epsilon(1e-9));
}

TEST_CASE("dishes rattle by the mean change of their velocities") {
  const auto motion = scene_in_time("dish_piling", {{"gravity", "0.024"}, {"dishes", "1"}});
  CHECK(fact(*motion, "rattle") == 0.0);
  Vector velocity = Vector::Zero(7 + 16 + 24);
  for (int step = 0; step < 2; ++step) {
    velocity[7 + 16 + 6 * step] += 0.3;  // one of the four dishes, then another one
    motion->advance(velocity, Vector::Zero(motion->problem().problem.rows()));
  }
  CHECK(fact(*motion, "rattle") == Approx(0.3 / 4.0).epsilon(1e-12));
}

TEST_CASE("a hand without a grip lifts nothing, and the grasp is lost") {
  const auto motion = scene_in_time("dish_piling", {{"dishes", "1"}, {"finger_stiffness", "0.01"}, {"patches", "20"}});
  drive(*motion, 90, piling_driver);
  CHECK(fact(*motion, "slip") > 0.02);
  CHECK(fact(*motion, "grasp_lost") == 1.0);
}

TEST_CASE("a hand puts one bowl into another, the same bytes twice", "[slow]") {
  const auto motion = scene_in_time("dish_piling", {{"dishes", "1"}});
  const Drive done = drive(*motion, 345, piling_driver);
  CHECK(fact(*motion, "done") == 1.0);
  CHECK(fact(*motion, "piled") == 1.0);
  CHECK(fact(*motion, "slip") < 0.003);
  CHECK(fact(*motion, "overlap") == Approx(-done.deepest_gap).margin(1e-12));
  CHECK(done.deepest_gap > -2e-4);
  for (const char* name : {"grasp_lost", "off_path", "pressed_in", "shakes"}) CHECK(fact(*motion, name) == 0.0);
  const auto again = scene_in_time("dish_piling", {{"dishes", "1"}});
  again->restore(motion->state());
  CHECK(same_bytes(motion->problem().problem, again->problem().problem));
  for (const char* name : {"slip", "path_error", "overlap", "jitter", "rattle", "done"})
    CHECK(fact(*again, name) == fact(*motion, name));
}
