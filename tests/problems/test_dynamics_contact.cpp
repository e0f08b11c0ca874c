#include <Eigen/Geometry>
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <memory>

#include "tests/problems/constants.hpp"
#include "tests/problems/moving_world.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

const PrescribedMotion floor_at_rest = resting(Vector3::Zero());

struct Slide {
  int steps = 0;
  double distance = 0.0, highest = 0.0;
};

/// A point mass thrown along x at 3.924 m/s on a floor with μ = 0.4, until it rests.
Slide slide(Stepping stepping, Model model, double start_gap) {
  MovingBody body;
  body.position = {0.0, 0.0, start_gap};
  body.velocity = {3.924, 0.0, 0.0};
  World world(settings_of(stepping, 0.01), {{body}, {}, {floor_at_rest}, {}, point_on_plane(0.4)});
  Slide result;
  while (std::abs(world.bodies()[0].velocity[0]) > 1e-9 && result.steps < 500) {
    take_step(world, model);
    ++result.steps;
    result.highest = std::max(result.highest, world.bodies()[0].position[2]);
  }
  result.distance = world.bodies()[0].position[0];
  return result;
}

}  // namespace

TEST_CASE("a point mass slides as far as friction lets it") {
  const Slide ncp = slide(Stepping::velocity_impulse, Model::ncp, 0.0);
  CHECK(ncp.steps == 100);
  CHECK(ncp.distance == Approx(1.94238).epsilon(1e-9));
  const Slide midpoint = slide(Stepping::moreau_midpoint, Model::ncp, -1e-9);
  CHECK(midpoint.steps == 100);
  CHECK(midpoint.distance == Approx(1.962).epsilon(1e-9));
  const Slide ccp = slide(Stepping::velocity_impulse, Model::ccp, 0.01 * 0.4 * 3.924);
  CHECK(ccp.steps == 101);
  CHECK(ccp.distance == Approx(1.948648).epsilon(3e-7));
  CHECK(ccp.highest < 0.0157);
  // Started at Φ = 0 the convex model throws it.
  CHECK(slide(Stepping::velocity_impulse, Model::ccp, 0.0).highest == Approx(0.098).epsilon(0.01));
}

TEST_CASE("a block rests on a slope below the friction angle and slides down above it") {
  const double alpha = 0.4;
  const Vector3 half(0.3, 0.2, 0.1);
  const Quaternion tilted = slope(alpha);
  const Vector3 down = rotation_matrix(tilted).col(0), up = rotation_matrix(tilted).col(2);
  for (const double factor : {1.0 + 1e-3, 1.0 - 1e-3}) {
    for (const Stepping stepping : {Stepping::velocity_impulse, Stepping::moreau_midpoint}) {
      CAPTURE(factor, int(stepping));
      MovingBody block = moving_box(2.0, half);
      block.attitude = tilted;
      block.position = (half[2] - (stepping == Stepping::moreau_midpoint ? 1e-9 : 0.0)) * up;
      const double mu = factor * std::tan(alpha);
      World world(settings_of(stepping, 0.01),
                  {{block}, {}, {resting(Vector3::Zero(), tilted)}, {}, box_on_plane(half, mu)});
      for (int n = 0; n < 20; ++n) take_step(world);
      const double expected = factor > 1.0 ? 0.0 : 0.2 * g * (std::sin(alpha) - mu * std::cos(alpha));
      const Vector3& v = world.bodies()[0].velocity;
      CHECK(std::abs(v.dot(down) - expected) < 1e-12);
      CHECK(std::abs(v.dot(up)) < 1e-12);
      CHECK(world.bodies()[0].spin.norm() < 1e-12);
    }
  }
}

