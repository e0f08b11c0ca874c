#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>

#include "core/error.hpp"
#include "support/build_scene.hpp"
#include "tests/problems/driven_motion.hpp"
#include "tests/problems/same_bytes.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

const ccp::testing::Driver gradient{"apgd", Model::ccp, 1e-3};

/// Contacts of a problem with these bodies that can pull, and the impulse with which they do, N·s.
struct Bonds {
  int among_bodies = 0, at_obstacles = 0;
  double impulse = 0.0, shortest = 1.0, longest = -1.0;  ///< gaps, m
};

Bonds bonds_of(const MotionProblem& step, int bodies) {
  Bonds bonds;
  const ConstraintSet& set = step.problem.constraints();
  const Vector& shift = step.problem.impulse_shift();
  for (std::size_t i = 0; i < step.gaps.size(); ++i) {
    const double pull = shift.size() > 0 ? shift[set.offset(static_cast<Index>(i))] : 0.0;
    if (pull == 0.0) {
      bonds.shortest = std::min(bonds.shortest, step.keys[i].body_b < bodies ? step.gaps[i] : 1.0);
      continue;
    }
    ++(step.keys[i].body_b < bodies ? bonds.among_bodies : bonds.at_obstacles);
    bonds.impulse = pull;
    bonds.longest = std::max(bonds.longest, step.gaps[i]);
  }
  return bonds;
}

double largest_cluster(const char* cohesion) {
  const auto motion = scene_in_time(
      "cohesive_ball", {{"spheres", "55"}, {"time_step", "2e-3"}, {"envelope", "0.03"}, {"cohesion", cohesion}});
  drive(*motion, 40, gradient);
  return fact(*motion, "largest_cluster");
}

}  // namespace

TEST_CASE("a cohesive ball is a piece of a face-centred cubic lattice of touching spheres") {
  const auto motion = scene_in_time("cohesive_ball", {{"spheres", "55"}, {"cohesion", "500"}});
  const MotionProblem first = motion->problem();
  // 1, 12, 6, 24 and 12 sites within two diameters: shells of i² + j² + k² = 0, 2, 4, 6, 8.
  const Vector values = motion->state().values;
  double farthest = 0.0;
  for (Index i = 0; i < values.size(); i += 13) farthest = std::max(farthest, values.segment<3>(i).norm());
  CHECK(farthest == Approx(4.0 * 0.05).epsilon(1e-14));
  const Bonds bonds = bonds_of(first, 55);
  CHECK(bonds.among_bodies == std::ssize(first.gaps));
  CHECK(bonds.among_bodies == 216);
  CHECK(bonds.impulse == Approx(500.0 * 1e-3).epsilon(1e-14));
  CHECK(std::abs(bonds.longest) < 1e-15);
  CHECK(first.problem.constraints().friction(0) == 1.0);
  CHECK(fact(*motion, "largest_cluster") == 55.0);
  for (Index i = 0; i < values.size(); i += 13) CHECK(values.segment<3>(i + 7) == Vector3(10.0, 0.0, 0.0));
}

TEST_CASE("spheres pull only within the range of the cohesion, and never at the plane") {
  const auto motion = scene_in_time("cohesive_ball", {{"spheres", "55"}, {"cohesion", "500"}, {"friction", "0.7"}});
  drive(*motion, 6, gradient);
  const MotionProblem step = motion->problem();
  const Bonds bonds = bonds_of(step, 55);
  CHECK(bonds.at_obstacles == 0);
  CHECK(bonds.longest <= 0.01 * 0.05);
  CHECK(bonds.shortest > 0.01 * 0.05);
  bool seen = false;
  for (std::size_t i = 0; i < step.keys.size(); ++i) {
    const double friction = step.problem.constraints().friction(static_cast<Index>(i));
    CHECK(friction == (step.keys[i].body_b == 55 ? 0.1 : 0.7));
    seen = seen || step.keys[i].body_b == 55;
  }
  CHECK(seen);
}

TEST_CASE("the plane rises at the slope and is as far away as it should be") {
  const auto flat =
      scene_in_time("cohesive_ball", {{"spheres", "1"}, {"envelope", "0.05"}, {"clearance", "0.03"}, {"slope", "30"}});
  const MotionProblem first = flat->problem();
  REQUIRE(first.gaps.size() == 1);
  CHECK(first.gaps[0] == Approx(0.03).epsilon(1e-12));
  // From the sphere into the plane: down, and along x where the plane rises.
  CHECK((first.frames[0].col(0) - Vector3(0.5, 0.0, -std::sqrt(0.75))).norm() < 1e-14);
  CHECK(fact(*flat, "largest_cluster") == 1.0);
}

TEST_CASE("the more cohesion, the more of a ball holds together", "[slow]") {
  const double weak = largest_cluster("25"), middle = largest_cluster("100"), strong = largest_cluster("500");
  CAPTURE(weak, middle, strong);
  CHECK(weak < middle);
  CHECK(middle < strong);
  CHECK(strong >= 50.0);
}

