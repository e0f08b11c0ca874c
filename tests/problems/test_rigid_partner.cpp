#include <Eigen/Geometry>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <memory>

#include "core/error.hpp"
#include "problems/finite_elements/elastic_world.hpp"
#include "problems/random.hpp"
#include "tests/problems/driven_motion.hpp"
#include "tests/problems/moving_world.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

constexpr double gravity = 9.81;

/// A block of 0.1 × 0.1 × 0.2 m, 2 kg, without Poisson's effect: in compression its hexahedra are exact.
std::shared_ptr<const ElasticModel> column() {
  static const auto model =
      std::make_shared<const ElasticModel>(box_mesh({0.1, 0.1, 0.2}, {2, 2, 4}, ElementKind::hexahedron),
                                           ElasticMaterial{1e5, 0.0, 1000.0, 0.0, 0.05}, "the column");
  return model;
}

RigidPartner box_at(double mass, const Vector3& half, const Vector3& place) {
  RigidPartner box{Box{half}, moving_box(mass, half)};
  box.body.position = place;
  return box;
}

RigidPartner ball_at(double mass, double radius, const Vector3& place, const Vector3& velocity = Vector3::Zero()) {
  RigidPartner ball{Sphere{radius}, moving_sphere(mass, radius)};
  ball.body.position = place;
  ball.body.velocity = velocity;
  return ball;
}

ElasticWorldSettings settings_with(double time_step, double pull) {
  ElasticWorldSettings settings;
  settings.name = "partners";
  settings.time_step = time_step;
  settings.gravity = {0.0, 0.0, -pull};
  settings.envelope = 0.002;
  return settings;
}

double total_energy(const ElasticWorld& world) { return fact(world, "kinetic_J") + fact(world, "potential_J"); }

/// Momentum of nodes and rigid bodies: linear, and angular about the origin.
std::pair<Vector3, Vector3> momentum(const ElasticWorld& world) {
  Vector3 linear = Vector3::Zero(), angular = Vector3::Zero();
  for (const ElasticBody& body : world.bodies())
    for (std::size_t node = 0; node < body.places.size(); ++node) {
      const Vector3 part = body.model->masses()[static_cast<Index>(node)] * body.velocities[node];
      linear += part;
      angular += body.places[node].cross(part);
    }
  for (const auto& [shape, body] : world.partners()) {
    linear += body.mass * body.velocity;
    angular += body.mass * body.position.cross(body.velocity) +
               world_inertia(body.inertia, rotation_matrix(body.attitude)) * body.spin;
  }
  return {linear, angular};
}

const std::vector<ElasticObstacle> floor_only{{HalfSpace{}, resting(Vector3::Zero())}};

}  // namespace

TEST_CASE("a rigid box comes to rest on an elastic column where Hooke's law says") {
  const double mass = 3.0;
  ElasticWorld world(settings_with(0.02, gravity), {elastic_body(column(), {0.0, 0.0, 0.1}, Matrix3::Identity())},
                     floor_only, {box_at(mass, {0.08, 0.08, 0.03}, {0.0, 0.0, 0.24})});
  double last = total_energy(world);
  for (int n = 0; n < 39; ++n) {
    take_step(world, Model::ccp, "ipm_cone");
    CHECK(total_energy(world) <= last + 1e-9);
    last = total_energy(world);
  }
  const Step step = take_step(world, Model::ccp, "ipm_cone");
  // m g L/(E A) of the box and ρ g L²/(2 E) of the column's own weight.
  const double sag = mass * gravity * 0.2 / (1e5 * 0.01) + 1000.0 * gravity * 0.04 / 2e5;
  CHECK(0.23 - world.partners().front().body.position[2] == Approx(sag).epsilon(1e-6));
  std::map<int, double> carried;  // by the lower side
  for (std::size_t c = 0; c < step.problem.gaps.size(); ++c)
    carried[step.problem.keys[c].body_b] += step.impulse[static_cast<Index>(c)];
  CHECK(carried[2] == Approx((mass + 2.0) * gravity * 0.02).epsilon(1e-6));  // the floor
  CHECK(carried[1] == Approx(mass * gravity * 0.02).epsilon(1e-6));          // the box
}

TEST_CASE("rigid bodies that strike an elastic bar conserve momentum and gain no energy") {
  for (const Stepping stepping : {Stepping::velocity_impulse, Stepping::moreau_midpoint}) {
    ElasticWorldSettings settings = settings_with(0.002, 0.0);
    settings.stepping = stepping;
    settings.friction = 0.4;
    RigidPartner box = box_at(0.5, {0.03, 0.02, 0.02}, {-0.02, 0.15, 0.06});
    box.body.velocity = {0.1, -1.5, 0.0};
    box.body.spin = {3.0, -2.0, 1.0};
    ElasticWorld world(settings, {elastic_body(column(), Vector3::Zero(), Matrix3::Identity())}, {},
                       {ball_at(1.0, 0.04, {0.115, 0.01, 0.05}, {-2.0, 0.3, 0.1}), box});
    const auto [linear, angular] = momentum(world);
    const double energy = total_energy(world);
    int touching = 0;
    for (int n = 0; n < 60; ++n) {
      const Step step = take_step(world, Model::ccp, "ipm_cone");
      touching += static_cast<int>(step.problem.gaps.size());
      CHECK((momentum(world).first - linear).norm() < 1e-11);
      CHECK(total_energy(world) <= energy * (1.0 + 1e-9));
    }
    CHECK(touching > 5);
    // Torque-free turning and gaps that are not zero leave it to the order of the step.
    CHECK((momentum(world).second - angular).norm() < 0.02 * angular.norm());
    CHECK(world.partners()[0].body.velocity[0] > -1.5);
    CHECK(world.partners()[1].body.velocity[1] > -1.0);
    CHECK(world.deepest_gap() > -5e-4);
  }
}

