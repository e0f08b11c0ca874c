#include <algorithm>
#include <catch2/catch.hpp>
#include <map>

#include "core/error.hpp"
#include "problem/judge/judge.hpp"
#include "problems/geometry/sphere_pairs.hpp"
#include "problems/random.hpp"
#include "support/build_scene.hpp"
#include "support/run_solver.hpp"
#include "tests/problems/same_bytes.hpp"

using namespace ccp;

TEST_CASE("the packing of the paper's size has the contacts of a close packing") {
  const ContactProblem problem = build_scene("sphere_press");
  CHECK(problem.dofs() == 6 * 4001);
  // Layers of 400 and 361 in turn: 5 of both and 195 more in an eleventh, of 400 sites.
  // Floor 400. Walls 4·20 for each of 5 large layers. Inside a large layer 2·20·19, inside a small one 2·19·18. Between
  // layers 4 for each sphere of a small one, up and down: 9 interfaces.
  Index expected = 400 + 5 * 80 + 5 * 760 + 5 * 684 + 9 * 4 * 361;
  // The eleventh layer takes every second site or so: its own contacts are what is left, each sphere on up to 4 others, and
  // 195 contacts with the slab.
  const Index last = problem.constraints().contacts() - expected;
  CHECK(last > 195 + 195 * 3);
  CHECK(last < 195 + 195 * 4 + 195 * 2 + 80);
  CHECK(problem.constraints().all_contacts_3d());
}

TEST_CASE("a pyramid of five spheres under a slab has its contacts where they are by hand") {
  // Four spheres of radius 0.15 in a square and one in the pocket above, 0.3/√2 higher.
  const ContactProblem problem = build_scene("sphere_press", {{"spheres", "5"}, {"per_side", "2"}, {"gap", "1e-9"}});
  // Floor 4, walls 8, in the square 4, above 4, the slab 1.
  REQUIRE(problem.constraints().contacts() == 21);
  const DenseMatrix D = DenseMatrix(problem.global().D);
  std::map<std::string, int> seen;
  for (Index i = 0; i < 21; ++i) {
    const Vector3 lift = D.block(6 * 4, 3 * i, 3, 1), slab = D.block(6 * 5, 3 * i, 3, 1);
    CHECK(problem.global().b[3 * i] > 0.0);
    CHECK(problem.global().b[3 * i] <= 2e-9 / 0.01);
    if (slab.norm() > 0.5) {
      ++seen["slab"];
      CHECK((slab - Vector3::UnitZ()).norm() < 1e-12);
      CHECK((lift + Vector3::UnitZ()).norm() < 1e-12);
    } else if (lift.norm() > 0.5) {
      ++seen["pocket"];
      CHECK((lift.cwiseAbs() - Vector3(0.5, 0.5, std::sqrt(0.5))).norm() < 1e-7);
    }
  }
  CHECK(seen["slab"] == 1);
  CHECK(seen["pocket"] == 4);
}

TEST_CASE("without gaps nothing moves and the objective is that of stopping the fall") {
  const ContactProblem problem = build_scene("sphere_press", {{"spheres", "50"}, {"per_side", "3"}, {"slab_mass", "500"}});
  CHECK(problem.global().b == Vector::Zero(problem.rows()));
  // k is the momentum that the fall would give: ½ kᵀH⁻¹k = ½ h² g² Σ m.
  const Vector& k = problem.global().k;
  Vector v(k.size());
  problem.mass().solve(k, v);
  CHECK(0.5 * k.dot(v) == Approx(0.5 * std::pow(0.01 * 9.81, 2) * 550.0));
}

TEST_CASE("a single column of spheres carries the slab") {
  // One sphere a layer: only floor, walls, the sphere above and the slab.
  const ContactProblem problem = build_scene("sphere_press", {{"spheres", "3"}, {"per_side", "1"}, {"envelope", "1e-6"}});
  REQUIRE(problem.constraints().contacts() == 3 * 4 + 3 + 1);
  const DenseMatrix D = DenseMatrix(problem.global().D);
  Vector impulse = Vector::Zero(problem.rows());
  for (Index i = 0; i < 16; ++i) {
    // The vertical contacts in turn, from the floor: 1003, 1002, 1001 and 1000 kg above them.
    for (Index body = 0; body < 4; ++body)
      if (D(6 * body + 2, 3 * i) == 1.0) impulse[3 * i] = 9.81 * 0.01 * static_cast<double>(1003 - body);
  }
  CHECK((impulse.array() > 0.0).count() == 4);
  for (const Model model : {Model::ccp, Model::ncp})
    CHECK(Judge(problem, model).evaluate(Measure::relative_residual, {&impulse, nullptr}) < 1e-11);
}

