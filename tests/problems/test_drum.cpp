#include <Eigen/Geometry>
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "problems/dynamics/obstacle.hpp"
#include "support/build_scene.hpp"
#include "tests/problems/driven_motion.hpp"
#include "tests/problems/same_bytes.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

const Driver newton{"proximal_newton", Model::ncp};

/// Moves without contacts, as a fall is.
void let_fall(Motion& motion, int steps) {
  for (int n = 0; n < steps; ++n) {
    const MotionProblem step = motion.problem();
    const Vector none = Vector::Zero(step.problem.rows());
    motion.advance(end_velocity(step.problem, none), none);
  }
}

/// How far a centre of a rigid particle is from the axis at most, and outside of the walls, m.
struct Reach {
  double from_axis = 0.0, beyond_walls = -1.0;
};

Reach reach_of(const Motion& motion, Index size) {
  const Vector values = motion.state().values;
  Reach reach;
  for (Index i = 0; i < values.size(); i += size) {
    reach.from_axis = std::max(reach.from_axis, std::hypot(values[i], values[i + 2]));
    reach.beyond_walls = std::max({reach.beyond_walls, -0.002 - values[i + 1], values[i + 1] - 0.502});
  }
  return reach;
}

}  // namespace

TEST_CASE("100 ellipsoids come into the drum at once, 100 spheres in two batches, at the sites of Solfec's input") {
  const Vector ellipsoids = scene_in_time("drum")->state().values;
  CHECK(ellipsoids.size() == 1300);
  const double r0 = std::cbrt(0.001);
  CHECK(ellipsoids.segment<3>(0).isApprox(Vector3(-0.7, 0.05, 0.25), 1e-12));
  CHECK(ellipsoids.segment<3>(13 * 4).isApprox(Vector3(-0.7, 0.45, 0.25), 1e-5));
  CHECK(ellipsoids.segment<3>(13 * 39).isApprox(Vector3(-0.7 + 14.0 * 0.9 * r0, 0.45, 0.25), 1e-5));
  CHECK(ellipsoids.segment<3>(13 * 40).isApprox(Vector3(-0.7, 0.05, 0.25 - 2.0 * r0), 1e-5));

  const auto spheres = scene_in_time("drum", {{"shape", "sphere"}});
  CHECK(spheres->problem().problem.dofs() == 6 * 81);
  let_fall(*spheres, 614);
  CHECK(spheres->problem().problem.dofs() == 6 * 81);
  let_fall(*spheres, 1);
  const Vector diagonal = spheres->problem().problem.global().H.diagonal();
  REQUIRE(diagonal.size() == 6 * 100);
  double mass = 0.0;
  for (Index i = 0; i < 100; ++i) mass += diagonal[6 * i + 1];
  CHECK(mass == Approx(100.0 * 4.0 / 3.0 * std::numbers::pi * 0.512 * 0.1).epsilon(1e-12));
}

TEST_CASE("the drum rests until a fall after the last batch, and then turns at 1 rad/s") {
  for (const char* shape : {"ellipsoid", "sphere"}) {
    CAPTURE(shape);
    const std::int64_t start = std::string(shape) == "sphere" ? 1230 : 615;  // steps of 1 ms: one batch, and two
    const auto motion = scene_in_time("drum", {{"shape", shape}});
    MotionState state = motion->state();
    state.values.segment<3>(0) = Vector3(0.0, 0.25, -0.92);  // at the lowest facet
    for (const std::int64_t step : {start - 2, start + 2}) {
      CAPTURE(step);
      state.step = step;
      motion->restore(state);
      const ContactProblem problem = motion->problem().problem;
      REQUIRE(problem.constraints().count() > 0);
      const Vector3 slip = problem.global().b.head<3>();
      CHECK(slip.tail<2>().norm() == Approx(step < start ? 0.0 : 0.995).margin(0.01));
    }
  }
}

TEST_CASE("particles come into the drum without touching anything, whatever their number") {
  for (const char* shape : {"ellipsoid", "sphere"})
    for (const char* count : {"5", "8", "15", "30", "64", "100", "500"}) {
      CAPTURE(shape, count);
      const auto motion = scene_in_time("drum", {{"particles", count}, {"shape", shape}});
      CHECK(motion->problem().keys.empty());
      CHECK(motion->state().values.size() == 13 * std::stoi(count));
    }
}