TEST_CASE("a cohesive ball is the same bytes in a second run") {
  Vector ends[2];
  for (Vector& end : ends) {
    const auto motion = scene_in_time("cohesive_ball", {{"spheres", "40"}});
    drive(*motion, 8, gradient);
    end = motion->state().values;
  }
  CHECK(ends[0] == ends[1]);
}

TEST_CASE("a mixer holds a third each of spheres, ellipsoids and boxes, apart at the start and above the blade") {
  const auto motion = scene_in_time("mixer", {{"bodies", "300"}});
  const SceneGeometry seen = motion->surfaces();
  int kinds[3] = {0, 0, 0};
  for (const PlacedSurface& body : seen.bodies) ++kinds[static_cast<int>(body.kind)];
  CHECK((kinds[0] == 100 && kinds[1] == 100 && kinds[2] == 100));
  const MotionProblem first = motion->problem();
  CHECK(first.problem.dofs() == 1800);
  REQUIRE(!first.gaps.empty());
  CHECK(*std::min_element(first.gaps.begin(), first.gaps.end()) > 0.0);
  const SparseMatrix& H = first.problem.global().H;
  CHECK(H.coeff(0, 0) == Approx(4.0 / 3.0 * std::numbers::pi * 0.05 * 0.05 * 0.05 * 1000.0).epsilon(1e-14));
  CHECK(H.coeff(6, 6) == Approx(4.0 / 3.0 * std::numbers::pi * 0.05 * 0.035 * 0.05 * 1000.0).epsilon(1e-14));
  CHECK(H.coeff(12, 12) == Approx(0.08 * 0.08 * 0.08 * 1000.0).epsilon(1e-14));
  CHECK(same_bytes(build_scene("mixer", {}, 3), build_scene("mixer", {}, 3)));
  CHECK_FALSE(same_bytes(build_scene("mixer", {}, 3), build_scene("mixer", {}, 4)));
}

TEST_CASE("the blade turns at its speed and stirs, and no body leaves the mixer", "[slow]") {
  const auto motion = scene_in_time("mixer", {{"bodies", "30"}, {"time_step", "4e-3"}, {"envelope", "0.04"}});
  const Drive run = drive(*motion, 100, gradient);
  CHECK(run.missed == 0.0);
  const SceneGeometry seen = motion->surfaces();
  const double angle = 0.4 * std::numbers::pi;
  CHECK(seen.obstacles[2].rotation(0, 0) == Approx(std::cos(angle)).epsilon(1e-12));
  CHECK(seen.obstacles[2].rotation(1, 0) == Approx(std::sin(angle)).epsilon(1e-12));
  double turning = 0.0;
  const Vector values = motion->state().values;
  for (Index i = 0; i < values.size(); i += 13) {
    CHECK(values.segment<2>(i).norm() < 0.6 - 0.03);
    CHECK(values[i + 2] > 0.03);
    turning += values[i] * values[i + 8] - values[i + 1] * values[i + 7];
  }
  CHECK(turning > 0.0);  // with the blade, counter-clockwise
  const Bonds bonds = bonds_of(motion->problem(), 30);
  CHECK(bonds.among_bodies > 10);
  CHECK(bonds.at_obstacles == 0);
  CHECK(bonds.impulse == Approx(200.0 * 4e-3).epsilon(1e-14));
}

TEST_CASE("cohesive bodies that cannot be are refused by name") {
  const auto refused = [](const char* scene, const char* name, const char* value, const char* text) {
    CAPTURE(scene, name, value);
    CHECK_THROWS_AS(build_scene(scene, {{name, value}}), InputError);
    CHECK_THROWS_WITH(build_scene(scene, {{name, value}}), Catch::Contains(text));
  };
  refused("cohesive_ball", "spheres", "0", "spheres");
  refused("cohesive_ball", "cohesion", "-1", "cohesion");
  refused("cohesive_ball", "slope", "91", "slope");
  refused("cohesive_ball", "range", "0.3", "'envelope' is 0.012 m, expected at least 'range' times 'radius', 0.015 m");
  refused("cohesive_ball", "envelope", "0.005",
          "spheres would tunnel: 'envelope' is 0.005 m, expected at least their way in a step, 0.01 m");
  refused("mixer", "bodies", "0", "bodies");
  refused("mixer", "blade_length", "1",
          "bodies would be wedged: the blade turns in a circle 1.00125 m wide, expected at most");
  // √2 of a box's edge would leave it room, √3 does not: a box that is stirred stands on a corner, too.
  refused("mixer", "blade_length", "0.94",
          "bodies would be wedged: the blade turns in a circle 0.941329 m wide, expected at most 0.92");
  refused("mixer", "blade_place", "0.05", "the blade would be in the floor: 'blade_place' is 0.05 m");
  refused("mixer", "envelope", "1e-4", "'envelope' is 0.0001 m, expected at least 'range', which is 0.0005 m");
}