TEST_CASE("neighbours in a jittered packing still touch: every gap is the smallest one") {
  for (const std::uint64_t seed : {1u, 2u}) {
    const ContactProblem problem =
        build_scene("sphere_press", {{"spheres", "300"}, {"per_side", "6"}, {"jitter", "3e-3"}, {"gap", "1e-6"}}, seed);
    const Vector& b = problem.global().b;
    for (Index i = 0; i < problem.constraints().contacts(); ++i) {
      CHECK(b[3 * i] == 1e-6 / 0.01);
      CHECK((b[3 * i + 1] == 0.0 && b[3 * i + 2] == 0.0));
    }
  }
}

TEST_CASE("a packing is the same bytes for the same seed; the seed matters with jitter alone") {
  const auto build = [](const char* jitter, std::uint64_t seed) {
    return build_scene("sphere_press", {{"spheres", "100"}, {"per_side", "5"}, {"jitter", jitter}}, seed);
  };
  CHECK(same_bytes(build("1e-3", 5), build("1e-3", 5)));
  CHECK_FALSE(same_bytes(build("1e-3", 5), build("1e-3", 6)));
  CHECK(same_bytes(build("0", 5), build("0", 6)));
}

TEST_CASE("a packing refuses an envelope that leaves neighbours out") {
  CHECK_THROWS_WITH(build_scene("sphere_press", {{"jitter", "0.1"}}), Catch::Contains("expected less than 'envelope'"));
  CHECK_THROWS_AS(build_scene("sphere_press", {{"spheres", "0"}}), InputError);
  CHECK(build_scene("sphere_press", {{"spheres", "1"}, {"per_side", "1"}, {"slab_mass", "0"}}).dofs() == 6);
}

TEST_CASE("a random packing has settled: spheres are in the box, touch about six others each, and none hangs loose") {
  const auto build = [](std::uint64_t seed) {
    return build_scene("sphere_press", {{"packing", "random"}, {"spheres", "300"}, {"per_side", "6"}, {"gap", "1e-6"}},
                       seed);
  };
  const ContactProblem problem = build(1);
  CHECK(problem.dofs() == 6 * 301);
  CHECK(problem.constraints().contacts() > 300 * 2);
  CHECK(problem.constraints().contacts() < 300 * 4);
  CHECK(problem.global().b.minCoeff() == 0.0);  // tangential
  for (Index i = 0; i < problem.constraints().contacts(); ++i) {
    CHECK(problem.global().b[3 * i] >= 1e-6 / 0.01);
    CHECK(problem.global().b[3 * i] < 2e-3 / 0.01);
  }
  // Every sphere lies on something: few have fewer than three contacts.
  const DenseMatrix D = DenseMatrix(problem.global().D);
  int loose = 0;
  for (Index body = 0; body < 300; ++body) {
    int contacts = 0;
    for (Index i = 0; i < problem.constraints().contacts(); ++i)
      contacts += D.block(6 * body, 3 * i, 3, 1).squaredNorm() > 0.5 ? 1 : 0;
    loose += contacts < 3 ? 1 : 0;
  }
  CHECK(loose <= 3);
  CHECK(same_bytes(build(1), build(1)));
  CHECK_FALSE(same_bytes(build(1), build(2)));
}

TEST_CASE("pairs_within finds what a search of all pairs finds") {
  Random random(3);
  std::vector<Vector3> points;
  for (int i = 0; i < 400; ++i)
    points.push_back(Vector3(random.uniform(), 3.0 * random.uniform(), random.uniform(-1.0, 0.2)));
  for (const double reach : {0.02, 0.15, 5.0}) {
    std::vector<std::pair<int, int>> expected, found;
    for (int j = 0; j < 400; ++j)
      for (int i = 0; i < j; ++i)
        if ((points[static_cast<std::size_t>(i)] - points[static_cast<std::size_t>(j)]).norm() < reach)
          expected.emplace_back(i, j);
    for (const SpherePair& pair : pairs_within(points, reach)) found.emplace_back(pair.first, pair.second);
    CHECK(found == expected);
  }
  CHECK(pairs_within({}, 1.0).empty());
}

// The residual rises for five rounds, while bodies join, before it falls.
TEST_CASE("a packing is solved whose moving bodies are found late", "[slow]") {
  const ContactProblem problem = scene_with(
      "sphere_press",
      {{"packing", std::string("thrown")}, {"spheres", std::int64_t{840}}, {"per_side", std::int64_t{8}}, {"friction", 0.4}},
      14);
  StopRule stop;
  stop.measure = Measure::natural_map;
  stop.tolerance = 1e-8;
  stop.max_iterations = 1000;
  const Result result = testing::run(problem, {"proximal_newton", Model::ncp, stop, {}});
  CHECK(result.status == Status::solved);
  CHECK(result.counters.factorizations <= 200);
}