TEST_CASE("packed particles touch each other, as little as rounding needs, and lie in the drum") {
  for (const bool sphere : {true, false})
    for (const char* count : {"30", "64", "400"}) {
      CAPTURE(sphere, count);
      const auto motion =
          scene_in_time("drum", {{"particles", count}, {"shape", sphere ? "sphere" : "ellipsoid"}, {"filling", "packed"}});
      const MotionProblem first = motion->problem();
      const int particles = std::stoi(count);
      const double r0 = std::cbrt(0.1 / particles);
      std::vector<int> touches(static_cast<std::size_t>(particles));
      for (const ContactKey& key : first.keys)
        for (const int body : {key.body_a, key.body_b})
          if (body < particles) ++touches[static_cast<std::size_t>(body)];
      CHECK(*std::min_element(touches.begin(), touches.end()) >= 2);
      for (const double gap : first.gaps) {
        CHECK(gap < -1e-8 * r0);
        CHECK(gap > -3e-6 * r0);
      }
      CHECK(fact(*motion, "outside") == 0.0);
      CHECK(reach_of(*motion, 13).beyond_walls < (sphere ? -0.8 : -0.5) * r0 + 2e-6);
      CHECK(first.problem.global().b.isZero(0.0));
    }
}

TEST_CASE("packed spheres stay where they are until the drum turns") {
  const auto motion =
      scene_in_time("drum", {{"particles", "60"}, {"shape", "sphere"}, {"filling", "packed"}, {"time_step", "0.01"}});
  const Vector start = motion->state().values;
  drive(*motion, 5, {"proximal_newton", Model::ncp, 1e-10});
  CHECK((motion->state().values - start).cwiseAbs().maxCoeff() < 1e-9);
  const auto largest_slip = [&] { return motion->problem().problem.global().b.cwiseAbs().maxCoeff(); };
  CHECK(largest_slip() == 0.0);
  MotionState later = motion->state();
  later.step = 100;
  motion->restore(later);
  CHECK(largest_slip() == Approx(0.995).margin(0.01));
}

TEST_CASE("packed pseudo-rigid particles lie where rigid ones do") {
  std::vector<MotionProblem> first;
  for (const char* kinematics : {"rigid", "pseudo_rigid"})
    first.push_back(
        scene_in_time("drum", {{"particles", "40"}, {"filling", "packed"}, {"kinematics", kinematics}})->problem());
  CHECK(first[1].problem.dofs() == 12 * 40);
  CHECK(first[1].keys == first[0].keys);
}

TEST_CASE("the mass in the drum is that of the paper's sizes and density, in the unit that is asked for") {
  // r₀³ = 0.1/N: volumes 4/3 π 0.45 r₀³ and 4/3 π 0.512 r₀³.
  for (const bool sphere : {false, true})
    for (const bool pseudo_rigid : {false, true}) {
      CAPTURE(sphere, pseudo_rigid);
      const MotionProblem first = scene_in_time("drum", {{"particles", "20"},
                                                         {"density", "300"},
                                                         {"mass_unit", "0.01"},
                                                         {"shape", sphere ? "sphere" : "ellipsoid"},
                                                         {"kinematics", pseudo_rigid ? "pseudo_rigid" : "rigid"}})
                                      ->problem();
      const Index dofs = pseudo_rigid ? 12 : 6;
      const Vector diagonal = first.problem.global().H.diagonal();
      const double mass = 300.0 / 0.01 * 4.0 / 3.0 * std::numbers::pi * (sphere ? 0.512 : 0.45) * 0.1 / 20.0;
      for (Index i = 0; i < diagonal.size(); i += dofs) CHECK(diagonal[i + 1] == Approx(mass).epsilon(1e-12));
    }
}

TEST_CASE("a unit of mass changes impulses, and neither motions nor the velocities of deforming particles") {
  std::vector<Vector> ends, impulses;
  for (const char* unit : {"1", "0.0009765625"}) {  // 2⁻¹⁰: the same bits
    const auto motion = scene_in_time(
        "drum", {{"particles", "8"}, {"kinematics", "pseudo_rigid"}, {"time_step", "0.01"}, {"mass_unit", unit}});
    const Drive driven = drive(*motion, 45, {"proximal_newton", Model::ncp, 1e-11});
    ends.push_back(motion->state().values);
    impulses.push_back(driven.impulses.back());
  }
  REQUIRE(impulses[0].size() > 0);
  CHECK((ends[0] - ends[1]).norm() <= 1e-8 * ends[0].norm());
  CHECK((1024.0 * impulses[0] - impulses[1]).norm() <= 1e-4 * impulses[1].norm());
}

