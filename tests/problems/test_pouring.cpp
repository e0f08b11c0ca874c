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

TEST_CASE("small balls fill the bottle in layers of more than nine") {
  const auto motion = scene_in_time("pouring", {{"balls", "400"}, {"ball_radius", "0.0024"}});
  CHECK(motion->problem().problem.dofs() == 28 + 6 + 6 * 400);
  CHECK(fact(*motion, "kept") == 400.0);
  CHECK(fact(*motion, "deepest_gap") > -1e-12);
  CHECK_THROWS_WITH(scene_in_time("pouring", {{"balls", "400"}}),
                    Catch::Contains("the balls are 0.46 m high") && Catch::Contains("expected fewer or smaller ones"));
}

TEST_CASE("a hand that lets go has failed") {
  const auto motion = scene_in_time("pouring", {{"balls", "1"}, {"squeeze", "0"}, {"finger_stiffness", "0.01"}});
  drive(*motion, 140, pouring_driver);
  CHECK(fact(*motion, "slip") > 0.03);
  CHECK(fact(*motion, "grasp_lost") == 1.0);
  CHECK(fact(*motion, "done") == 0.0);
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
  // What the task remembers is in the state.
  CHECK(fact(*motion, "jitter") > 0.0);
  for (const char* name : {"slip", "path_error", "overlap", "jitter"}) CHECK(fact(*again, name) == fact(*motion, name));
  for (const char* name : {"done", "grasp_lost", "off_path", "pressed_in", "shakes"}) CHECK(fact(*motion, name) == 0.0);
}