TEST_CASE("rigid bodies among elastic ones rest on each other and on the floor") {
  ElasticWorld world(settings_with(0.01, gravity), {elastic_body(column(), {1.0, 0.0, 0.1}, Matrix3::Identity())},
                     floor_only, {box_at(2.0, {0.1, 0.1, 0.05}, {0.0, 0.0, 0.05}), ball_at(1.0, 0.05, {0.0, 0.0, 0.15})});
  for (int n = 0; n < 19; ++n) take_step(world, Model::ccp, "ipm_cone");
  const Step step = take_step(world, Model::ccp, "ipm_cone");
  std::map<std::pair<int, int>, double> carried;
  for (std::size_t c = 0; c < step.problem.gaps.size(); ++c)
    carried[{step.problem.keys[c].body_a, step.problem.keys[c].body_b}] += step.impulse[static_cast<Index>(c)];
  CHECK(carried[{1, 2}] == Approx(1.0 * gravity * 0.01).epsilon(1e-8));
  CHECK(carried[{1, 3}] == Approx(3.0 * gravity * 0.01).epsilon(1e-8));
  CHECK(world.partners()[1].body.position[2] == Approx(0.15).epsilon(1e-9));
}

TEST_CASE("a ball falls on bars, goes on from a state to the last bit and is a surface") {
  const auto ball = [] {
    return scene_in_time("deformable_bars", {{"layers", "1"},
                                             {"bars", "1"},
                                             {"cells_along", "6"},
                                             {"cells_across", "2"},
                                             {"time_step", "0.01"},
                                             {"ball_mass", "2"},
                                             {"ball_radius", "0.05"}});
  };
  const auto motion = ball(), other = ball();
  CHECK(motion->velocity().size() == 6 + 3 * 7 * 9);
  for (int n = 0; n < 12; ++n) take_step(*motion, Model::ccp, "ipm_cone");
  other->restore(motion->state());
  const Step here = take_step(*motion, Model::ccp, "ipm_cone"), there = take_step(*other, Model::ccp, "ipm_cone");
  CHECK(here.impulse == there.impulse);
  CHECK(motion->state().values == other->state().values);
  int carried = 0;
  for (const ContactKey& key : here.problem.keys) carried += key.body_a == 0 && key.body_b == 1 ? 1 : 0;
  CHECK(carried > 0);
  const SceneGeometry seen = motion->surfaces();
  REQUIRE(seen.bodies.size() == 1);
  CHECK(seen.bodies.front().kind == SurfaceKind::sphere);
  CHECK(seen.bodies.front().position[2] == Approx(0.08 + 0.05).margin(0.002));  // on the bar, which lies on the floor
  CHECK(seen.velocities.size() == 1);
}

TEST_CASE("rigid bodies that cannot be are refused by name") {
  const std::vector<ElasticBody> one{elastic_body(column(), Vector3::Zero(), Matrix3::Identity())};
  const auto refused = [&](const RigidPartner& partner, const std::vector<ElasticObstacle>& obstacles, const char* says) {
    CHECK_THROWS_WITH(ElasticWorld(settings_with(0.01, gravity), one, obstacles, {partner}), Catch::Contains(says));
  };
  refused({Ellipsoid{}, moving_sphere(1.0, 1.0)}, {}, "shape of rigid body 0 is ellipsoid, expected a sphere or a box");
  refused({Sphere{-1.0}, moving_sphere(1.0, 1.0)}, {}, "rigid body 0");
  RigidPartner weightless = ball_at(1.0, 0.1, Vector3::Zero());
  weightless.body.mass = 0.0;
  refused(weightless, {}, "mass of rigid body 0 is 0 kg, expected > 0");
  refused(box_at(1.0, Vector3::Ones(), Vector3::Zero()), {{Cylinder{0.1}, resting(Vector3::Zero())}}, "rigid body 0: ");
  ElasticWorldSettings springs = settings_with(0.01, gravity);
  springs.penalty = {PenaltyLaw::Kind::at_start, 1e6};
  CHECK_THROWS_WITH(ElasticWorld(springs, one, {}, {ball_at(1.0, 0.1, Vector3::Zero())}),
                    Catch::Contains("not for rigid bodies"));
}
