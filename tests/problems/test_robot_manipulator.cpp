#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>

#include "core/error.hpp"
#include "problems/random.hpp"
#include "problems/scenes/robot_arm.hpp"
#include "support/build_scene.hpp"
#include "tests/problems/constants.hpp"
#include "tests/problems/driven_motion.hpp"
#include "tests/problems/same_bytes.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

constexpr int first_box = 8;

arm::Angles random_angles(Random& random) {
  arm::Angles angles;
  for (double& angle : angles) angle = random.uniform(-1.5, 1.5);
  return angles;
}

/// A centre of mass, m.
Vector3 centre(const Motion& motion, int body) { return motion.state().values.segment<3>(13 * body); }

/// How many eigenvalues of N are above a share of the largest.
Index rank_of(const ContactProblem& problem, double share = 1e-12) {
  const Vector values = Eigen::SelfAdjointEigenSolver<DenseMatrix>(DenseMatrix(problem.local().N)).eigenvalues();
  return (values.array() > share * values.maxCoeff()).count();
}

}  // namespace

TEST_CASE("the arm reaches where its sizes say") {
  CHECK((arm::tool({}, {}, 0.2).position - Vector3(2.28, 0.0, 2.05)).norm() < 1e-15);
  // Turned to the side, the upper arm laid forward, the forearm hanging down.
  const arm::Angles angles{0.5 * pi, 0.5 * pi, 0.0, 0.0, 0.0, 0.0};
  CHECK((arm::tool(angles, {}, 0.2).position - Vector3(0.0, 0.35 + 1.25 + 0.05, 0.75 - 1.93)).norm() < 1e-14);
  // The wrist bends the last 0.43 m up.
  const Vector3 bent = arm::tool({0.0, 0.0, 0.0, 0.0, -0.5 * pi, 0.0}, {}, 0.2).position;
  CHECK((bent - Vector3(1.85, 0.0, 2.48)).norm() < 1e-14);
}

TEST_CASE("angles found for a point lead the tip there") {
  Random random(3);
  int reached = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const Vector3 tip(random.uniform(-2.5, 2.5), random.uniform(-2.5, 2.5), random.uniform(-0.5, 2.5));
    const std::array<double, 3> wrist{random.uniform(-3.0, 3.0), random.uniform(0.0, 1.5), random.uniform(-3.0, 3.0)};
    const auto angles = arm::reaching(tip, wrist);
    if (!angles) continue;
    ++reached;
    CHECK((arm::tool(*angles, {}, 0.2).position - tip).norm() < 1e-13);
    CHECK((*angles)[4] == wrist[1]);
  }
  CHECK(reached > 120);
  CHECK_FALSE(arm::reaching({4.0, 0.0, 0.5}, {0.0, 0.3, 0.0}));
  CHECK_FALSE(arm::reaching({0.4, 0.0, 0.8}, {0.0, 0.3, 0.0}));
}

TEST_CASE("the velocity and the spin of the tool are the rates of its place, along a path too") {
  Random random(4);
  const arm::Path path({{0.0, random_angles(random)}, {0.7, random_angles(random)}, {1.0, random_angles(random)}});
  const double h = 1e-5;
  for (const double time : {0.1, 0.35, 0.6, 0.75, 0.9}) {
    const auto at = [&](double t) { return arm::tool(path.angles(t), path.rates(t), 0.1); };
    const ObstacleFrame before = at(time - h), now = at(time), after = at(time + h);
    CHECK((now.velocity - (after.position - before.position) / (2.0 * h)).norm() < 1e-7);
    const Matrix3 rate = (rotation_matrix(after.attitude) - rotation_matrix(before.attitude)) / (2.0 * h);
    const Matrix3 spin = rate * rotation_matrix(now.attitude).transpose();
    CHECK((now.spin - Vector3(spin(2, 1), spin(0, 2), spin(1, 0))).norm() < 1e-7);
    CHECK(now.velocity.norm() > 0.01);
  }
  for (const double rest : {0.0, 0.7, 1.0, 5.0})
    CHECK(arm::tool(path.angles(rest), path.rates(rest), 0.1).velocity.norm() == 0.0);
  CHECK(path.angles(0.7)[2] == Approx(path.angles(0.7 - 1e-9)[2]).margin(1e-12));
}

TEST_CASE("the arm is 8 bodies on 50 rows of rank 48, and stays so") {
  for (const char* wrist : {"0.01", "0.3"}) {
    CAPTURE(wrist);
    const auto motion = scene_in_time("robot_manipulator", {{"boxes", "0"}, {"wrist_angle", wrist}});
    const ContactProblem problem = motion->problem().problem;
    CHECK(problem.dofs() == 48);
    CHECK(problem.rows() == 50);
    CHECK(problem.constraints().count(ConstraintKind::bilateral) == 50);
    CHECK(rank_of(problem) == 48);
    const Drive drive_on = drive(*motion, 40, {"proximal_newton"});
    CHECK(rank_of(drive_on.problems.back().problem) == 48);
    CHECK(fact(*motion, "joint_error") < 1e-3);
  }
  // The lighter the tool, the wider the range of its inertia: upper arm to end effector 100 to 1.
  const ContactProblem problem = build_scene("robot_manipulator", {{"boxes", "0"}});
  const SparseMatrix& H = problem.global().H;
  CHECK(H.coeff(6, 6) / H.coeff(30, 30) == 100.0);
}

