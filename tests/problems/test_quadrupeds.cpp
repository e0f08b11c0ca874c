#include <Eigen/Geometry>
#include <catch2/catch.hpp>

#include "core/error.hpp"
#include "problem/subsystems.hpp"
#include "problems/articulated/articulated_world.hpp"
#include "problems/dynamics/shaped_contacts.hpp"
#include "tests/problems/constants.hpp"
#include "tests/problems/driven_motion.hpp"
#include "tests/problems/moving_world.hpp"
#include "tests/problems/same_bytes.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

constexpr double time_step = 1.0 / 240.0;
const Driver newton{"proximal_newton", Model::ncp, 1e-4};

std::unique_ptr<Motion> robots_in_time(const char* count, const char* arrangement, std::uint64_t seed = 1) {
  return scene_in_time("quadrupeds", {{"count", count}, {"arrangement", arrangement}}, seed);
}

const ArticulatedWorld& world_of(const Motion& motion) { return dynamic_cast<const ArticulatedWorld&>(motion); }

ArticulatedWorldSettings robot_settings() {
  ArticulatedWorldSettings settings;
  settings.name = "test";
  settings.friction = 0.4;
  return settings;
}

/// Where a point of a link is that is `point` in the world now, when its robot has moved by v for h.
Vector3 moved_point(const Robot& robot, std::size_t link, const Vector3& point, const Vector& v, double h) {
  const Tree& tree = robot.model->tree;
  const Placement now = PlacedTree(tree, robot.pose).links()[link];
  const Placement then = PlacedTree(tree, integrated(tree, robot.pose, v, h)).links()[link];
  return then.position + then.rotation * (now.rotation.transpose() * (point - now.position));
}

}  // namespace

TEST_CASE("a robot of one free box has the problem of a rigid body") {
  const Vector3 half(0.1, 0.2, 0.05);
  MovingBody box = moving_box(2.0, half);
  box.position = {0.3, -0.1, 0.051};
  box.attitude = rotation_exponential({0.0, 0.01, 0.3});
  box.velocity = {0.2, 0.0, -0.3};
  WorldParts parts;
  parts.bodies = {box};
  parts.obstacles = {resting(Vector3::Zero())};
  give_surfaces(parts, {{Box{half}}, {HalfSpace{}}, 0.01, 0.4});
  const World world(settings_of(Stepping::velocity_impulse, time_step), parts);

  TreeLink link;
  link.joint = TreeJoint::free;
  link.mass = box.mass;
  link.inertia = box.inertia.asDiagonal();
  Robot robot{std::make_shared<const RobotModel>(RobotModel{Tree({link}), {{0, Box{half}}}}), {}, Vector::Zero(6)};
  robot.pose = robot.model->tree.rest();
  robot.pose.base = box.position;
  robot.pose.attitude = box.attitude;
  robot.velocity.head<3>() = box.velocity;
  const ArticulatedWorld robots(robot_settings(), {robot}, {{HalfSpace{}}});

  const MotionProblem one = world.problem(), other = robots.problem();
  REQUIRE(one.gaps.size() == 4);
  CHECK(one.keys == other.keys);
  CHECK((DenseMatrix(one.problem.global().H) - DenseMatrix(other.problem.global().H)).norm() < 1e-15);
  CHECK((DenseMatrix(one.problem.global().D) - DenseMatrix(other.problem.global().D)).norm() < 1e-15);
  CHECK((one.problem.global().k - other.problem.global().k).norm() < 1e-15);
  CHECK((one.problem.global().b - other.problem.global().b).norm() < 1e-13);
  CHECK(robots.kinetic_energy() == Approx(world.kinetic_energy()).epsilon(1e-14));
  CHECK(robots.potential_energy() == Approx(world.potential_energy()).epsilon(1e-14));
}

