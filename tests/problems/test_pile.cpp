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

/// The angle of two spheres, one on the plane, whose centres are `way` and `rise` apart, m.
double angle_of_two(const char* layout, double way, double rise) {
  const auto pile = scene_in_time("pile", {{"spheres", "2"}, {"spread", "0"}, {"layout", layout}});
  MotionState state = pile->state();
  state.values.segment<3>(0) = Vector3(1.0, 0.0, 0.05);
  state.values.segment<3>(13) = Vector3(1.0 + way, 0.0, 0.05 + rise);
  pile->restore(state);
  return fact(*pile, "angle");
}

/// After 120 steps of 24 spheres.
double angle_at_end(const char* rolling_friction) {
  const auto pile = scene_in_time("pile", {{"spheres", "24"}, {"across", "4"}, {"rolling_friction", rolling_friction}});
  drive(*pile, 120, {"proximal_newton", Model::ncp, 1e-4});
  const Vector values = pile->state().values;
  for (Index body = 0; body < 24; ++body) REQUIRE(values[13 * body + 1] == 0.0);  // it stays in its plane
  CHECK(fact(*pile, "missed") == 0.0);
  return fact(*pile, "angle");
}

}  // namespace

TEST_CASE("the angle of a pile is that of the triangle or cone with its mean height and distance") {
  CHECK(angle_of_two("plane", 0.3, 0.3 * std::tan(std::numbers::pi / 6.0)) == Approx(30.0).epsilon(1e-12));
  CHECK(angle_of_two("space", 0.3, 0.15) == Approx(45.0).epsilon(1e-12));
  CHECK(angle_of_two("plane", 0.3, 0.0) == Approx(0.0).margin(1e-12));
}

TEST_CASE("a pile is steeper with rolling friction than without") { CHECK(angle_at_end("0.02") > 2.0 * angle_at_end("0")); }

TEST_CASE("the pile: its blocks, its bytes, and what it does not take") {
  const auto first = [](const char* layout, const char* rolling) {
    return build_scene("pile", {{"spheres", "30"}, {"envelope", "0.05"}, {"layout", layout}, {"rolling_friction", rolling}});
  };
  const auto all = [&](const char* layout, const char* rolling, ConstraintKind kind) {
    const ContactProblem problem = first(layout, rolling);
    return problem.constraints().count() > 0 && problem.constraints().count(kind) == problem.constraints().count();
  };
  CHECK(all("plane", "0.005", ConstraintKind::rolling2d));
  CHECK(all("plane", "0", ConstraintKind::contact2d));
  CHECK(all("space", "0.005", ConstraintKind::rolling));
  CHECK(all("space", "0", ConstraintKind::contact));
  CHECK(same_bytes(first("plane", "0.005"), first("plane", "0.005")));
  CHECK_THROWS_AS(build_scene("pile", {{"friction", "0"}}), InputError);
}