TEST_CASE("without contacts ADMM needs one iteration and one factorisation a step, past the singular wrist too") {
  const auto motion = scene_in_time("robot_manipulator", {{"boxes", "0"}});
  StopRule stop;
  stop.measure = Measure::relative_residual;
  double farthest = 0.0;
  for (int n = 0; n < 260; ++n) {
    const ContactProblem problem = motion->problem().problem;
    const Result result = run(problem, RunSpec{"admm", Model::ccp, stop, {{"rho_bilateral", 1e-12}}});
    CAPTURE(n);
    REQUIRE(result.status == Status::solved);
    REQUIRE(result.iterations == 1);
    REQUIRE(result.counters.factorizations == 1);
    motion->advance(end_velocity(problem, result.impulse), result.impulse);
    farthest = std::max(farthest, fact(*motion, "joint_error"));
  }
  CHECK(farthest < 1e-3);
  // At rest where the wrist has swung the tool to the side, 0.277 m sin(1.2) of its tip and half that and 0.115 m of its
  // centre.
  CHECK(motion->velocity().norm() < 0.02);  // what is left is the drift of the last step, taken back
  CHECK(centre(*motion, 5)[1] == Approx(0.33 * std::sin(0.7) * std::sin(1.2)).margin(1e-3));
}

TEST_CASE("the tool pushes a column of boxes, as it does where its motion is prescribed") {
  std::array<Vector3, 3> ends[2];
  for (const bool jointed : {true, false}) {
    const auto motion = scene_in_time("robot_manipulator", {{"boxes", "3"}, {"arm", jointed ? "jointed" : "prescribed"}});
    const int boxes = jointed ? first_box : 0;
    const double start = centre(*motion, boxes)[0];
    CHECK(start == Approx(1.7).margin(1e-15));
    const MotionProblem first = motion->problem();
    CHECK(first.keys.size() == (jointed ? 70u : 20u));  // 12 with the floor, 8 between boxes, 50 rows of joints
    const Drive pushed = drive(*motion, 185, {"proximal_newton", Model::ccp, 1e-6});
    CHECK(fact(*motion, "deepest_gap") > -1e-4);
    CHECK(pushed.missed == 0.0);
    for (int i = 0; i < 3; ++i) ends[jointed ? 0 : 1][static_cast<std::size_t>(i)] = centre(*motion, boxes + i);
    // The tip ends 0.25 m beyond where the first box was, and the tool is 0.1 m thick and slanted.
    CHECK(centre(*motion, boxes)[0] - start > 0.25);
    CHECK(centre(*motion, boxes)[0] - start < 0.45);
    CHECK(centre(*motion, boxes + 2)[0] - centre(*motion, boxes)[0] > 0.799);
    for (int i = 0; i < 3; ++i) CHECK(std::abs(centre(*motion, boxes + i)[2] - 0.15) < 0.01);
  }
  // A joint has the rate of its obstacle at the beginning of the step, a contact that at the end.
  for (std::size_t i = 0; i < 3; ++i) CHECK((ends[0][i] - ends[1][i]).norm() < 0.03);
}

TEST_CASE("the arm with boxes is the same bytes on one and two threads and in a second run") {
  CHECK(same_bytes(build_scene("robot_manipulator", {}, 1), build_scene("robot_manipulator", {}, 2)));
  std::vector<Vector> ends;
  for (const int threads : {1, 2, 1}) {
    const auto motion = scene_in_time("robot_manipulator", {{"boxes", "4"}});
    drive(*motion, 4, {"ipm_cone", Model::ccp, 1e-8, threads});
    ends.push_back(motion->state().values);
  }
  CHECK(ends[0] == ends[1]);
  CHECK(ends[0] == ends[2]);
}

TEST_CASE("an arm that cannot reach, or comes to the singular wrist, is refused by name") {
  const auto refused = [](const char* name, const char* value, const char* text) {
    CAPTURE(name, value);
    CHECK_THROWS_AS(build_scene("robot_manipulator", {{name, value}}), InputError);
    CHECK_THROWS_WITH(build_scene("robot_manipulator", {{name, value}}), Catch::Contains(text));
  };
  refused("wrist_angle", "0.0001", "'wrist_angle' is 0.0001 rad, expected at least 0.001 rad");
  refused("distance", "4", "the arm does not reach (3.7, 0, 0.8) m, where its tip is to be at 0 s: 'distance' is 4 m");
  refused("push", "2", "the arm does not reach (3.5, 0, 0.12) m, where its tip is to be at 1.8 s");
  refused("tool_mass", "0", "tool_mass");
  refused("boxes", "16", "boxes");
  refused("envelope", "-0.01", "envelope");
  CHECK_NOTHROW(build_scene("robot_manipulator", {{"wrist_angle", "0.001"}, {"tool_mass", "0.25"}}));
}
