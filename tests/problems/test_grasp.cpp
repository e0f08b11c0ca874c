#include <catch2/catch.hpp>

#include "problems/articulated/articulated_world.hpp"
#include "tests/problems/driven_motion.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

/// A finger that its motor slides along y, 20 mm thick, its face towards `side` · y.
TreeLink sliding_finger(double side) {
  TreeLink finger;
  finger.joint = TreeJoint::prismatic;
  finger.axis = side * Vector3::UnitY();
  finger.place = -0.04 * side * Vector3::UnitY();
  finger.mass = 0.05;
  finger.inertia = 1e-5 * Matrix3::Identity();
  return finger;
}

/// Two fingers 60 mm apart that press on a cube between them with 2000 N/m · 5 mm = 10 N each.
std::vector<Robot> gripper_with_cube(double mass) {
  const auto model = std::make_shared<const RobotModel>(
      RobotModel{Tree({sliding_finger(1.0), sliding_finger(-1.0)}),
                 {{0, Box{{0.02, 0.01, 0.02}}, Vector3::Zero()}, {1, Box{{0.02, 0.01, 0.02}}, Vector3::Zero()}}});
  Robot gripper{model, model->tree.rest(), Vector::Zero(2)};
  gripper.impedance = std::make_shared<const JointImpedance>(
      JointImpedance{Vector::Constant(2, 2000.0), Vector::Constant(2, 40.0),
                     JointPath<Vector>({{0.0, Vector::Constant(2, 0.005)}}), JointImpedance::Carries::bias});
  const double half = 0.03;
  return {gripper, free_body(mass, 2.0 / 3.0 * mass * half * half * Matrix3::Identity(), Box{Vector3::Constant(half)},
                             Vector3::Zero())};
}

/// How far the cube is from where it was held, m, after steps of 20 ms.
double drift_of_cube(double mass, int steps) {
  ArticulatedWorldSettings settings;
  settings.name = "grasp";
  settings.time_step = 0.02;
  settings.friction = 0.5;
  settings.envelope = 0.001;
  ArticulatedWorld world(settings, gripper_with_cube(mass), {});
  drive(world, steps, {"proximal_newton", Model::ncp, 1e-8});
  return world.robots()[1].pose.base.norm();
}

}  // namespace

TEST_CASE("a grasp at rest holds a cube for ten seconds, and lets one go that is too heavy") {
  CHECK(drift_of_cube(0.1, 500) < 1e-4);  // 1 N beside 2 · 0.5 · 10 N of friction
  CHECK(drift_of_cube(1.1, 50) > 0.1);    // 10.8 N
}
