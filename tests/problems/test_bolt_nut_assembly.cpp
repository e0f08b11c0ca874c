#include <Eigen/Geometry>
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "problem/placed_mesh.hpp"
#include "problems/articulated/articulated_world.hpp"
#include "problems/articulated/inverse_kinematics.hpp"
#include "problems/distance_field/surface_patches.hpp"
#include "problems/distance_field/thread.hpp"
#include "tests/problems/constants.hpp"
#include "tests/problems/driven_motion.hpp"
#include "tests/problems/same_bytes.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

const Driver assembly_driver{"proximal_newton", Model::ncp, 1e-5};

const ArticulatedWorld& world_of(const Motion& motion) { return dynamic_cast<const ArticulatedWorld&>(motion); }

/// The nut is 207 mm along the last axis of an arm.
Placement nut_at(const Tree& tree, const TreePose& pose) {
  const Placement link = PlacedTree(tree, pose).links()[6];
  return {link.position + 0.207 * link.rotation.col(2), link.rotation};
}

TreePose at_angles(const Tree& tree, const Vector& angles) {
  TreePose pose = tree.rest();
  for (Index i = 0; i < angles.size(); ++i) pose.joints[static_cast<std::size_t>(i)] = angles[i];
  return pose;
}

}  // namespace

TEST_CASE("damped least squares put a link where it shall be and hold a joint") {
  const Tree tree(panda());
  TreePose start = tree.rest();
  start.joints = {0.1, -0.7, 0.2, -2.3, 0.1, 1.5, 0.8};
  TreePose other = start;
  for (double& angle : other.joints) angle += 0.2;
  other.joints[2] = start.joints[2];
  const Vector3 point(0.0, 0.1, 0.2);
  const Placement goal = PlacedTree(tree, other).links()[6];
  const TreePose found = reaching_pose(tree, start, {6, point, goal.position + goal.rotation * point, goal.rotation, 2});
  const Placement there = PlacedTree(tree, found).links()[6];
  CHECK((there.position - goal.position).norm() < 1e-11);
  CHECK((there.rotation - goal.rotation).norm() < 1e-11);
  CHECK(found.joints[2] == start.joints[2]);
  CHECK_THROWS_AS(reaching_pose(tree, start, {6, point, Vector3(0.0, 0.0, 9.0), goal.rotation}), std::logic_error);
}

TEST_CASE("a path that rests at its ends goes through the points without a stop") {
  const JointPath<Vector> path({{0.0, Vector::Zero(1)}, {1.0, Vector::Constant(1, 1.0)}, {2.0, Vector::Constant(1, 5.0)}},
                               PathRests::at_ends);
  CHECK(path.angles(1.0)[0] == 1.0);
  CHECK(path.rates(1.0)[0] == Approx(4.0 * 1.875));
  CHECK(path.rates(0.0)[0] == 0.0);
  CHECK(path.rates(2.0)[0] == 0.0);
  CHECK(path.angles(3.0)[0] == 5.0);
  for (const double t : {0.3, 0.8, 1.4, 1.9})
    CHECK((path.angles(t + 1e-6)[0] - path.angles(t - 1e-6)[0]) / 2e-6 == Approx(path.rates(t)[0]).epsilon(1e-6));
}

TEST_CASE("patches of a nut have its triangles once and its deepest points") {
  const ThreadedBolt bolt(ThreadProfile::bolt_m48(0.0), 0.04);
  const TriangleMesh nut = nut_mesh(ThreadProfile::nut_m48(0.0), 0.006, 96, 2);
  const SurfacePatches patches = surface_patches(nut, 20);
  CHECK(patches.size() == 20);
  std::set<int> triangles;
  std::size_t count = 0;
  for (const std::vector<int>& patch : patches) {
    triangles.insert(patch.begin(), patch.end());
    count += patch.size();
  }
  CHECK(count == nut.triangles.size());
  CHECK(triangles.size() == count);
  const TriangleMesh moved = nut.placed(Matrix3::Identity(), Vector3(1e-5, 2e-5, 1.5e-5));
  const std::vector<FieldContact> all = contact_set(bolt, moved, {1e-4, 10000});
  std::vector<double> deepest(patches.size(), 1.0);
  for (const FieldContact& contact : all)
    for (std::size_t i = 0; i < patches.size(); ++i)
      if (std::count(patches[i].begin(), patches[i].end(), contact.feature) > 0)
        deepest[i] = std::min(deepest[i], contact.gap);
  const std::vector<FieldContact> found = patch_contacts(bolt, moved, patches, 1e-4);
  CHECK(found.size() ==
        static_cast<std::size_t>(std::count_if(deepest.begin(), deepest.end(), [](double g) { return g < 1.0; })));
  for (const FieldContact& contact : found) {
    const double least = deepest[static_cast<std::size_t>(contact.feature)];
    CHECK(contact.gap < 1e-4);
    CHECK(contact.gap > least - 1e-9);
    CHECK(contact.gap < least + 2e-6);
  }
}

