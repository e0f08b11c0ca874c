#include <algorithm>
#include <catch2/catch.hpp>

#include "support/run_solver.hpp"
#include "support/small_problems.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

StopRule to(double tolerance) {
  StopRule stop;
  stop.tolerance = tolerance;
  stop.max_iterations = 20000;
  return stop;
}

}  // namespace

TEST_CASE("pqn has the defaults of Table 1") {
  const auto solver = make_solver("pqn");
  const auto number = [&](const char* name) { return std::get<double>(solver->settings().find(name)->default_value); };
  const auto whole = [&](const char* name) { return std::get<std::int64_t>(solver->settings().find(name)->default_value); };
  CHECK(number("merit_tolerance") == 1e-8);
  CHECK(number("omega") == 1e-3);
  CHECK(number("delta") == 0.0);
  CHECK(number("epsilon") == 0.25);
  CHECK(whole("iterations") == 1000);
  CHECK(whole("inner_iterations") == 10);
  CHECK(whole("restart") == 20);
  CHECK(whole("product_cap") == 100000);
}

TEST_CASE("pqn with exact steps is Newton's method: a few of them are enough") {
  for (const std::uint64_t seed : {81, 82, 83}) {
    const Result result = run(random_problem(seed, {6, 4}),
                              {"pqn",
                               Model::ncp,
                               to(1e-12),
                               {{"epsilon", 1e-10}, {"inner_iterations", std::int64_t{60}}, {"restart", std::int64_t{60}}}});
    CHECK(result.status == Status::solved);
    CHECK(result.iterations <= 12);
  }
}

TEST_CASE("every GMRES solve of pqn is exact enough or at its limit, and all together keep to the cap") {
  for (const int cap : {7, 100000}) {
    MemoryTrace trace;
    const Result result =
        run(random_problem(84, {3, 12}), {"pqn", Model::ncp, to(1e-10), {{"product_cap", std::int64_t{cap}}}}, &trace);
    CHECK(result.status == Status::solved);
    double products = 0.0;
    for (std::size_t row = 1; row < trace.rows.size(); ++row) {
      products += trace.native(row, "gmres_products");
      if (trace.native(row, "fallback") == 0.0 && products < cap)
        CHECK((trace.native(row, "gmres_residual") <= 0.25 || trace.native(row, "gmres_products") == 10.0));
    }
    CHECK(products <= cap);
    CHECK((trace.native(trace.rows.size() - 1, "fallback") == 1.0) == (cap == 7));
  }
}

TEST_CASE("pqn records where Gauss–Seidel took over") {
  const ContactProblem problem = random_problem(85, {3, 12});
  RunSpec spec{"pqn", Model::ncp, to(1e-10), {{"iterations", std::int64_t{2}}}};
  MemoryTrace trace;
  const Result result = run(problem, spec, &trace);
  CHECK(result.status == Status::solved);
  CHECK_THAT(result.reason, Catch::Contains("after 2 Newton steps: Gauss–Seidel"));
  REQUIRE(result.notes.size() == 1);
  CHECK(result.notes.front() == result.reason);
  for (std::size_t row = 0; row < trace.rows.size(); ++row) CHECK(trace.native(row, "fallback") == (row > 2 ? 1.0 : 0.0));

  spec.settings.emplace_back("fallback", false);
  const Result alone = run(problem, spec);
  CHECK(alone.status == Status::stalled);
  CHECK(alone.iterations == 2);
  CHECK_THAT(alone.reason, Catch::Contains("after 2 Newton steps"));
}

TEST_CASE("a relative delta of pqn is that times a diagonal entry of N") {
  const ContactProblem problem = random_problem(86, {3, 6});
  const Vector diagonal = problem.local().N.diagonal();
  const std::vector<std::pair<std::string, double>> cases{
      {"min", diagonal.minCoeff()}, {"avg", diagonal.mean()}, {"max", diagonal.maxCoeff()}};
  MemoryTrace plain;
  run(problem, {"pqn", Model::ncp, to(1e-8)}, &plain);
  for (const auto& [name, entry] : cases) {
    MemoryTrace relative, absolute;
    run(problem, {"pqn", Model::ncp, to(1e-8), {{"delta", 0.1}, {"delta_relative", name}}}, &relative);
    run(problem, {"pqn", Model::ncp, to(1e-8), {{"delta", 0.1 * entry}}}, &absolute);
    CAPTURE(name);
    REQUIRE(relative.rows.size() > 2);
    CHECK(relative.native(2, "pqn_merit") == Approx(absolute.native(2, "pqn_merit")).epsilon(1e-6));
    CHECK(relative.native(2, "pqn_merit") != Approx(plain.native(2, "pqn_merit")).epsilon(1e-6));
  }
}

TEST_CASE("the merit of pqn is one where nothing is known of contacts that close, zero where they open") {
  MemoryTrace closing, opening;
  run(point_mass(2.0, {-1.0, 0.0, 0.0}, 0.4), {"pqn", Model::ncp, to(1e-8)}, &closing);
  run(point_mass(2.0, {1.0, 0.0, 0.0}, 0.4), {"pqn", Model::ncp, to(1e-8)}, &opening);
  CHECK(closing.native(0, "pqn_merit") == Approx(1.0).epsilon(1e-12));
  CHECK(opening.native(0, "pqn_merit") == 0.0);
}

TEST_CASE("pqn does not depend on the unit of mass") {
  const auto iterations = [](double mass) {
    return run(redundant_point_mass(mass, {-1.0, 0.7, 0.1}, 0.4, 3), {"pqn", Model::ncp, to(1e-9)}).iterations;
  };
  CHECK(iterations(0x1p-40) == iterations(1.0));
  CHECK(iterations(0x1p+30) == iterations(1.0));
}
