#include <catch2/catch.hpp>

#include "problem/placed_mesh.hpp"
#include "problems/scenes/deformable_bars.hpp"
#include "tests/problems/driven_motion.hpp"
#include "tests/problems/same_bytes.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

std::unique_ptr<Motion> two_layers(const char* young = "1e6", std::uint64_t seed = 1) {
  return scene_in_time("deformable_bars",
                       {{"layers", "2"}, {"bars", "2"}, {"cells_along", "6"}, {"cells_across", "2"}, {"young", young}},
                       seed);
}

/// Moves it by steps that ipm_cone solves to `tolerance` of the natural map; the deepest gap, m.
double fall(Motion& motion, int steps, double tolerance = 1e-7) {
  StopRule stop;
  stop.measure = Measure::natural_map;
  stop.tolerance = tolerance;
  stop.max_iterations = 400;
  double deepest = 0.0;
  for (int n = 0; n < steps; ++n) {
    const MotionProblem step = motion.problem();
    const Result result = run(step.problem, RunSpec{"ipm_cone", Model::ccp, stop});
    INFO("step " << n << ' ' << result.reason);
    REQUIRE(result.measures[measure_index(Measure::natural_map)] <= tolerance);
    motion.advance(end_velocity(step.problem, result.impulse), result.impulse);
    deepest = std::min(deepest, fact(motion, "deepest_gap"));
  }
  return deepest;
}

}  // namespace

TEST_CASE("15 bars have the degrees of freedom of Tasora's") {
  const auto motion = scene_in_time("deformable_bars");
  CHECK(motion->velocity().size() == 9360);
  const MotionState state = motion->state();
  CHECK(state.values.size() == 2 * 9360);
  CHECK(fact(*motion, "deepest_gap") == 0.0);
  // The centres of the layers are 0.1 … 0.5 m above the floor, and all bars weigh 5.12 kg.
  CHECK(fact(*motion, "potential_J") == Approx(15 * 5.12 * 9.8 * 0.3).epsilon(1e-12));
}

TEST_CASE("bars that fall keep out of each other, soft ones and stiff ones", "[slow]") {
  for (const char* young : {"1e6", "2e11"}) {
    INFO("E " << young);
    const auto motion = two_layers(young);
    CHECK(fall(*motion, 8) > -0.005);
    CHECK(fact(*motion, "inverted") == 0.0);
    CHECK(fact(*motion, "kinetic_J") < 0.05);
  }
}

TEST_CASE("bars go on from a state to the last bit") {
  const auto motion = two_layers(), other = two_layers();
  fall(*motion, 2);
  other->restore(motion->state());
  CHECK(same_bytes(motion->problem().problem, other->problem().problem));
  CHECK(motion->problem().keys == other->problem().keys);
  CHECK(motion->state().step == 2);
  MotionState state = motion->state();
  state.values[5] = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_WITH(other->restore(state), Catch::Contains("number 5 is nan"));
  state.values.conservativeResize(12);
  CHECK_THROWS_WITH(other->restore(state), Catch::Contains("state has 12 numbers"));
  state = motion->state();
  state.scene = "ball_box";
  CHECK_THROWS_WITH(other->restore(state), Catch::Contains("expected 'deformable_bars'"));
}

TEST_CASE("bars show their meshes, and the floor as their only surface") {
  const auto motion = two_layers();
  fall(*motion, 2);
  const std::vector<PlacedMesh> meshes = meshes_of(*motion);
  REQUIRE(meshes.size() == 4);
  const Vector values = motion->state().values;
  for (const PlacedMesh& mesh : meshes) {
    CHECK(mesh.places.size() == 63);
    CHECK(mesh.skin.size() == 112);
    CHECK(mesh.corners == 4);
    CHECK(mesh.elements.size() == 4 * 144);
    CHECK(mesh.stresses.size() == 144);
    CHECK(mesh.stresses.maxCoeff() > 0.0);
    CHECK(mesh.references[0][2] > mesh.places[0][2]);
  }
  CHECK(meshes[1].places[5] == Vector3(values.segment<3>(6 * (63 + 5))));
  CHECK(meshes[1].velocities[5] == Vector3(values.segment<3>(6 * (63 + 5) + 3)));
  const SceneGeometry seen = motion->surfaces();
  CHECK(seen.bodies.empty());
  REQUIRE(seen.obstacles.size() == 1);
  CHECK(seen.obstacles[0].kind == SurfaceKind::half_space);
  CHECK(meshes_of(*scene_in_time("single_ball")).empty());
}

TEST_CASE("seeds turn the layers of bars") {
  CHECK(same_bytes(two_layers()->problem().problem, two_layers()->problem().problem));
  CHECK(two_layers()->state().values != two_layers("1e6", 2)->state().values);
}

TEST_CASE("bars are the same bytes on one and two threads and in a second run", "[slow]") {
  // As they land, with more contacts than one thread keeps to itself (2 · 256).
  const auto landing = [] {
    const auto motion = scene_in_time("deformable_bars", {{"layers", "4"}, {"cells_along", "9"}});
    const MotionProblem first = motion->problem();
    motion->advance(end_velocity(first.problem, Vector::Zero(first.problem.rows())), Vector::Zero(first.problem.rows()));
    return motion->problem();
  };
  const MotionProblem problem = landing(), again = landing();
  REQUIRE(problem.gaps.size() >= 512);
  CHECK(same_bytes(problem.problem, again.problem));
  CHECK(problem.keys == again.keys);
  CHECK(problem.gaps == again.gaps);
  StopRule stop;
  stop.tolerance = 0.0;
  stop.max_iterations = 3;
  for (const char* solver : {"ipm_cone", "admm", "apgd", "jacobi"}) {
    INFO(solver);
    const Result one = run(problem.problem, RunSpec{solver, Model::ccp, stop, {}, 1});
    CHECK(one.impulse.norm() > 0.0);
    CHECK(one.impulse == run(problem.problem, RunSpec{solver, Model::ccp, stop, {}, 2}).impulse);
    CHECK(one.impulse == run(again.problem, RunSpec{solver, Model::ccp, stop, {}, 1}).impulse);
  }
}

TEST_CASE("bars that cannot be are refused by name") {
  const auto refused = [](const char* name, const char* value) { scene_in_time("deformable_bars", {{name, value}}); };
  using Catch::Contains;
  CHECK_THROWS_WITH(refused("poisson", "0.5"), Contains("poisson"));
  CHECK_THROWS_WITH(refused("poisson", "-0.1"), Contains("poisson"));
  CHECK_THROWS_WITH(refused("young", "0"), Contains("young"));
  CHECK_THROWS_WITH(refused("density", "-1"), Contains("density"));
  CHECK_THROWS_WITH(refused("damping", "-0.01"), Contains("damping"));
  CHECK_THROWS_WITH(refused("cells_along", "0"), Contains("cells_along"));
  CHECK_THROWS_WITH(refused("cells_across", "0"), Contains("cells_across"));
  CHECK_THROWS_WITH(refused("envelope", "-0.001"), Contains("envelope"));
  CHECK_THROWS_WITH(refused("spacing", "0.07"), Contains("bars of a layer would overlap: 'spacing'"));
  CHECK_THROWS_WITH(refused("pitch", "0.07"), Contains("bars would overlap with those below: 'pitch'"));
}