TEST_CASE("the path of the arm screws the nut down, with the errors it is told to have") {
  const auto motion = scene_in_time("bolt_nut_assembly", {{"turns", "1.5"}, {"press", "0.003"}, {"offset", "0"}});
  const Robot& robot = world_of(*motion).robots()[0];
  const Tree& tree = robot.model->tree;
  CHECK(tree.dofs() == 7);
  CHECK(tree.links()[6].mass == Approx(0.735522 + 0.983));
  const Placement start = nut_at(tree, robot.pose);
  CHECK((start.position - Vector3(0.30689057, 0.0, 0.49028205)).norm() < 1e-7);
  for (const double t : {0.2, 0.4, 0.5, 0.75}) {
    const Placement nut = nut_at(tree, at_angles(tree, robot.impedance->path.angles(t)));
    const double tau = t / 0.75, share = tau * tau * tau * (10.0 - 15.0 * tau + 6.0 * tau * tau);
    const Eigen::AngleAxisd turn(-share * 3.0 * pi, Vector3::UnitZ());
    CHECK((nut.position - start.position + share * 0.0105 * Vector3::UnitZ()).norm() < 1e-6);
    CHECK((nut.rotation - turn.toRotationMatrix() * start.rotation).norm() < 1e-4);
  }
  CHECK(robot.impedance->path.angles(0.75)[2] == 0.0);
}

TEST_CASE("a nut on the bolt touches nothing at the start and is shown with it") {
  const auto motion = scene_in_time("bolt_nut_assembly", {{"engaged", "3"}});
  CHECK(fact(*motion, "deepest_gap") == 0.0);
  CHECK(std::abs(fact(*motion, "turns")) < 1e-9);
  CHECK(std::abs(fact(*motion, "off_helix")) < 1e-9);
  CHECK(fact(*motion, "done") == 0.0);
  const std::vector<PlacedMesh> meshes = meshes_of(*motion);
  REQUIRE(meshes.size() == 3);
  CHECK(meshes[2].obstacle);
  double far = 0.0;
  for (std::size_t i = 0; i < meshes[0].places.size(); ++i) {
    const Vector3 arm = meshes[0].places[i] - Vector3(0.30689057, 0.0, 0.49028205);
    far = std::max(far, arm.head<2>().norm());
  }
  CHECK(far < 0.0245);
}

// Without contact the impedance takes the nut 2 mm off its helix.
TEST_CASE("the thread carries what the arm presses, the same bytes twice", "[slow]") {
  const std::initializer_list<std::pair<const char*, const char*>> settings{
      {"engaged", "3"}, {"turns", "0.1"}, {"turn_rate", "1"}, {"offset", "0.001"}, {"contacts", "60"}, {"gain", "10"}};
  const auto motion = scene_in_time("bolt_nut_assembly", settings);
  const Drive done = drive(*motion, 60, assembly_driver);
  CHECK(done.deepest_gap > -2e-5);
  CHECK(std::abs(fact(*motion, "off_helix")) < 1.1e-4);  // half of the play, 0.105 mm, and an overlap
  CHECK(fact(*motion, "off_axis") < 2e-4);
  CHECK(fact(*motion, "overlap") == Approx(-done.deepest_gap).margin(1e-12));
  CHECK(fact(*motion, "jitter") < 0.01);
  CHECK(fact(*motion, "done") == 1.0);
  const Robot& robot = world_of(*motion).robots()[0];
  const GlobalForm& form = done.problems.back().problem.global();
  const Vector pull = robot.impedance->stiffness.cwiseProduct(
      robot.impedance->path.angles(world_of(*motion).time()) -
      Eigen::Map<const Vector>(robot.pose.joints.data(), std::ssize(robot.pose.joints)));
  const Vector held = form.D * done.impulses.back() / motion->time_step();
  CHECK(pull.norm() > 5.0);
  CHECK((pull + held).norm() < 0.05 * pull.norm());

  const auto free = scene_in_time("bolt_nut_assembly", settings);
  for (int n = 0; n < 60; ++n) {
    const MotionProblem step = free->problem();
    const Vector none = Vector::Zero(step.problem.rows());
    free->advance(end_velocity(step.problem, none), none);
  }
  CHECK(fact(*free, "off_helix") > 1e-3);
  CHECK(fact(*free, "deepest_gap") < -3e-4);
  CHECK(fact(*free, "off_thread") == 1.0);
  CHECK(fact(*free, "pressed_in") == 1.0);
  CHECK(fact(*free, "done") == 0.0);

  const auto again = scene_in_time("bolt_nut_assembly", settings);
  again->restore(motion->state());
  CHECK(same_bytes(motion->problem().problem, again->problem().problem));
}
