#include <Eigen/Geometry>
#include <Eigen/QR>
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "problems/dynamics/elementary.hpp"
#include "problems/random.hpp"
#include "tests/problems/moving_world.hpp"
#include "tests/problems/constants.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

const JointKind all_kinds[] = {JointKind::spherical, JointKind::revolute,    JointKind::prismatic,
                               JointKind::fixed,     JointKind::cylindrical, JointKind::guide};
constexpr std::size_t rows_of[] = {3, 5, 5, 6, 4, 2};

bool can_have_motor(JointKind kind) { return kind != JointKind::spherical && kind != JointKind::fixed; }

Placement moved(const Placement& place, const Eigen::Matrix<double, 6, 1>& twist, double h) {
  return {place.position + h * twist.head<3>(), rotation_matrix(rotation_exponential(h * twist.tail<3>())) * place.rotation};
}

/// Two bodies that a joint holds together, with everything at random but Ψ = 0.
WorldParts pair(Random& random, JointKind kind, bool motor) {
  WorldParts parts;
  for (int i = 0; i < 2; ++i) {
    MovingBody body;
    body.mass = random.uniform(0.5, 2.0);
    body.inertia = {random.uniform(0.5, 1.0), random.uniform(0.5, 1.0), random.uniform(0.5, 1.0)};
    body.position = random.in_ball();
    body.attitude = rotation_exponential(2.0 * random.in_ball());
    body.velocity = random.in_ball();
    body.spin = 3.0 * random.in_ball();
    parts.bodies.push_back(body);
  }
  parts.joints.push_back(joint_here(parts, kind, 0, 1, random.in_ball(), random.rotation()));
  if (motor)
    parts.joints.back().motor = [](double t) { return MotorTarget{0.3 * taylor_sin(2.0 * t), 0.6 * taylor_cos(2.0 * t)}; };
  return parts;
}

/// The bilateral problem solved by a least-squares solution of N γ = −r, of any rank.
Vector joint_impulse(const ContactProblem& problem) {
  const LocalForm& form = problem.local();
  return Eigen::CompleteOrthogonalDecomposition<DenseMatrix>(DenseMatrix(form.N)).solve(-form.r);
}

void take_joint_step(World& world) {
  const MotionProblem step = world.problem();
  const Vector impulse = joint_impulse(step.problem);
  world.advance(end_velocity(step.problem, impulse), impulse);
}

}  // namespace

TEST_CASE("rows of joints are the exact gradients of their constraints") {
  Random random(5);
  for (std::size_t k = 0; k < 6; ++k)
    for (const bool motor : {false, true}) {
      if (motor && !can_have_motor(all_kinds[k])) continue;
      const WorldParts parts = pair(random, all_kinds[k], motor);
      const Joint& joint = parts.joints[0];
      // Away from Ψ = 0, too.
      const Placement a{random.in_ball(), random.rotation()}, b{random.in_ball(), random.rotation()};
      const std::vector<JointRow> rows = joint_rows(joint, a, b, 0.4);
      REQUIRE(rows.size() == rows_of[k] + (motor ? 1 : 0));
      for (int trial = 0; trial < 4; ++trial) {
        Eigen::Matrix<double, 6, 1> first, second;
        first << random.in_ball(), random.in_ball();
        second << random.in_ball(), random.in_ball();
        const double h = 1e-5;
        const auto ahead = joint_rows(joint, moved(a, first, h), moved(b, second, h), 0.4 + h);
        const auto behind = joint_rows(joint, moved(a, first, -h), moved(b, second, -h), 0.4 - h);
        for (std::size_t i = 0; i < rows.size(); ++i) {
          CAPTURE(joint_name(all_kinds[k]), motor, i);
          const double difference = (ahead[i].value - behind[i].value) / (2.0 * h);
          CHECK(std::abs(rows[i].first.dot(first) + rows[i].second.dot(second) + rows[i].rate - difference) < 1e-7);
        }
      }
    }
}

TEST_CASE("impulses of joints conserve momentum, wherever the bodies are") {
  Random random(6);
  for (const JointKind kind : all_kinds) {
    const WorldParts parts = pair(random, kind, can_have_motor(kind));
    const Placement a{random.in_ball(), random.rotation()}, b{random.in_ball(), random.rotation()};
    for (const JointRow& row : joint_rows(parts.joints[0], a, b, 0.1)) {
      CAPTURE(joint_name(kind));
      CHECK((row.first + row.second).head<3>().norm() < 1e-12);
      const Vector3 moment = row.first.tail<3>() + a.position.cross(Vector3(row.first.head<3>())) + row.second.tail<3>() +
                             b.position.cross(Vector3(row.second.head<3>()));
      CHECK(moment.norm() < 1e-12);
    }
  }
}