TEST_CASE("robots in a heap come down on one another, each a subsystem of 18 dofs") {
  const auto motion = robots_in_time("2", "heap");
  const double before = fact(*motion, "kinetic_J") + fact(*motion, "potential_J");
  const Drive done = drive(*motion, 110, newton);
  CHECK(done.deepest_gap > -0.01);
  CHECK(fact(*motion, "joint_error") < 1e-3);
  CHECK(fact(*motion, "kinetic_J") + fact(*motion, "potential_J") < 0.6 * before);

  const MotionProblem step = motion->problem();
  const Subsystems* data = step.problem.subsystems();
  REQUIRE(data != nullptr);
  CHECK(data->start == std::vector<Index>{0, 18, 36});
  CHECK(step.problem.dofs() == 36);
  const std::vector<int> owner = data->owner();
  int between = 0, floor = 0;
  for (std::size_t p = 1; p < data->last.size(); ++p)
    if (data->constraint[p] == data->constraint[p - 1] &&
        owner[static_cast<std::size_t>(data->last[p])] != owner[static_cast<std::size_t>(data->last[p - 1])])
      ++between;
  for (std::size_t i = 0; i < step.gaps.size(); ++i) floor += step.keys[i].body_b == 26 ? 1 : 0;
  CHECK(between >= 1);
  CHECK(floor >= 4);
  // The end of each link, and the masses of 13 links.
  CHECK(data->mass.sum() == Approx(2 * 25.433).epsilon(1e-14));
  CHECK(data->mass[5] == 13.733);
  CHECK(data->mass[8] == Approx(0.301));

  // SubADMM and Newton's method agree on the velocities.
  StopRule stop;
  stop.measure = Measure::natural_map;
  stop.tolerance = 1e-8;
  stop.max_iterations = 20000;
  const Result split = run(step.problem, RunSpec{"subadmm", Model::ncp, stop});
  const Result exact = run(step.problem, RunSpec{"proximal_newton", Model::ncp, stop});
  REQUIRE(split.status == Status::solved);
  REQUIRE(exact.status == Status::solved);
  CHECK((end_velocity(step.problem, split.impulse) - end_velocity(step.problem, exact.impulse)).norm() < 1e-5);
}

TEST_CASE("rows of contacts and limits are the rates at which gaps change") {
  const auto motion = robots_in_time("2", "heap");
  drive(*motion, 100, newton);
  const MotionProblem step = motion->problem();
  const auto& robots = world_of(*motion).robots();
  const Vector v = motion->velocity();
  const Vector rate = step.problem.global().D.transpose() * v;
  const std::vector<LinkShape> shapes = laikago_shapes();
  REQUIRE(step.gaps.size() > 4);
  const double h = 1e-5;
  for (std::size_t i = 0; i < step.gaps.size(); ++i) {
    const auto velocity_of = [&](int shape) -> Vector3 {
      if (shape >= 26) return Vector3::Zero();
      const auto robot = static_cast<std::size_t>(shape / 13);
      const std::size_t link = shapes[static_cast<std::size_t>(shape % 13)].link;
      const Vector own = v.segment<18>(18 * static_cast<Index>(robot));
      return (moved_point(robots[robot], link, step.points[i], own, h) -
              moved_point(robots[robot], link, step.points[i], own, -h)) /
             (2.0 * h);
    };
    const Vector3 relative = velocity_of(step.keys[i].body_b) - velocity_of(step.keys[i].body_a);
    const Index offset = step.problem.constraints().offset(static_cast<Index>(i));
    CHECK((rate.segment<3>(offset) - step.frames[i].transpose() * relative).norm() < 1e-7 * (1.0 + relative.norm()));
    CHECK(step.problem.global().b[offset] == step.gaps[i] / time_step);
  }
  const ConstraintSet& set = step.problem.constraints();
  REQUIRE(set.count() > std::ssize(step.gaps));
  for (Index i = std::ssize(step.gaps); i < set.count(); ++i) {
    const ContactKey& key = step.keys[static_cast<std::size_t>(i)];
    CHECK(set.kind(i) == ConstraintKind::unilateral);
    CHECK(key.kind == ContactKey::joint_row);
    const Index robot = key.body_b / 13, link = key.feature_a, dof = 18 * robot + 5 + link;
    CHECK(rate[set.offset(i)] == (key.feature_b == 0 ? v[dof] : -v[dof]));
  }
}