TEST_CASE("an obstacle that another one carries moves as a point of it") {
  const PrescribedMotion turning = gliding({0.0, 0.25, 0.0}, {}, {0.1, 0.0, 0.0}, {0.0, 2.0, 0.0}, 1.0);
  const PrescribedMotion block = carried(turning, {0.9, 0.0, 0.0});
  CHECK(block(0.5).position.isApprox(Vector3(0.9, 0.25, 0.0), 1e-15));
  CHECK(block(0.5).velocity.norm() == 0.0);
  const ObstacleFrame at = block(1.3), later = block(1.3 + 1e-6), earlier = block(1.3 - 1e-6);
  CHECK(at.position.isApprox(Vector3(0.03 + 0.9 * std::cos(0.6), 0.25, -0.9 * std::sin(0.6)), 1e-14));
  CHECK((at.velocity - (later.position - earlier.position) / 2e-6).norm() < 1e-9);
  CHECK(at.spin == Vector3(0.0, 2.0, 0.0));
}

TEST_CASE("the drum carries its particles round, and none leaves it") {
  // Steps of 4 ms: falls end at 10 m/s · 0.4 s, so that bodies overlap by up to 16 mm.
  const auto motion = scene_in_time("drum", {{"particles", "8"}, {"shape", "sphere"}, {"time_step", "0.004"}});
  const double radius = 0.8 * std::cbrt(0.1 / 8.0);
  const auto centre_x = [&] {
    const Vector values = motion->state().values;
    double sum = 0.0;
    for (Index i = 0; i < 8; ++i) sum += values[13 * i] / 8.0;
    return sum;
  };
  drive(*motion, 250, newton);
  CHECK(fact(*motion, "missed") == 0.0);
  drive(*motion, 150, newton);
  const Reach reach = reach_of(*motion, 13);
  CHECK(reach.from_axis < 1.0 - radius + 0.02);
  CHECK(reach.beyond_walls < -radius + 0.02);
  CHECK(std::abs(centre_x()) > 0.05);  // spin +y moves the bottom, z < 0, to −x
  CHECK(centre_x() < 0.0);
}

TEST_CASE("the drum counts the particles that have left it") {
  for (const char* kinematics : {"rigid", "pseudo_rigid"}) {
    const auto motion = scene_in_time("drum", {{"particles", "8"}, {"kinematics", kinematics}});
    CHECK(fact(*motion, "outside") == 0.0);
    MotionState state = motion->state();
    const Index size = state.values.size() / 8;
    state.values.segment<3>(0) = Vector3(0.8, 0.25, -0.61);          // 1.006 m from the axis
    state.values.segment<3>(size) = Vector3(0.0, 0.503, 0.0);        // beyond a wall
    state.values.segment<3>(2 * size) = Vector3(0.8, 0.501, -0.59);  // 0.994 m from the axis
    motion->restore(state);
    CHECK(fact(*motion, "outside") == 2.0);
  }
}

TEST_CASE("the drum is the same bytes in a second run and on two threads") {
  for (const char* kinematics : {"rigid", "pseudo_rigid"}) {
    std::vector<Vector> ends;
    for (const int threads : {1, 2, 1}) {
      const auto motion = scene_in_time("drum", {{"particles", "8"}, {"kinematics", kinematics}, {"time_step", "0.01"}}, 3);
      drive(*motion, 45, {"proximal_newton", Model::ncp, 1e-8, threads});
      ends.push_back(motion->state().values);
    }
    CHECK(ends[0] == ends[1]);
    CHECK(ends[0] == ends[2]);
  }
  CHECK(same_bytes(build_scene("drum", {}, 1), build_scene("drum", {}, 2)));
}

TEST_CASE("a drum that cannot be is refused by name") {
  const auto refused = [](const char* name, const char* value, const char* text) {
    CAPTURE(name, value);
    CHECK_THROWS_AS(build_scene("drum", {{name, value}}), InputError);
    CHECK_THROWS_WITH(build_scene("drum", {{name, value}}), Catch::Contains(text));
  };
  refused("particles", "4", "particles");
  refused("shape", "cube", "shape");
  refused("kinematics", "elastic", "kinematics");
  refused("density", "0", "density");
  refused("friction", "-0.1", "friction");
  refused("young", "0", "young");
  refused("poisson", "0.5", "poisson");
  refused("damping", "-1", "damping");
  refused("angular_velocity", "1000", "angular_velocity");
  refused("time_step", "0", "time_step");
  refused("mass_unit", "0", "mass_unit");
  refused("filling", "poured", "filling");
  CHECK_THROWS_WITH(build_scene("drum", {{"particles", "20"}, {"shape", "sphere"}, {"filling", "packed"}}),
                    Catch::Contains("expected a packed filling below the blocks"));
}