TEST_CASE("a sphere on a slope rolls, or slides where friction is too small") {
  const double h = 0.01, r = 0.2;
  for (const double degrees : {20.0, 60.0}) {
    const double alpha = degrees * 3.141592653589793 / 180.0, mu = 0.3;
    const Quaternion tilted = slope(alpha);
    const Vector3 down = rotation_matrix(tilted).col(0), up = rotation_matrix(tilted).col(2);
    MovingBody sphere = moving_sphere(3.0, r);
    sphere.position = r * up;
    World world(settings_of(Stepping::velocity_impulse, h),
                {{sphere}, {}, {resting(Vector3::Zero(), tilted)}, {}, sphere_on_plane(r, mu)});
    for (int n = 1; n <= 50; ++n) {
      take_step(world);
      const double speed = world.bodies()[0].velocity.dot(down), spin = world.bodies()[0].spin[1];
      CHECK(speed == Approx((degrees == 20.0 ? 2.396584 : 7.024209) * n * h).epsilon(3e-7));
      if (degrees == 20.0) CHECK(speed - r * spin == Approx(0.0).margin(1e-9));
      if (degrees == 60.0) CHECK(spin == Approx(2.5 * mu * g * std::cos(alpha) / r * n * h));
      CHECK(std::abs(world.bodies()[0].velocity.dot(up)) < 1e-9);
    }
  }
}

TEST_CASE("a dropped sphere leaves with e times the velocity it came with") {
  for (const Stepping stepping : {Stepping::velocity_impulse, Stepping::moreau_midpoint}) {
    MovingBody sphere = moving_sphere(1.0, 0.1);
    sphere.position = {0.0, 0.0, 0.6};
    WorldSettings settings = settings_of(stepping, 0.003);
    settings.restitution = 0.5;
    World world(settings, {{sphere}, {}, {floor_at_rest}, {}, sphere_on_plane(0.1, 0.0)});
    int bounces = 0;
    for (int n = 0; n < 400; ++n) {
      const double before = world.bodies()[0].velocity[2];
      take_step(world);
      const double after = world.bodies()[0].velocity[2];
      if (bounces > 0 || after <= 0.0) continue;
      ++bounces;
      CHECK(after == Approx(-0.5 * before).epsilon(1e-12));
      CHECK(before < -3.0);
    }
    CHECK(bounces == 1);
  }
}

TEST_CASE("without restitution a body comes down to the floor, not to the air above it") {
  MovingBody sphere = moving_sphere(1.0, 0.1);
  sphere.position = {0.0, 0.0, 0.1503};
  World world(settings_of(Stepping::velocity_impulse, 0.01), {{sphere}, {}, {floor_at_rest}, {}, sphere_on_plane(0.1, 0.0)});
  bool landed = false;
  for (int n = 0; n < 40; ++n) {
    const double before = world.bodies()[0].velocity[2];
    take_step(world);
    if (landed || world.bodies()[0].velocity[2] < before) continue;  // the first step with an impulse
    landed = true;
    CHECK(world.bodies()[0].position[2] == Approx(0.1).epsilon(1e-14));
  }
  CHECK(landed);
}

TEST_CASE("a body on a turning disc and on a shaken floor moves with it while it sticks") {
  const double h = 0.01;
  for (const Stepping stepping : {Stepping::velocity_impulse, Stepping::moreau_midpoint}) {
    const bool midpoint = stepping == Stepping::moreau_midpoint;
    for (const bool disc : {true, false}) {
      CAPTURE(midpoint, disc);
      const PrescribedMotion motion = disc ? gliding({0.1, 0.0, 0.0}, {}, Vector3::Zero(), {0.0, 0.0, 2.0})
                                           : shaking(Vector3::Zero(), {}, {0.01, 0.02, 0.0}, 12.0);
      MovingBody body;
      body.position = {0.3, 0.2, -1e-9};
      body.velocity = motion(0.0).velocity_at(body.position);
      World world(settings_of(stepping, h), {{body}, {}, {motion}, {}, point_on_plane(0.9)});
      for (int n = 0; n < 100; ++n) {
        const Vector3 place = world.bodies()[0].position;
        const Vector3 at = midpoint ? Vector3(place + 0.5 * h * world.bodies()[0].velocity) : place;
        const ObstacleFrame geometry = motion(world.time() + (midpoint ? 0.5 * h : 0.0));
        const ObstacleFrame floor = motion(world.time() + h);
        const Step step = take_step(world);
        REQUIRE(step.problem.keys.size() == 1);
        const Vector3 expected = floor.velocity + floor.spin.cross(Vector3(at - geometry.position));
        CHECK((world.bodies()[0].velocity - expected).head<2>().norm() < 1e-12);
        Vector v, u;
        step.problem.problem.local_velocity(step.impulse, v, u);
        CHECK(u.norm() < 1e-12);
      }
    }
  }
}

