#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "problems/dynamics/state.hpp"
#include "problems/registry.hpp"
#include "tests/problems/moving_world.hpp"
#include "tests/problems/same_bytes.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// Two bodies on a joint, one of them over a floor, and a pseudo-rigid body above.
WorldParts mixed_parts() {
  MovingBody sphere = moving_sphere(1.0, 0.1);
  sphere.position = {0.0, 0.0, 0.1 - 1e-9};
  sphere.velocity = {0.4, 0.1, 0.0};
  sphere.spin = {1.0, 2.0, 3.0};
  MovingBody brick = moving_box(2.0, {0.2, 0.1, 0.05});
  brick.position = {0.0, 0.0, 0.5};
  brick.spin = {0.3, -0.2, 0.1};
  PseudoRigidBody soft = pseudo_rigid_ellipsoid({0.1, 0.06, 0.08}, 100.0, 1e6, 0.25, 1e-3);
  soft.position = {1.0, 0.0, 1.0};
  soft.deformation(0, 1) = 0.01;
  WorldParts parts{{sphere, brick}, {soft}, {shaking(Vector3::Zero(), {}, {0.01, 0.0, 0.0}, 20.0)}, {}, {}};
  parts.joints.push_back(joint_here(parts, JointKind::spherical, 0, 1, {0.0, 0.0, 0.3}));
  parts.contacts = [](const Configuration& at) -> std::vector<WorldContact> {
    WorldContact contact = plane_contact(at, at.bodies[0].position - Vector3(0.0, 0.0, 0.1), 0.3);
    contact.key.body_b = 3;
    return {contact};
  };
  return parts;
}

World mixed_world() { return World(settings_of(Stepping::moreau_midpoint, 2e-3), mixed_parts()); }

}  // namespace

TEST_CASE("a world goes on from a state with the same bytes") {
  World world = mixed_world(), again = mixed_world();
  for (int n = 0; n < 10; ++n) take_step(world);
  const MotionState state = world.state();
  CHECK(state.values.size() == 13 + 13 + 24);
  CHECK(state.step == 10);
  CHECK(state.scene == "test");
  again.restore(state);
  for (int n = 0; n < 10; ++n) {
    CHECK(same_bytes(world.problem().problem, again.problem().problem));
    CHECK(world.problem().keys == again.problem().keys);
    take_step(world);
    take_step(again);
    CHECK(world.state().values == again.state().values);
  }
  CHECK(world.step() == 20);
  CHECK(world.time() == again.time());
  CHECK(world.velocity().size() == 24);
}

TEST_CASE("blocks of a step are contacts and then rows of joints, with their keys and frames") {
  const World world = mixed_world();
  const MotionProblem step = world.problem();
  REQUIRE(step.keys.size() == 4);
  CHECK(step.frames.size() == 1);
  CHECK(step.keys[0] == ContactKey{0, 3, 0, 0, 0});
  CHECK(step.keys[3] == ContactKey{0, 1, ContactKey::joint_row, 0, 2});
  CHECK(step.problem.constraints().kind(0) == ConstraintKind::contact);
  CHECK(step.problem.constraints().kind(1) == ConstraintKind::bilateral);
  CHECK((step.frames[0].transpose() * step.frames[0] - Matrix3::Identity()).norm() < 1e-15);
  CHECK(step.frames[0].col(0) == Vector3(0.0, 0.0, -1.0));
  CHECK(step.problem.global().H.rows() == 24);
}

TEST_CASE("states of other scenes and damaged ones are refused by name") {
  World world = mixed_world();
  const MotionState good = world.state();
  const auto refused = [&](const MotionState& state, const std::string& text) {
    CAPTURE(text);
    CHECK_THROWS_WITH(world.restore(state), Catch::Contains(text));
    CHECK(world.state().values == good.values);
    CHECK(world.step() == 0);
  };
  MotionState state = good;
  state.scene = "drum";
  refused(state, "state is of 'drum', expected 'test'");
  state = good;
  state.step = -1;
  refused(state, "step -1");
  state = good;
  state.values.conservativeResize(49);
  refused(state, "49 numbers, expected 50");
  state = good;
  state.values[20] = not_a_number;
  refused(state, "damaged state: number 20 is nan");
  state = good;
  state.values[3] = 0.5;
  refused(state, "damaged state: quaternion of body 0");
  state = good;
  state.values.segment<9>(26 + 3) *= -1.0;
  refused(state, "damaged state: body 2 is deformed to");
  CHECK_NOTHROW(world.restore(good));
}

