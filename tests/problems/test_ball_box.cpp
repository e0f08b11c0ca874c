#include <catch2/catch.hpp>
#include <cmath>

#include "core/error.hpp"
#include "problems/dynamics/state.hpp"
#include "support/build_scene.hpp"
#include "tests/problems/driven_motion.hpp"
#include "tests/problems/same_bytes.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

constexpr double ball_radius = 0.035;

/// How far a sphere is outside of the cylinder of 1 m, or below its floor, m; negative while all are inside.
double farthest_out(const Motion& motion) {
  const Vector values = motion.state().values;
  double farthest = -1.0;
  for (Index i = 0; i < values.size(); i += 13) {
    farthest = std::max(farthest, values.segment<2>(i).norm() + ball_radius - 0.5);
    farthest = std::max(farthest, ball_radius - values[i + 2]);
  }
  return farthest;
}

}  // namespace

TEST_CASE("the box of balls has the sizes of the thesis, and no sphere touches another at the start") {
  const char* const spheres[4] = {"64", "280", "595", "1190"};
  const Index dofs[4] = {384, 1680, 3570, 7140};
  for (int i = 0; i < 4; ++i) {
    const MotionProblem first = scene_in_time("ball_box", {{"spheres", spheres[i]}})->problem();
    CHECK(first.problem.dofs() == dofs[i]);
    CHECK(first.problem.rows() == first.problem.constraints().count(ConstraintKind::unilateral));
    CHECK(*std::min_element(first.gaps.begin(), first.gaps.end()) >= 0.1 * ball_radius);
    CHECK(*std::max_element(first.gaps.begin(), first.gaps.end()) <= 0.06);
  }
}

TEST_CASE("without jitter the balls stand on a grid") {
  const auto motion = scene_in_time("ball_box", {{"spheres", "5"}, {"jitter", "0"}});
  const MotionProblem first = motion->problem();  // five in a column: the cylinder as high as wide has no second site
  REQUIRE(first.keys == std::vector<ContactKey>{{0, 1}, {0, 5}, {1, 2}, {2, 3}, {3, 4}});
  for (const std::size_t pair : {0u, 2u, 3u, 4u}) CHECK(first.gaps[pair] == Approx(0.2 * ball_radius).epsilon(1e-12));
  CHECK(first.gaps[1] == Approx(0.15 * ball_radius).epsilon(1e-12));
  const Vector values = motion->state().values;
  for (Index i = 0; i < 5; ++i)
    CHECK(values.segment<3>(13 * i).isApprox(Vector3(0.0, 0.0, (1.15 + 2.2 * double(i)) * ball_radius), 1e-14));
  // 13 sites in the lowest layer of 64: all with i² + j² <= 4.
  const Vector more = scene_in_time("ball_box", {{"spheres", "64"}, {"jitter", "0"}})->state().values;
  Index lowest = 0;
  for (Index i = 0; i < 64; ++i) lowest += more[13 * i + 2] < 2.0 * ball_radius ? 1 : 0;
  CHECK(lowest == 13);
}

TEST_CASE("a box of balls is the same bytes for the same seed, and others for another") {
  CHECK(same_bytes(build_scene("ball_box", {}, 3), build_scene("ball_box", {}, 3)));
  CHECK_FALSE(same_bytes(build_scene("ball_box", {}, 3), build_scene("ball_box", {}, 4)));
}

TEST_CASE("balls fall into the box, and none leaves") {
  const auto motion = scene_in_time("ball_box", {{"spheres", "16"}});
  const double start = fact(*motion, "potential_J");
  const Drive fall = drive(*motion, 40);
  CHECK(fall.deepest_gap > -0.02 * ball_radius);
  CHECK(fall.missed == 0.0);
  CHECK(farthest_out(*motion) < 0.01 * ball_radius);
  CHECK(fact(*motion, "potential_J") + fact(*motion, "kinetic_J") < 0.5 * start);
  CHECK(fall.mean_iterations() < 18.0);
  CHECK(fall.problems.back().keys.size() > 16);
}