TEST_CASE("a joint that runs into its bound stops there") {
  TreeLink link;
  link.name = "arm";
  link.axis = Vector3::UnitY();
  link.mass = 1.0;
  link.centre = {0.0, 0.0, -1.0};
  link.lower = -0.5;
  link.upper = 0.7;
  ArticulatedWorldSettings settings = robot_settings();
  settings.gravity.setZero();
  for (const double sign : {1.0, -1.0}) {
    Robot robot{std::make_shared<const RobotModel>(RobotModel{Tree({link}), {}}), {}, Vector::Constant(1, 24.0 * sign)};
    robot.pose = robot.model->tree.rest();
    ArticulatedWorld world(settings, {robot}, {});
    const double bound = sign > 0.0 ? 0.7 : -0.5;
    const auto whole_steps = static_cast<int>(std::abs(bound) / 0.1);  // 0.1 rad a step
    for (int n = 0; n < whole_steps; ++n) take_step(world);
    CHECK(world.robots()[0].pose.joints[0] == Approx(sign * 0.1 * whole_steps).epsilon(1e-12));
    for (int n = 0; n < 3; ++n) take_step(world);
    CHECK(world.robots()[0].pose.joints[0] == Approx(bound).epsilon(1e-12));
    CHECK(std::abs(world.robots()[0].velocity[0]) < 1e-9);
    const MotionProblem step = world.problem();
    REQUIRE(step.problem.rows() == 1);
    CHECK(step.problem.global().D.coeff(0, 0) == -sign);
    CHECK(world.limit_error() < 1e-12);
  }
}

TEST_CASE("damping slows a joint by its factor in each step") {
  TreeLink link;
  link.mass = 1.0;
  link.centre = {1.0, 0.0, 0.0};
  ArticulatedWorldSettings settings = robot_settings();
  settings.gravity.setZero();
  settings.joint_damping = 12.0;
  Robot robot{std::make_shared<const RobotModel>(RobotModel{Tree({link}), {}}), {}, Vector::Constant(1, 1.0)};
  robot.pose = robot.model->tree.rest();
  ArticulatedWorld world(settings, {robot}, {});
  for (int n = 0; n < 3; ++n) take_step(world);
  CHECK(world.robots()[0].velocity[0] == Approx(std::pow(1.0 / 1.05, 3)).epsilon(1e-13));
}

TEST_CASE("robots on the floor do not couple, and begin apart") {
  const auto motion = robots_in_time("4", "floor");
  CHECK(motion->velocity().size() == 72);
  CHECK(fact(*motion, "deepest_gap") > -1e-12);
  CHECK(fact(*motion, "joint_error") == 0.0);
  const SceneGeometry seen = motion->surfaces();
  REQUIRE(seen.bodies.size() == 4 * 13);
  CHECK(seen.obstacles.size() == 1);
  drive(*motion, 80, newton);
  const MotionProblem step = motion->problem();
  const Subsystems& data = *step.problem.subsystems();
  const std::vector<int> owner = data.owner();
  for (std::size_t p = 1; p < data.last.size(); ++p)
    if (data.constraint[p] == data.constraint[p - 1])
      CHECK(owner[static_cast<std::size_t>(data.last[p])] == owner[static_cast<std::size_t>(data.last[p - 1])]);
  CHECK(step.gaps.size() > 12);
  CHECK(robots_in_time("8", "floor")->velocity().size() == 144);
  CHECK(robots_in_time("27", "heap")->velocity().size() == 486);
}