TEST_CASE("steps that cannot be taken are refused") {
  World world = mixed_world();
  const Vector none;
  CHECK_THROWS_WITH(world.advance(Vector::Zero(23), none), Catch::Contains("23 entries, expected 24"));
  Vector v = Vector::Zero(24);
  v[7] = not_a_number;
  CHECK_THROWS_WITH(world.advance(v, none), Catch::Contains("solution of step 0 is not finite"));
  const Vector wild = Vector::Constant(24, 1e12);
  CHECK_THROWS_WITH(world.advance(wild, none),
                    Catch::Contains("step 0 would move a body by") && Catch::Contains("broken down"));
  const Vector before = world.state().values;
  Vector mirrors = world.velocity();
  mirrors[12 + 3] = -1500.0;  // dF_xx/dt of body 2: F_xx becomes -0.5
  CHECK_THROWS_WITH(world.advance(mirrors, none),
                    Catch::Contains("step 0 would turn body 2 inside out, det F = -0.5: its material is too soft"));
  CHECK(world.state().values == before);
  CHECK(world.step() == 0);
}

namespace {

/// What the constructor of a world says of a change to good parts.
template <typename Change>
void refused(const Change& change, const std::string& text) {
  CAPTURE(text);
  WorldSettings settings = settings_of(Stepping::moreau_midpoint, 0.01);
  WorldParts parts = mixed_parts();
  change(settings, parts);
  CHECK_THROWS_AS(World(settings, parts), InputError);
  CHECK_THROWS_WITH(World(settings, parts), Catch::Contains(text));
}

}  // namespace

TEST_CASE("bad worlds are refused by name") {
  refused([](auto& s, auto&) { s.time_step = 0.0; }, "time step is 0 s, expected > 0");
  refused([](auto& s, auto&) { s.time_step = -1e-3; }, "time step is -0.001 s");
  refused([](auto& s, auto&) { s.time_step = not_a_number; }, "time step is nan s");
  refused([](auto& s, auto&) { s.gravity[1] = not_a_number; }, "gravity is nan");
  refused([](auto& s, auto&) { s.restitution = 1.5; }, "restitution is 1.5");
  refused([](auto& s, auto&) { s.stepping = Stepping::velocity_impulse; }, "pseudo-rigid bodies with velocity_impulse");
  refused([](auto&, auto& p) { p.bodies[1].mass = 0.0; }, "mass of body 1 is 0 kg, expected > 0");
  refused([](auto&, auto& p) { p.bodies[0].inertia[2] = -1.0; }, "principal moment of inertia of body 0 is -1 kg m²");
  refused([](auto&, auto& p) { p.bodies[0].attitude = {0.0, 0.0, 0.0, 0.0}; }, "quaternion of body 0 has norm 0");
  refused([](auto&, auto& p) { p.bodies[0].attitude.x = not_a_number; }, "quaternion of body 0 has norm nan");
  refused([](auto&, auto& p) { p.bodies[1].velocity[0] = INFINITY; }, "velocity of body 1 is inf");
  refused([](auto&, auto& p) { p.bodies[1].force[0] = not_a_number; }, "force on body 1 is nan");
  refused([](auto&, auto& p) { p.pseudo_rigid[0].radii[1] = -0.1; }, "radius of body 2 is -0.1 m, expected > 0");
  refused([](auto&, auto& p) { p.pseudo_rigid[0].mass = 0.0; }, "mass of body 2 is 0 kg");
  refused([](auto&, auto& p) { p.pseudo_rigid[0].deformation(2, 2) = -1.0; }, "body 2 is deformed to -1 times");
  refused([](auto&, auto& p) { p.pseudo_rigid[0].damping = -1.0; }, "damping of body 2");
  refused([](auto&, auto& p) { p.joints[0].second = 4; },
          "joint 0 holds body 4, expected the ground (-1) or a number below 4");
  refused([](auto&, auto& p) { p.joints[0].second = 2; }, "joint 0 holds the pseudo-rigid body 2");
  refused([](auto&, auto& p) { p.joints[0].first = 1; }, "joint 0 holds 1 and 1");
  refused([](auto&, auto& p) { p.joints[0].first = Joint::ground, p.joints[0].second = 3; }, "one of them a body");
  refused([](auto&, auto& p) { p.joints[0].on_first.axes(0, 0) = 2.0; }, "axes of joint 0 are no right-handed frame");
  refused([](auto&, auto& p) { p.joints[0].motor = [](double) { return MotorTarget{}; }; },
          "joint 0 is spherical and has a motor");
  refused([](auto&, auto& p) { p.joints[0].until = p.joints[0].from = 1.0; }, "joint 0 lasts from 1 s until 1 s");
  CHECK_THROWS_WITH(moving_sphere(1.0, -0.5), Catch::Contains("radius of a sphere is -0.5 m, expected > 0"));
  CHECK_THROWS_WITH(moving_sphere(0.0, 0.5), Catch::Contains("mass of a sphere is 0 kg"));
  CHECK_THROWS_WITH(moving_box(1.0, {0.1, 0.0, 0.1}), Catch::Contains("half length of a box is 0 m"));
  CHECK_THROWS_WITH(moving_ellipsoid(1.0, {0.1, not_a_number, 0.1}), Catch::Contains("radius of an ellipsoid is nan m"));
  CHECK_THROWS_WITH(pseudo_rigid_ellipsoid({0.1, 0.1, 0.1}, 100.0, 1e6, 0.5, 0.0), Catch::Contains("Poisson's ratio"));
  CHECK_THROWS_WITH(pseudo_rigid_ellipsoid({0.1, 0.1, 0.1}, 100.0, -1e6, 0.2, 0.0), Catch::Contains("Young's modulus"));
  CHECK_NOTHROW(mixed_world());
}

