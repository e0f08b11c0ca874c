#include <Eigen/LU>
#include <catch2/catch.hpp>
#include <cmath>

#include "core/error.hpp"
#include "problems/dynamics/shaped_contacts.hpp"
#include "problems/geometry/find_contacts.hpp"
#include "problems/random.hpp"
#include "tests/problems/moving_world.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

/// One pseudo-rigid ellipsoid over a floor, deformed by F.
World soft_world(const Vector3& radii, const Matrix3& F, double height, double envelope) {
  PseudoRigidBody soft = pseudo_rigid_ellipsoid(radii, 100.0, 1e6, 0.25, 1e-3);
  soft.position = {0.0, 0.0, height};
  soft.deformation = F;
  WorldParts parts{
      {}, {soft}, {resting(Vector3::Zero())}, {}, shape_contacts({{Ellipsoid{radii}}, {HalfSpace{}}, envelope})};
  return World(settings_of(Stepping::moreau_midpoint, 1e-3), parts);
}

/// Contacts of one configuration of two bodies.
std::vector<WorldContact> contacts_between(const Shape& first, const Placement& at, const Shape& second,
                                           const Placement& there) {
  Configuration now;
  now.bodies = {at, there};
  now.present = {true, true};
  return shape_contacts({{first, second}, {}, 0.5, 0.3})(now);
}

/// Two spheres of radius 0.1 that overlap by 0.02, tied together until 0.05 s.
WorldParts tied_spheres() {
  MovingBody sphere = moving_sphere(1.0, 0.1);
  WorldParts parts{{sphere, sphere}, {}, {resting(Vector3::Zero())}, {}, {}};
  parts.bodies[0].position = {0.0, 0.0, 1.0};
  parts.bodies[1].position = {0.18, 0.0, 1.0};
  parts.joints = {joint_here(parts, JointKind::fixed, 1, 0, {0.09, 0.0, 1.0})};
  parts.joints[0].until = 0.05;
  parts.contacts = shape_contacts({{Sphere{0.1}, Sphere{0.1}}, {HalfSpace{}}, 0.01});
  return parts;
}

}  // namespace

TEST_CASE("contacts of shapes have the names, gaps and places that the geometry finds") {
  const Placement box{{0.0, 0.0, 0.0}, Matrix3::Identity()}, sphere{{0.0, 0.0, 0.3}, Matrix3::Identity()};
  const auto found = contacts_between(Box{{0.2, 0.1, 0.1}}, box, Sphere{0.15}, sphere);
  REQUIRE(found.size() == 1);
  CHECK(found[0].key == ContactKey{0, 1, static_cast<int>(ContactKind::smooth), 0, 0});
  CHECK(found[0].gap == Approx(0.05));
  CHECK(found[0].normal == Vector3::UnitZ());
  CHECK(found[0].point.isApprox(Vector3(0.0, 0.0, 0.125)));
  CHECK(found[0].friction == 0.3);
  CHECK(found[0].size == 0.1);
  const auto faces =
      contacts_between(Box{{0.2, 0.1, 0.1}}, box, Box{{0.1, 0.1, 0.1}}, {{0.0, 0.0, 0.2}, Matrix3::Identity()});
  REQUIRE(faces.size() == 4);
  for (const WorldContact& contact : faces) CHECK(contact.key.kind == static_cast<int>(ContactKind::face));
  CHECK(faces[0].key < faces[1].key);
}

TEST_CASE("an ellipsoid deformed by F is the one with S = F diag(r²) Fᵀ") {
  Random random(11);
  for (int trial = 0; trial < 20; ++trial) {
    // F = Q diag(t) Rᵀ diag(1/r) makes the ellipsoid of half axes t along Q of the one with radii r, whatever R.
    const Vector3 r(0.3, 0.2, 0.15), t(random.uniform(0.1, 0.3), random.uniform(0.1, 0.3), random.uniform(0.1, 0.3));
    const Matrix3 Q = random.rotation(), R = random.rotation();
    const Matrix3 F = Q * t.asDiagonal() * R.transpose() * r.cwiseInverse().asDiagonal();
    const Placement deformed{{0.0, 0.0, 0.0}, F}, turned{{0.0, 0.0, 0.0}, Q};
    const Placement other{0.5 * random.direction(), random.rotation()};
    for (const Shape& partner : {Shape(Ellipsoid{{0.1, 0.2, 0.15}}), Shape(Sphere{0.12}), Shape(Box{{0.1, 0.15, 0.12}})}) {
      CAPTURE(trial, shape_name(partner));
      const auto soft = contacts_between(Ellipsoid{r}, deformed, partner, other);
      const auto rigid = contacts_between(Ellipsoid{t}, turned, partner, other);
      REQUIRE(soft.size() == 1);
      REQUIRE(rigid.size() == 1);
      CHECK(soft[0].gap == Approx(rigid[0].gap).margin(1e-12));
      CHECK((soft[0].normal - rigid[0].normal).norm() < 1e-7);
      CHECK((soft[0].point - rigid[0].point).norm() < 1e-7);
    }
  }
}

