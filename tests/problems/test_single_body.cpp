#include <catch2/catch.hpp>
#include <numbers>

#include "core/error.hpp"
#include "support/build_scene.hpp"
#include "tests/problems/constants.hpp"
#include "tests/problems/driven_motion.hpp"
#include "tests/problems/same_bytes.hpp"

using namespace ccp;
using namespace ccp::testing;

TEST_CASE("a single ball falls as steps of h = 0.02 s let it, then its contact carries its weight") {
  const auto motion = scene_in_time("single_ball");
  const double mass = 4.0 / 3.0 * std::numbers::pi * 0.035 * 0.035 * 0.035 * 1000.0;
  const Drive fall = drive(*motion, 100, {"ipm_qp", Model::ccp, 1e-10});
  CHECK(fall.problems[0].gaps.front() == Approx(0.005).epsilon(1e-13));
  CHECK(fall.problems[1].gaps.front() == Approx(0.005 - g * 0.02 * 0.02).epsilon(1e-8));
  for (int n = 2; n < 100; ++n) {
    const auto step = static_cast<std::size_t>(n);
    CAPTURE(n);
    REQUIRE(fall.problems[step].keys == std::vector<ContactKey>{{0, 1, 0, 0, 0}});
    CHECK(std::abs(fall.problems[step].gaps.front()) < 1e-11);
    if (n > 2) CHECK(fall.impulses[step][0] == Approx(mass * g * 0.02).epsilon(1e-8));
  }
  CHECK(fact(*motion, "kinetic_J") < 1e-20);
  CHECK(fall.missed == 0.0);
}

TEST_CASE("a single brick falls flat on four contacts that keep their names for 100 steps") {
  const auto motion = scene_in_time("single_brick");
  const Drive fall = drive(*motion, 100, {"ipm_qp", Model::ccp, 1e-10});
  const std::vector<ContactKey> corners{{0, 1, 1, 19, 0}, {0, 1, 1, 20, 0}, {0, 1, 1, 21, 0}, {0, 1, 1, 22, 0}};
  for (std::size_t n = 0; n < 100; ++n) {
    CAPTURE(n);
    CHECK(fall.problems[n].keys == corners);
    CHECK(fall.problems[n].problem.constraints().count(ConstraintKind::unilateral) == 4);
    if (n > 2) CHECK(fall.impulses[n].sum() == Approx(1.0 * g * 0.02).epsilon(1e-8));
  }
  const Vector state = motion->state().values;
  CHECK(std::abs(state[2] - 0.025) < 1e-11);
  CHECK(state.segment<3>(4).norm() < 1e-9);  // it lies flat
  CHECK(-fall.deepest_gap < 1e-10);
}

TEST_CASE("with friction a contact of a dropped body has three rows") {
  CHECK(build_scene("single_ball").rows() == 1);
  CHECK(build_scene("single_brick").rows() == 4);
  const ContactProblem brick = build_scene("single_brick", {{"friction", "0.3"}});
  CHECK(brick.constraints().count(ConstraintKind::contact) == 4);
  CHECK(brick.constraints().friction(2) == 0.3);
  CHECK(brick.global().H.coeff(3, 3) == Approx((0.1 * 0.1 + 0.05 * 0.05) / 12.0).epsilon(1e-14));
  CHECK(same_bytes(build_scene("single_brick", {}, 1), build_scene("single_brick", {}, 2)));
}

TEST_CASE("dropped bodies that cannot be are refused by name") {
  const auto refused = [](const char* scene, const char* name, const char* value, const char* text) {
    CAPTURE(scene, name, value);
    CHECK_THROWS_AS(build_scene(scene, {{name, value}}), InputError);
    CHECK_THROWS_WITH(build_scene(scene, {{name, value}}), Catch::Contains(text));
  };
  refused("single_ball", "density", "0", "density");
  refused("single_ball", "radius", "-0.1", "radius");
  refused("single_brick", "height", "0", "height");
  refused("single_ball", "drop", "-0.001", "drop");
  refused("single_ball", "drop", "0.03", "'drop' is 0.03 m, expected at most 'envelope', which is 0.02 m");
  refused("single_brick", "envelope", "0.05", "'envelope' is 0.05 m, expected less than 'height', which is 0.05 m");
}