TEST_CASE("two bodies on a joint stay together and keep their momentum") {
  Random random(7);
  for (std::size_t k = 0; k < 6; ++k)
    for (const Stepping stepping : {Stepping::velocity_impulse, Stepping::moreau_midpoint}) {
      const WorldParts parts = pair(random, all_kinds[k], false);
      World world(settings_of(stepping, 1e-3, Vector3::Zero()), parts);
      CAPTURE(joint_name(all_kinds[k]), int(stepping));
      CHECK(world.joint_error() < 1e-15);
      const auto linear = [&]() -> Vector3 {
        return world.bodies()[0].mass * world.bodies()[0].velocity + world.bodies()[1].mass * world.bodies()[1].velocity;
      };
      const Vector3 start = linear();
      for (int n = 0; n < 200; ++n) take_joint_step(world);
      CHECK((linear() - start).norm() < 1e-12);
      CHECK(world.joint_error() < 2e-4);
      CHECK(world.facts()[2].value == world.joint_error());
    }
}

TEST_CASE("a motor follows its target, for more than a turn") {
  for (const Stepping stepping : {Stepping::velocity_impulse, Stepping::moreau_midpoint}) {
    const double h = 1e-3, lead = stepping == Stepping::moreau_midpoint ? 0.5 * h : 0.0;
    for (const JointKind kind : {JointKind::revolute, JointKind::prismatic, JointKind::cylindrical, JointKind::guide}) {
      CAPTURE(joint_name(kind), int(stepping));
      MovingBody body;
      body.inertia = {0.3, 0.2, 0.4};
      WorldParts parts{{body}, {}, {}, {}, {}};
      parts.joints.push_back(joint_here(parts, kind, Joint::ground, 0, Vector3::Zero()));
      const auto target = [](double t) { return 8.0 * t + 0.2 * taylor_sin(5.0 * t); };
      parts.joints[0].motor = [=](double t) { return MotorTarget{target(t), 8.0 + taylor_cos(5.0 * t)}; };
      World world(settings_of(stepping, h), parts);
      for (int n = 0; n < 1000; ++n) take_joint_step(world);
      const MovingBody& now = world.bodies()[0];
      if (kind == JointKind::revolute) {
        // Ψ/h takes back in one step what is wrong at its beginning: the error is that of one step, h² s̈/2.
        const Quaternion& q = now.attitude;
        const double angle = 2.0 * std::atan2(q.z, q.w);
        CHECK(std::abs(std::remainder(angle - target(1.0), 2.0 * pi)) < 5e-6);
        CHECK(now.spin[2] == Approx(8.0 + std::cos(5.0 * (1.0 - h + lead))).epsilon(2e-3));
      } else {
        CHECK(std::abs(now.position[2] - target(1.0)) < 5e-6);
      }
    }
  }
}

namespace {

struct Swing {
  double error, energy;  ///< largest ‖Ψ‖ after a step, m; largest change of the energy over m g l
};

/// A sphere of radius 0.1 m on a spherical joint 1 m from its centre, let go from 90°, 10 s.
Swing swing(Stepping stepping, double h) {
  MovingBody ball = moving_sphere(1.0, 0.1);
  ball.position = {1.0, 0.0, 0.0};
  WorldParts parts{{ball}, {}, {}, {}, {}};
  parts.joints.push_back(joint_here(parts, JointKind::spherical, Joint::ground, 0, Vector3::Zero()));
  World world(settings_of(stepping, h), parts);
  Swing worst{0.0, 0.0};
  for (int n = 0; n < std::lround(10.0 / h); ++n) {
    take_joint_step(world);
    worst.error = std::max(worst.error, world.joint_error());
    worst.energy = std::max(worst.energy, std::abs(world.kinetic_energy() + world.potential_energy()) / g);
  }
  return worst;
}

}  // namespace

TEST_CASE("a pendulum stays on its joint to second order, and keeps its energy") {
  const Swing first = swing(Stepping::velocity_impulse, 0.01), second = swing(Stepping::moreau_midpoint, 0.01);
  CHECK(first.error == Approx(9.75e-4).epsilon(5e-3));
  CHECK(second.error == Approx(7.31e-4).epsilon(5e-3));
  CHECK(swing(Stepping::velocity_impulse, 0.005).error == Approx(first.error / 4.0).epsilon(0.05));
  CHECK(swing(Stepping::moreau_midpoint, 0.005).error == Approx(second.error / 4.0).epsilon(0.05));
  CHECK(first.energy < 0.016);
  CHECK(second.energy < 0.0025);
}

TEST_CASE("a library solver swings the pendulum like the direct solution") {
  MovingBody ball = moving_sphere(1.0, 0.1);
  ball.position = {1.0, 0.0, 0.0};
  WorldParts parts{{ball}, {}, {}, {}, {}};
  parts.joints.push_back(joint_here(parts, JointKind::revolute, Joint::ground, 0, Vector3::Zero(),
                                    rotation_matrix(rotation_exponential({-0.5 * pi, 0.0, 0.0}))));
  World world(settings_of(Stepping::velocity_impulse, 0.01), parts), direct = world;
  for (int n = 0; n < 50; ++n) {
    take_step(world, Model::ncp, "proximal_newton");
    take_joint_step(direct);
  }
  CHECK((world.bodies()[0].position - direct.bodies()[0].position).norm() < 1e-9);
  CHECK(direct.bodies()[0].position[2] < -0.5);
}