TEST_CASE("a stretched soft body touches the floor sooner") {
  const Vector3 radii(0.1, 0.1, 0.1);
  const Matrix3 stretched = Vector3(1.0, 1.0, 1.5).asDiagonal();
  CHECK(soft_world(radii, Matrix3::Identity(), 0.14, 0.0).deepest_gap() == 0.0);
  CHECK(soft_world(radii, stretched, 0.14, 0.0).deepest_gap() == Approx(-0.01));
  CHECK(soft_world(radii, stretched, 0.14, 0.0).problem().keys.size() == 1);
  CHECK(soft_world(radii, Matrix3::Identity(), 0.14, 0.0).problem().keys.empty());
}

TEST_CASE("two that a joint holds have no contact until it ends") {
  for (const Stepping stepping : {Stepping::velocity_impulse, Stepping::moreau_midpoint}) {
    World world(settings_of(stepping, 0.01, Vector3::Zero()), tied_spheres());
    for (int n = 0; n < 5; ++n) {
      CHECK(world.deepest_gap() == 0.0);
      const Step step = take_step(world);
      CHECK(step.problem.keys.size() == 6);
      CHECK(step.problem.gaps.empty());
    }
    CHECK(world.deepest_gap() == Approx(-0.02));
    CHECK(world.missed() == 1);
    const MotionProblem freed = world.problem();
    REQUIRE(freed.keys == std::vector<ContactKey>{{0, 1}});
    CHECK(freed.gaps[0] == Approx(-0.02));
  }
}

TEST_CASE("a body that tunnels is deep and missed, and known in the next step") {
  for (const Stepping stepping : {Stepping::velocity_impulse, Stepping::moreau_midpoint}) {
    const bool midpoint = stepping == Stepping::moreau_midpoint;
    CAPTURE(midpoint);
    MovingBody fast = moving_sphere(1.0, 0.1);
    fast.velocity = {0.0, 0.0, -10.0};
    // Falls 0.1 m a step, and does not touch before the last quarter of it.
    fast.position = {0.0, 0.0, 0.175};
    const ContactFinder contacts = shape_contacts({{Sphere{0.1}}, {HalfSpace{}}, midpoint ? 0.0 : 0.01});
    World world(settings_of(stepping, 0.01, Vector3::Zero()), {{fast}, {}, {resting(Vector3::Zero())}, {}, contacts});
    CHECK(world.missed() == 0);
    CHECK(take_step(world).problem.keys.empty());
    CHECK(world.deepest_gap() == Approx(-0.025));
    CHECK(world.missed() == 1);
    CHECK(world.facts()[3].name == "deepest_gap");
    CHECK(world.facts()[3].value == world.deepest_gap());
    CHECK(world.facts()[4].value == 1.0);
    CHECK(take_step(world).problem.keys.size() == 1);
    CHECK(world.missed() == 0);
  }
}

TEST_CASE("bodies that have not entered touch nothing") {
  MovingBody sphere = moving_sphere(1.0, 0.1);
  WorldParts parts{{sphere, sphere}, {}, {resting(Vector3::Zero())}, {}, {}};
  parts.bodies[0].position = {0.0, 0.0, 0.1};
  parts.bodies[1].position = {0.15, 0.0, 0.1};
  parts.bodies[1].enters = 0.02;
  parts.contacts = shape_contacts({{Sphere{0.1}, Sphere{0.1}}, {HalfSpace{}}, 0.01});
  World world(settings_of(Stepping::velocity_impulse, 0.01, Vector3::Zero()), parts);
  CHECK(world.problem().keys == std::vector<ContactKey>{{0, 2}});
  take_step(world);
  take_step(world);
  CHECK(world.problem().keys.size() == 3);
}

TEST_CASE("contacts without friction are unilateral rows, others have three") {
  MovingBody body;
  const auto kind = [&](double friction, double cohesion) {
    const ContactFinder contacts = [=](const Configuration& at) -> std::vector<WorldContact> {
      WorldContact contact = point_on_plane(friction)(at).front();
      contact.cohesion = cohesion;
      return {contact};
    };
    const World world(settings_of(Stepping::velocity_impulse, 0.01), {{body}, {}, {resting(Vector3::Zero())}, {}, contacts});
    return world.problem().problem.constraints().kind(0);
  };
  CHECK(kind(0.0, 0.0) == ConstraintKind::unilateral);
  CHECK(kind(0.1, 0.0) == ConstraintKind::contact);
  CHECK(kind(0.0, 0.1) == ConstraintKind::contact);
}

TEST_CASE("shapes that cannot be are refused by name") {
  CHECK_THROWS_WITH(shape_contacts({{Sphere{0.1}, Sphere{-0.1}}, {}, 0.1}), Catch::Contains("body 1"));
  CHECK_THROWS_WITH(shape_contacts({{Sphere{0.1}, Sphere{-0.1}}, {}, 0.1}), Catch::Contains("-0.1 m, expected more than 0"));
  CHECK_THROWS_WITH(shape_contacts({{Drum{}}, {}, 0.1}), Catch::Contains("expected a sphere, an ellipsoid or a box"));
  CHECK_THROWS_WITH(shape_contacts({{}, {Drum{0.0}}, 0.1}), Catch::Contains("obstacle 0"));
  CHECK_THROWS_WITH(shape_contacts({{}, {}, -0.1}), Catch::Contains("envelope is -0.1 m, expected >= 0"));
  CHECK_THROWS_WITH(shape_contacts({{}, {}, 0.1, -1.0}), Catch::Contains("friction of the contacts is -1, expected >= 0"));
}
