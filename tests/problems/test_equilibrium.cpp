#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "problem/judge/balance.hpp"
#include "problem/problem_builder.hpp"
#include "support/build_scene.hpp"
#include "support/run_solver.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

using Settings = std::vector<std::pair<const char*, const char*>>;

/// Scenes of one step whose bodies rest, with the parameters of configs at sizes that take less than a second.
const std::vector<std::pair<std::string, Settings>> scenes_at_rest = {
    {"odd_mass_stack", {}},
    {"odd_mass_stack", {{"spheres", "99"}}},
    {"odd_mass_stack", {{"spheres", "5"}, {"heavy_index", "3"}}},
    {"sphere_press", {{"spheres", "200"}, {"per_side", "6"}}},
    {"sphere_press", {{"spheres", "200"}, {"per_side", "6"}, {"jitter", "0.001"}}},
    {"sphere_press", {{"spheres", "360"}, {"per_side", "8"}, {"jitter", "0.001"}}},
    {"sphere_press", {{"spheres", "60"}, {"per_side", "4"}, {"jitter", "0.05"}, {"envelope", "0.05"}}},
    {"sphere_press", {{"spheres", "28"}, {"per_side", "5"}}},
    {"sphere_press", {{"spheres", "4"}, {"per_side", "2"}}},
    {"guided_stack", {{"spheres", "40"}, {"mass", "100"}}},
    {"guided_stack", {{"spheres", "20"}, {"mass", "100"}, {"friction", "0.5"}}},
    {"guided_stack", {{"spheres", "40"}, {"mass", "1e12"}}},
    {"guided_stack", {{"spheres", "8"}, {"mass", "10"}, {"growth", "10"}}},  // of 15 the rounding floor is near g h
    {"dish_pile", {{"load", "0"}}},
};

/// Why the bodies of the other scenes do not rest in the step of their problem.
const std::map<std::string, std::string> scenes_that_move = {
    {"random_contacts", "bodies in motion"},
    {"spinning_contacts", "bodies in motion"},
    {"sliding_sphere", "thrown"},
    {"bolt_nut", "wrenches turn the nut within its play"},
    {"ball_box", "falls"},
    {"single_ball", "falls"},
    {"single_brick", "falls"},
    {"drum", "falls"},
    {"deformable_bars", "falls"},
    {"three_point_bending", "elastic, pressed by a punch"},
    {"cube_array", "shaken"},
    {"wrecking_ball", "struck"},
    {"cohesive_ball", "falls"},
    {"mixer", "falls"},
    {"robot_manipulator", "driven"},
    {"quadrupeds", "driven"},
};

ContactProblem built(const std::string& scene, const Settings& settings, std::uint64_t seed) {
  const auto made = make_scene(scene);
  for (const auto& [name, value] : settings) made->parameters().set_from_text(name, value);
  return made->build(seed);
}

Vector solved(const ContactProblem& problem) {
  RunSpec spec;
  spec.solver = "reference";
  spec.model = Model::ccp;
  spec.stop = {Measure::relative_residual, 1e-13, true, 100000, 60.0};
  return run(problem, spec).impulse;
}

}  // namespace

TEST_CASE("every scene says whether its bodies rest") {
  for (const std::string& name : scene_names()) {
    CAPTURE(name);
    const bool rests =
        std::any_of(scenes_at_rest.begin(), scenes_at_rest.end(), [&](const auto& entry) { return entry.first == name; });
    CHECK(rests != (scenes_that_move.count(name) > 0));
  }
}

TEST_CASE("scenes at rest are in equilibrium: the ground bears the weight, and nothing moves") {
  for (const auto& [scene, settings] : scenes_at_rest)
    for (const std::uint64_t seed : {1u, 2u}) {
      const ContactProblem problem = built(scene, settings, seed);
      const Balance balance = balance_of(problem, solved(problem));
      CAPTURE(scene, problem.constraints().count(), seed);
      CHECK(balance.load_carried == Approx(1.0).margin(1e-6));
      CHECK(balance.speed_left < 1e-6);
    }
}

TEST_CASE("the slab rests on a random packing, in which loose spheres fall") {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const ContactProblem problem =
        built("sphere_press", {{"packing", "random"}, {"spheres", "280"}, {"per_side", "6"}}, seed);
    const Vector impulse = solved(problem);
    Vector v, u;
    problem.local_velocity(impulse, v, u);
    CHECK(v.tail<6>().cwiseAbs().maxCoeff() < 1e-6 * 0.0981);
    const Balance balance = balance_of(problem, impulse);
    CHECK(balance.load_carried > 0.99);
    CHECK(balance.load_carried < 1.0 + 1e-6);
  }
}

TEST_CASE("the balance of a mass on the floor, by hand") {
  // 2 kg that would fall with 0.5 m/s, held by a half of its weight.
  DenseMatrix H = DenseMatrix::Identity(3, 3) * 2.0;
  ProblemBuilder builder;
  builder.global(SparseMatrix(H.sparseView()), Vector3(-1.0, 0.0, 0.0),
                 SparseMatrix(DenseMatrix::Identity(3, 3).sparseView()), Vector3::Zero());
  const ContactProblem problem = builder.contact(0.4).build();
  for (const double part : {0.0, 0.5, 1.0}) {
    const Balance balance = balance_of(problem, Vector3(part, 0.0, 0.0));
    CHECK(balance.load_carried == Approx(part).margin(1e-15));
    CHECK(balance.speed_left == Approx(1.0 - part).margin(1e-15));
  }
  ProblemBuilder local;
  local.local(SparseMatrix(H.sparseView()), Vector3::Ones());
  CHECK(std::isnan(balance_of(local.contact(0.4).build(), Vector3::Zero()).load_carried));
}