TEST_CASE("a box of balls is the same bytes on one and two threads and in a second run") {
  std::vector<Vector> ends;
  for (const int threads : {1, 2, 1}) {
    const auto motion = scene_in_time("ball_box", {{"spheres", "30"}, {"friction", "0.3"}});
    drive(*motion, 4, {"ipm_cone", Model::ccp, 1e-8, threads});
    ends.push_back(motion->state().values);
  }
  CHECK(ends[0] == ends[1]);
  CHECK(ends[0] == ends[2]);
}

TEST_CASE("ten steps end where they end in the release build, with every compiler option") {
  // The numbers are those of the release build; the sanitizers' and the debug build run the same test.
  struct Expected {
    const char* friction;
    const char* solver;
    Vector3 first, last;  ///< centres, m
  };
  const Expected all[] = {{"0",
                           "ipm_qp",
                           {-0.085508822863098161, -0.073461284815884542, 0.035},
                           {0.079750996910898958, -0.079326682102147925, 0.18292292098478663}},
                          {"0.3",
                           "ipm_cone",
                           {-0.074613416403884705, -0.083262702486432749, 0.035},
                           {0.084724076226027983, -0.086432274519225888, 0.23898451016207503}}};
  for (const Expected& expected : all) {
    CAPTURE(expected.friction);
    const auto motion = scene_in_time("ball_box", {{"spheres", "30"}, {"friction", expected.friction}});
    CHECK(drive(*motion, 10, {expected.solver, Model::ccp, 1e-12}).problems.back().keys.size() > 30);
    const Vector values = motion->state().values;
    const Vector3 first = values.head<3>(), last = values.segment<3>(values.size() - rigid_state_size);
    CHECK((first - expected.first).norm() < 1e-12);
    CHECK((last - expected.last).norm() < 1e-12);
  }
}

TEST_CASE("balls come to rest in the box, at less than 1 % of their radius into each other", "[slow]") {
  for (const bool friction : {false, true}) {
    CAPTURE(friction);
    const auto motion = scene_in_time("ball_box", {{"spheres", "64"}, {"friction", friction ? "0.3" : "0"}});
    const Driver driver = friction ? Driver{"proximal_newton", Model::ncp} : Driver{};
    drive(*motion, 130, driver);
    const Drive rest = drive(*motion, 20, driver);
    CHECK(fact(*motion, "kinetic_J") < 0.1);
    CHECK(rest.deepest_gap > -0.01 * ball_radius);
    CHECK(rest.missed == 0.0);
    CHECK(farthest_out(*motion) < 0.01 * ball_radius);
  }
}

TEST_CASE("the interior point takes as many iterations a step for 280 balls as for 64", "[slow]") {
  double mean[2];
  for (int i = 0; i < 2; ++i) {
    const auto motion = scene_in_time("ball_box", {{"spheres", i == 0 ? "64" : "280"}});
    const Drive fall = drive(*motion, 50);
    mean[i] = fall.mean_iterations();
    CHECK(fall.missed == 0.0);
    CHECK(farthest_out(*motion) < 0.02 * ball_radius);
  }
  CHECK(std::abs(mean[1] - mean[0]) < 0.1 * mean[0]);
}

TEST_CASE("a box of balls that cannot be is refused by name") {
  const auto refused = [](const char* name, const char* value, const char* text) {
    CAPTURE(name, value);
    CHECK_THROWS_AS(build_scene("ball_box", {{name, value}}), InputError);
    CHECK_THROWS_WITH(build_scene("ball_box", {{name, value}}), Catch::Contains(text));
  };
  refused("density", "0", "density");
  refused("radius", "-0.035", "radius");
  refused("spheres", "0", "spheres");
  refused("spacing", "2.05", "spheres would overlap at the start: 'spacing' is 2.05, expected at least 2 + 2 'jitter', 2.1");
  refused("spheres", "2000", "'spheres' is 2000: their centres would fill a cylinder 1.05 m wide");
  refused("diameter", "0.3", "expected at most the 0.226");
  refused("envelope", "0.005", "'envelope' is 0.005 m, expected at least 0.007");
}