TEST_CASE("robots go on from a state to the last bit, and refuse what is none of theirs") {
  const auto motion = robots_in_time("2", "heap"), other = robots_in_time("2", "heap");
  CHECK(same_bytes(motion->problem().problem, other->problem().problem));
  CHECK(robots_in_time("2", "heap", 2)->state().values != motion->state().values);
  drive(*motion, 60, newton);
  other->restore(motion->state());
  CHECK(same_bytes(motion->problem().problem, other->problem().problem));
  CHECK(motion->problem().keys == other->problem().keys);
  CHECK(other->state().values == motion->state().values);
  CHECK(other->step() == 60);

  using Catch::Contains;
  MotionState state = motion->state();
  state.values[40] = std::numeric_limits<double>::infinity();
  CHECK_THROWS_WITH(other->restore(state), Contains("number 40 is inf"));
  state = motion->state();
  state.values[3] += 0.1;
  CHECK_THROWS_WITH(other->restore(state), Contains("quaternion of robot 0 has norm"));
  state.values.conservativeResize(12);
  CHECK_THROWS_WITH(other->restore(state), Contains("state has 12 numbers, expected 76 of 2 robots"));
  state = motion->state();
  state.scene = "drum";
  CHECK_THROWS_WITH(other->restore(state), Contains("expected 'quadrupeds'"));
  CHECK(other->state().values == motion->state().values);
  CHECK_THROWS_WITH(other->advance(Vector::Zero(7), Vector()), Contains("has 7 entries, expected 36"));
  CHECK_THROWS_WITH(other->advance(Vector::Constant(36, 1e11), Vector()), Contains("the motion has broken down"));
}

TEST_CASE("links touch that are more than two joints apart") {
  const Tree tree(laikago());
  CHECK_FALSE(may_touch(tree, 0, 0));  // trunk
  CHECK_FALSE(may_touch(tree, 0, 1));  // its hip
  CHECK_FALSE(may_touch(tree, 2, 0));  // thigh
  CHECK(may_touch(tree, 0, 3));        // calf
  CHECK_FALSE(may_touch(tree, 3, 2));
  CHECK_FALSE(may_touch(tree, 1, 4));  // two hips
  CHECK(may_touch(tree, 2, 4));
  CHECK(may_touch(tree, 3, 12));
}

TEST_CASE("robots and worlds that cannot be are refused by name") {
  const auto made = [](const auto& change) {
    auto model = std::make_shared<RobotModel>(RobotModel{Tree(laikago()), laikago_shapes()});
    ArticulatedWorldSettings settings = robot_settings();
    Robot robot{model, model->tree.rest(), Vector::Zero(18)};
    change(settings, robot, *model);
    ArticulatedWorld world(settings, {robot}, {{HalfSpace{}}});
  };
  using Catch::Contains;
  CHECK_NOTHROW(made([](auto&, auto&, auto&) {}));
  CHECK_THROWS_WITH(made([](auto& s, auto&, auto&) { s.time_step = 0.0; }), Contains("time step"));
  CHECK_THROWS_WITH(made([](auto& s, auto&, auto&) { s.friction = -0.1; }), Contains("friction of the contacts is -0.1"));
  CHECK_THROWS_WITH(made([](auto& s, auto&, auto&) { s.envelope = -1.0; }), Contains("envelope is -1 m"));
  CHECK_THROWS_WITH(made([](auto& s, auto&, auto&) { s.limit_margin = -1.0; }), Contains("margin of joint limits is -1"));
  CHECK_THROWS_WITH(made([](auto& s, auto&, auto&) { s.joint_damping = -1.0; }), Contains("damping of joints is -1"));
  CHECK_THROWS_WITH(made([](auto&, auto& r, auto&) { r.velocity.resize(17); }),
                    Contains("robot 0 has 17 velocities and 13 joint angles, expected 18 and 13"));
  CHECK_THROWS_WITH(made([](auto&, auto&, auto& m) { m.shapes[2].link = 13; }),
                    Contains("shape 2 of robot 0 is on link 13, expected a number below 13"));
  CHECK_THROWS_WITH(made([](auto&, auto&, auto& m) { m.shapes[3].shape = Sphere{0.0}; }), Contains("shape 3 of robot 0"));
  const auto scene = [](const char* name, const char* value) { scene_in_time("quadrupeds", {{name, value}}); };
  CHECK_THROWS_WITH(scene("count", "0"), Contains("count"));
  CHECK_THROWS_WITH(scene("arrangement", "wall"), Contains("arrangement"));
  CHECK_THROWS_WITH(scene("drop", "-1"), Contains("drop"));
  CHECK_THROWS_WITH(scene("limit_margin", "-1"), Contains("limit_margin"));
}