TEST_CASE("contacts out of order or with what is not there are refused by name") {
  const auto found = [](std::vector<WorldContact> contacts) {
    WorldParts parts = mixed_parts();
    parts.contacts = [contacts](const Configuration&) { return contacts; };
    return World(settings_of(Stepping::moreau_midpoint, 0.01), parts).problem();
  };
  WorldContact contact;
  contact.key = {0, 3, 0, 0, 0};
  WorldContact second = contact;
  second.key.feature_a = 1;
  CHECK(found({contact, second}).keys.size() == 2 + 3);
  CHECK_THROWS_WITH(found({second, contact}), Catch::Contains("is not after the one before it"));
  CHECK_THROWS_WITH(found({contact, contact}), Catch::Contains("is not after the one before it"));
  second.key = {3, 4, 0, 0, 0};
  CHECK_THROWS_WITH(found({contact, second}),
                    Catch::Contains("contact (3, 4, 0, 0, 0) is between 3 and 4, expected a body"));
  second.key = {1, 1, 0, 0, 0};
  CHECK_THROWS_AS(found({second}), InputError);
  second = contact;
  second.normal *= 2.0;
  CHECK_THROWS_WITH(found({second}), Catch::Contains("normal length 2"));
  second = contact;
  second.gap = not_a_number;
  CHECK_THROWS_WITH(found({second}), Catch::Contains("gap nan m"));
}

TEST_CASE("the problem of a scene that moves is that of its first step") {
  int moving = 0;
  for (const std::string& name : scene_names()) {
    CAPTURE(name);
    const auto motion = make_scene(name)->motion(1);
    if (motion == nullptr) continue;
    ++moving;
    const MotionProblem first = motion->problem();
    const ContactProblem built = make_scene(name)->build(1);
    CHECK(first.problem.rows() == built.rows());
    CHECK(first.problem.name() == built.name());
    CHECK(motion->state().scene == name);
    CHECK(motion->step() == 0);
    CHECK(first.keys.size() == static_cast<std::size_t>(first.problem.constraints().count()));
    if (name != "guided_stack") CHECK(same_bytes(first.problem, built));  // whose rows are in another order
  }
  CHECK(moving == 20);
}
