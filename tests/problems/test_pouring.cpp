#include <catch2/catch.hpp>

#include "problem/placed_mesh.hpp"
#include "problem/subsystems.hpp"
#include "problems/articulated/articulated_world.hpp"
#include "tests/problems/driven_motion.hpp"
#include "tests/problems/same_bytes.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

const Driver pouring_driver{"proximal_newton", Model::ncp, 1e-5};

}  // namespace

TEST_CASE("the bottle stands on the table, in an open hand, its balls inside") {
  const auto motion = scene_in_time("pouring", {{"balls", "20"}});
  const auto& world = dynamic_cast<const ArticulatedWorld&>(*motion);
  const MotionProblem step = motion->problem();
  CHECK(step.problem.dofs() == 28 + 6 + 6 * 20);
  CHECK(step.problem.subsystems() != nullptr);
  CHECK(world.robots()[0].model->tree.dofs() == 28);
  CHECK(world.robots()[2].model->tree.mass() == Approx(5.236e-3).epsilon(1e-4));
  CHECK(fact(*motion, "kept") == 20.0);
  CHECK(fact(*motion, "poured") == 0.0);
  CHECK(fact(*motion, "spilled") == 0.0);
  CHECK(fact(*motion, "slip") < 1e-12);
  CHECK(fact(*motion, "path_error") < 1e-12);
  CHECK(fact(*motion, "deepest_gap") > -1e-12);
  // Surfaces: 34 balls of the hands, the bottle, the balls; table and target.
  CHECK(world.surfaces().bodies.size() == 34 + 20);
  CHECK(world.surfaces().obstacles.size() == 1);
  const std::vector<PlacedMesh> meshes = meshes_of(*motion);
  REQUIRE(meshes.size() == 2);
  CHECK(meshes[0].number == 34);
  CHECK_FALSE(meshes[0].obstacle);
  CHECK(meshes[1].number == 34 + 1 + 20 + 1);
  CHECK(meshes[1].obstacle);
}

TEST_CASE("a hand closes on the bottle without overlap, the same bytes twice", "[slow]") {
  const auto motion = scene_in_time("pouring", {{"balls", "3"}});
  const Drive done = drive(*motion, 100, pouring_driver);
  CHECK(done.deepest_gap > -2e-4);
  CHECK(fact(*motion, "kept") == 3.0);
  CHECK(fact(*motion, "slip") < 5e-3);
  CHECK(fact(*motion, "path_error") < 0.05);
  const auto again = scene_in_time("pouring", {{"balls", "3"}});
  again->restore(motion->state());
  CHECK(same_bytes(motion->problem().problem, again->problem().problem));
}
