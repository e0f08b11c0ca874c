#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>

#include "core/error.hpp"
#include "problem/contact_match.hpp"
#include "support/build_scene.hpp"
#include "support/run_solver.hpp"
#include "tests/problems/driven_motion.hpp"
#include "tests/problems/same_bytes.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

/// Moves a scene by exact solutions, each step started from the impulses of the last; visit(step) after each of them.
template <typename Visit>
void drive(Motion& motion, int steps, const Visit& visit) {
  RunSpec spec;
  spec.solver = "nsgs";
  spec.model = Model::ncp;
  spec.stop = {Measure::relative_residual, 1e-14, true, 100, 10.0};
  StepEnd end;
  for (int step = 0; step < steps; ++step) {
    const MotionProblem present = motion.problem();
    spec.start.impulse = step > 0 ? matched_impulse(present, end) : Vector();
    const Vector impulse = run(present.problem, spec).impulse;
    end = step_end(present, impulse, 0.0);
    motion.advance(end_velocity(present.problem, impulse), impulse);
    visit(step);
  }
}

constexpr double rolling_step = 0.01, weight = 9.81, radius = 0.5, mu_r = 0.02;  // s, m/s², m, m

/// What a step takes off the speed of a body that rolls, J = share m R², down a slope.
double slowing(double share, double degrees) {
  const double slope = degrees * std::numbers::pi / 180.0;
  return rolling_step * weight * (mu_r / radius * std::cos(slope) - std::sin(slope)) / (1.0 + share);
}

}  // namespace

TEST_CASE("a sphere rolls to rest as the exact steps do, and stays") {
  const auto motion = scene_in_time("rolling_body");
  double speed = 2.0;
  drive(*motion, 760, [&](int step) {
    speed = std::max(speed - slowing(0.4, 0.0), 0.0);
    CAPTURE(step);
    REQUIRE(std::abs(fact(*motion, "along") - speed) <= 1e-10);
    REQUIRE(std::abs(fact(*motion, "turning") - speed / radius) <= 1e-10);
  });
  CHECK(speed == 0.0);
  CHECK(std::abs(fact(*motion, "along")) <= 1e-13);
  CHECK(fact(*motion, "deepest_gap") >= -1e-12);
}

TEST_CASE("a cylinder rests on a slope below atan(μ_r/R), and rolls above") {
  const auto below = scene_in_time("rolling_body", {{"form", "cylinder"}, {"speed", "0"}, {"slope", "2.28"}});
  drive(*below, 20, [&](int) { REQUIRE(std::abs(fact(*below, "along")) <= 1e-13); });
  const auto above = scene_in_time("rolling_body", {{"form", "cylinder"}, {"speed", "0"}, {"slope", "3"}});
  drive(*above, 50, [&](int step) { REQUIRE(std::abs(fact(*above, "along") + (step + 1) * slowing(0.5, 3.0)) <= 1e-10); });
  // Without rolling friction every slope is steep enough.
  const auto smooth =
      scene_in_time("rolling_body", {{"form", "cylinder"}, {"speed", "0"}, {"slope", "2.28"}, {"rolling_friction", "0"}});
  drive(*smooth, 2, [](int) {});
  CHECK(fact(*smooth, "along") == Approx(2.0 * rolling_step * weight * std::sin(2.28 * std::numbers::pi / 180.0) / 1.5));
}

TEST_CASE("in the plane it rolls to rest, and rolls down or rests on a slope, as it does in space") {
  const auto rolling = scene_in_time("rolling_body", {{"form", "cylinder"}, {"planar", "true"}, {"speed", "0.5"}});
  CHECK(rolling->problem().problem.constraints().kind(0) == ConstraintKind::rolling2d);
  double speed = 0.5;
  drive(*rolling, 200, [&](int) {
    speed = std::max(speed - slowing(0.5, 0.0), 0.0);
    REQUIRE(std::abs(fact(*rolling, "along") - speed) <= 1e-10);
    REQUIRE(std::abs(fact(*rolling, "turning") - speed / radius) <= 1e-10);
  });
  CHECK(speed == 0.0);
  const auto below = scene_in_time("rolling_body", {{"planar", "true"}, {"speed", "0"}, {"slope", "2.28"}});
  drive(*below, 20, [&](int) { REQUIRE(std::abs(fact(*below, "along")) <= 1e-13); });
  const auto above = scene_in_time("rolling_body", {{"planar", "true"}, {"speed", "0"}, {"slope", "3"}});
  drive(*above, 50, [&](int step) { REQUIRE(std::abs(fact(*above, "along") + (step + 1) * slowing(0.4, 3.0)) <= 1e-10); });
}

TEST_CASE("a disc spins down by μ_s, and a sphere that rolls does at the same time") {
  const auto disc = scene_in_time(
      "rolling_body",
      {{"form", "disc"}, {"speed", "0"}, {"spin", "0.5"}, {"rolling_friction", "0"}, {"spinning_friction", "0.01"}});
  double spin = 0.5;
  drive(*disc, 80, [&](int) {
    spin = std::max(spin - 0.01 * weight * rolling_step / (0.5 * radius * radius), 0.0);
    REQUIRE(std::abs(fact(*disc, "spinning") - spin) <= 1e-10);
  });
  CHECK(spin == 0.0);
  const auto both = scene_in_time("rolling_body", {{"spin", "1"}, {"spinning_friction", "0.01"}});
  CHECK(both->problem().problem.constraints().kind(0) == ConstraintKind::rolling_torsion);
  drive(*both, 30, [](int) {});
  CHECK(std::abs(fact(*both, "along") - 2.0 + 30.0 * slowing(0.4, 0.0)) <= 1e-10);
  CHECK(std::abs(fact(*both, "spinning") - 1.0 + 30.0 * 0.01 * weight * rolling_step / (0.4 * radius * radius)) <= 1e-10);
}

TEST_CASE("the rolling body: its block, its bytes, and what it does not take") {
  const ContactProblem problem = build_scene("rolling_body");
  const ConstraintSet& set = problem.constraints();
  REQUIRE((set.count() == 1 && set.kind(0) == ConstraintKind::rolling && problem.rows() == 5));
  CHECK(set.moments(0).length == Approx(0.04));  // μ_r/μ
  CHECK(set.moments(0).rolling == Approx(0.5));
  CHECK(same_bytes(build_scene("rolling_body", {{"slope", "1"}}), build_scene("rolling_body", {{"slope", "1"}})));
  CHECK_THROWS_AS(build_scene("rolling_body", {{"friction", "0"}}), InputError);
  CHECK_THROWS_AS(build_scene("rolling_body", {{"planar", "true"}, {"spinning_friction", "0.01"}}), InputError);
  CHECK_THROWS_AS(build_scene("rolling_body", {{"planar", "true"}, {"form", "disc"}}), InputError);
}

TEST_CASE("drum and press take rolling and spinning friction") {
  const ContactProblem press = build_scene(
      "sphere_press", {{"spheres", "20"}, {"per_side", "3"}, {"rolling_friction", "0.01"}, {"spinning_friction", "0.005"}});
  CHECK(press.constraints().count() == press.constraints().count(ConstraintKind::rolling_torsion));
  CHECK(press.constraints().moments(0).spinning * press.constraints().moments(0).length == Approx(0.005));
  const ContactProblem plain = build_scene("sphere_press", {{"spheres", "20"}, {"per_side", "3"}});
  CHECK(press.constraints().count() == plain.constraints().count());
  const auto drum = scene_in_time("drum", {{"particles", "5"}, {"shape", "sphere"}, {"rolling_friction", "0.01"}});
  CHECK_NOTHROW(drum->problem());
}