namespace {

/// Mean precession (rad/s) of a fast top on a joint 0.2 m from its centre, started horizontally at m g l/(I₃ ω₃), 1 s.
double precession(Stepping stepping) {
  const double h = 1e-3, l = 0.2, spin = 100.0, rate = g * l / (0.01 * spin);
  MovingBody top;
  top.inertia = {0.01, 0.006, 0.006};  // its axis is x
  top.position = {l, 0.0, 0.0};
  top.spin = {spin, 0.0, rate};
  top.velocity = {0.0, l * rate, 0.0};
  WorldParts parts{{top}, {}, {}, {}, {}};
  parts.joints.push_back(joint_here(parts, JointKind::spherical, Joint::ground, 0, Vector3::Zero()));
  World world(settings_of(stepping, h), parts);
  double angle = 0.0, before = 0.0;
  for (int n = 0; n < 1000; ++n) {
    take_joint_step(world);
    const Vector3& x = world.bodies()[0].position;
    const double now = std::atan2(x[1], x[0]);
    angle += std::remainder(now - before, 2.0 * pi);
    before = now;
  }
  return angle;
}

}  // namespace

TEST_CASE("a fast top precesses at m g l/(I ω), nearly") {
  CHECK(precession(Stepping::velocity_impulse) == Approx(1.9531).margin(6e-5));
  CHECK(precession(Stepping::moreau_midpoint) == Approx(1.9522).margin(6e-5));
}

TEST_CASE("a joint to an obstacle moves with it, and one with an end lets go") {
  MovingBody body;
  body.position = {0.5, 0.0, 0.0};
  WorldParts parts{{body}, {}, {gliding(Vector3::Zero(), {}, {0.1, 0.0, 0.0}, {0.0, 0.0, 2.0})}, {}, {}};
  parts.joints.push_back(joint_here(parts, JointKind::fixed, 1, 0, Vector3::Zero()));
  parts.joints[0].until = 0.1005;
  World world(settings_of(Stepping::moreau_midpoint, 1e-3, Vector3::Zero()), parts);
  for (int n = 0; n < 101; ++n) take_joint_step(world);
  CHECK(world.bodies()[0].spin[2] == Approx(2.0).epsilon(1e-6));
  const double angle = 2.0 * 0.101;
  const Vector3 expected(0.0101 + 0.5 * std::cos(angle), 0.5 * std::sin(angle), 0.0);
  CHECK((world.bodies()[0].position - expected).norm() < 2e-6);
  CHECK(world.problem().keys.empty());
  const Vector3 velocity = world.bodies()[0].velocity;
  take_step(world);
  CHECK((world.bodies()[0].velocity - velocity).norm() < 1e-14);
}

TEST_CASE("a guide lets a centre move along its axis alone") {
  MovingBody body;
  body.position = {0.3, -0.2, 1.0};
  body.spin = {1.0, 2.0, 3.0};
  body.velocity = {0.0, 0.0, 0.5};
  body.force = {5.0, -3.0, 0.0};
  WorldParts parts{{body}, {}, {}, {}, {}};
  parts.joints.push_back(joint_here(parts, JointKind::guide, Joint::ground, 0, body.position));
  World world(settings_of(Stepping::velocity_impulse, 0.01), parts);
  for (int n = 0; n < 20; ++n) take_joint_step(world);
  CHECK((world.bodies()[0].position - body.position).head<2>().norm() < 1e-14);
  CHECK(world.bodies()[0].velocity[2] == Approx(0.5 - 0.2 * g));
  CHECK((world.bodies()[0].spin - body.spin).norm() < 1e-12);
}

TEST_CASE("redundant joints are legal") {
  MovingBody body;
  body.position = {0.4, 0.0, 0.0};
  WorldParts parts{{body}, {}, {}, {}, {}};
  const Matrix3 axes = rotation_matrix(rotation_exponential({-0.5 * pi, 0.0, 0.0}));
  for (const double y : {-0.1, 0.1})
    parts.joints.push_back(joint_here(parts, JointKind::revolute, Joint::ground, 0, {0.0, y, 0.0}, axes));
  World world(settings_of(Stepping::velocity_impulse, 0.01), parts);
  CHECK(world.problem().problem.rows() == 10);
  for (int n = 0; n < 10; ++n) take_step(world, Model::ccp, "admm");
  CHECK(world.joint_error() < 1e-3);
  CHECK(world.bodies()[0].velocity[2] < -0.1);
}