TEST_CASE("a body that an accelerating floor carries keeps its gap") {
  const double h = 1e-3, start = -1e-9;
  const PrescribedMotion lift = sweeping(Vector3::Zero(), {}, {0.0, 0.0, 5.0}, std::make_shared<const SineSweep>(0.5, 1.0));
  MovingBody body;
  body.position = {0.0, 0.0, start};
  World world(settings_of(Stepping::moreau_midpoint, h), {{body}, {}, {lift}, {}, point_on_plane(0.0)});
  double farthest = 0.0;
  for (int n = 0; n < 1000; ++n) {
    take_step(world);
    farthest = std::max(farthest, std::abs(world.bodies()[0].position[2] - lift(world.time()).position[2] - start));
  }
  // The error of a step is of third order in h. The velocity of the floor at the half step would add h²/2 of its
  // acceleration: 1.1 mm in all.
  CHECK(farthest < 1e-6);
}

TEST_CASE("the floor comes up: an obstacle's velocity enters the normal row") {
  MovingBody body;
  body.position = {0.0, 0.0, 0.0};
  const PrescribedMotion lift = gliding(Vector3::Zero(), {}, {0.0, 0.0, 0.7}, Vector3::Zero());
  World world(settings_of(Stepping::velocity_impulse, 0.01), {{body}, {}, {lift}, {}, point_on_plane(0.0)});
  for (int n = 1; n <= 10; ++n) {
    take_step(world);
    CHECK(world.bodies()[0].velocity[2] == Approx(0.7));
    CHECK(world.bodies()[0].position[2] == Approx(0.007 * n));
  }
}

TEST_CASE("a contact of the midpoint rule takes part only where bodies overlap at the half step") {
  MovingBody body;
  body.velocity = {0.0, 0.0, -1.0};
  body.position = {0.0, 0.0, 0.0051};
  const WorldParts parts{{body}, {}, {floor_at_rest}, {}, point_on_plane(0.0)};
  CHECK(World(settings_of(Stepping::moreau_midpoint, 0.01), parts).problem().keys.empty());
  CHECK(World(settings_of(Stepping::velocity_impulse, 0.01), parts).problem().keys.size() == 1);
  WorldParts nearer = parts;
  nearer.bodies[0].position[2] = 0.0049;
  const MotionProblem problem = World(settings_of(Stepping::moreau_midpoint, 0.01), nearer).problem();
  REQUIRE(problem.gaps.size() == 1);
  CHECK(problem.gaps[0] == Approx(-1e-4));
  CHECK(problem.problem.global().b.norm() == 0.0);  // no Φ/h
}

TEST_CASE("a cohesive contact holds a body until its strength is exceeded") {
  MovingBody body;
  body.mass = 2.0;
  ContactFinder sticky = [](const Configuration& at) -> std::vector<WorldContact> {
    WorldContact contact = point_on_plane(0.3)(at).front();
    contact.cohesion = 0.05;
    return {contact};
  };
  const Vector3 upwards(0.0, 0.0, 2.4);  // an impulse of 0.048 a step
  World held(settings_of(Stepping::velocity_impulse, 0.01, upwards), {{body}, {}, {floor_at_rest}, {}, sticky});
  take_step(held);
  CHECK(held.bodies()[0].velocity.norm() < 1e-12);
  World torn(settings_of(Stepping::velocity_impulse, 0.01, 2.0 * upwards), {{body}, {}, {floor_at_rest}, {}, sticky});
  take_step(torn);
  CHECK(torn.bodies()[0].velocity[2] == Approx((0.096 - 0.05) / 2.0));
}
