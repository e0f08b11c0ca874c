#include <catch2/catch.hpp>

#include "problem/conversion.hpp"
#include "problems/registry.hpp"
#include "solvers/splitting/rho_policy.hpp"
#include "support/run_solver.hpp"
#include "support/small_problems.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

RhoSettings settings(RhoPolicy policy) {
  RhoSettings chosen;
  chosen.policy = policy;
  return chosen;
}

/// TEST 1.B of Tasora et al. 2021 with FADMM at the fixed step 0.05, to 1e-9.
Result lifted_stack(const char* preconditioner) {
  const auto scene = make_scene("odd_mass_stack");
  scene->parameters().set("lift_factor", 2.0);
  RunSpec spec{"fadmm"};
  spec.stop.tolerance = 1e-9;
  spec.stop.max_iterations = 1000;
  spec.settings = {{"step_policy", std::string("fixed")}, {"preconditioner", std::string(preconditioner)}};
  return run(scene->build(0), spec);
}

}  // namespace

TEST_CASE("the normalised policy balances relative residuals and falls back where one has no size") {
  const RhoSettings normalized = settings(RhoPolicy::balanced_normalized);
  CHECK(rho_factor(normalized, 5, {3.0, 1.0, 4.0, 8.0}) == 6.0);
  CHECK(rho_factor(normalized, 5, {3.0, 1.0, 4.0, 0.0}) == 3.0);
  CHECK(rho_factor(normalized, 5, {3.0, 1.0, 0.0, 8.0}) == 3.0);
  CHECK(rho_factor(normalized, 5, {0.0, 0.0, 4.0, 8.0}) == 1.0);
}

TEST_CASE("half a power of the ratio meets the balance that the whole one overshoots") {
  // Residuals that follow ρ: balanced at ρ* = 1.
  const auto next = [](double exponent, double rho) {
    RhoSettings balanced = settings(RhoPolicy::balanced);
    balanced.exponent = exponent;
    return rho * rho_factor(balanced, 5, {1.0 / rho, rho});
  };
  CHECK(next(1.0, 4.0) == Approx(0.25));
  CHECK(next(1.0, 0.25) == Approx(4.0));  // a cycle
  CHECK(next(0.5, 4.0) == Approx(1.0));
  CHECK(next(0.5, 0.25) == Approx(1.0));
  // TEST 1.B to 1e-9, where the printed policy changes ρ again and again.
  const auto scene = make_scene("odd_mass_stack");
  scene->parameters().set("lift_factor", 2.0);
  RunSpec spec{"admm"};
  spec.stop.tolerance = 1e-9;
  const Result printed = run(scene->build(0), spec);
  spec.settings = {{"balance_exponent", 0.5}};
  const Result damped = run(scene->build(0), spec);
  CHECK(printed.status == Status::solved);
  CHECK(damped.status == Status::solved);
  CHECK(2 * damped.iterations < printed.iterations);
  CHECK(4 * damped.counters.factorizations < printed.counters.factorizations);
}

TEST_CASE("the spectral policy takes the geometric mean of the correlated curvatures") {
  const RhoSettings spectral = settings(RhoPolicy::spectral);
  const Curvature nine{1.0, 9.0, 81.0}, four{1.0, 4.0, 16.0}, uncorrelated{1.0, 0.1, 1.0};
  RhoObservation seen;
  seen.rho = 0.5;
  seen.quadratic = nine;
  seen.cone = four;
  CHECK(rho_factor(spectral, 5, seen) == Approx(12.0));  // sqrt(9 · 4)/0.5
  seen.cone = uncorrelated;
  CHECK(rho_factor(spectral, 5, seen) == Approx(18.0));
  seen.quadratic = Curvature{};
  CHECK(rho_factor(spectral, 5, seen) == 1.0);
}

TEST_CASE("extrapolated FADMM solves TEST 1.B from a fixed step that is not tuned") {
  const Result plain = lifted_stack("none"), preconditioned = lifted_stack("diagonal");
  INFO(plain.iterations << " iterations, preconditioned " << preconditioned.iterations);
  CHECK(plain.status == Status::solved);
  CHECK(preconditioned.status == Status::solved);
  CHECK(plain.iterations <= 175);           // measured 145
  CHECK(preconditioned.iterations <= 115);  // measured 96
}

TEST_CASE("every step policy of both methods solves and is its own warm start") {
  const ContactProblem problem = random_problem(61, {6, 6, 0, 0, 2});
  for (const char* method : {"admm", "fadmm"})
    for (const char* policy : {"balanced", "balanced_normalized", "spectral"}) {
      CAPTURE(method, policy);
      RunSpec spec{method, Model::ccp, {}, {{"step_policy", std::string(policy)}}};
      const Result cold = run(problem, spec);
      CHECK(cold.status == Status::solved);
      spec.start = {cold.impulse, cold.velocity, cold.carried};
      CHECK(run(problem, spec).iterations == 0);
    }
}

TEST_CASE("the step stays between its bounds, which must be in order") {
  const ContactProblem problem = random_problem(45, {6, 6});
  RunSpec spec{"admm", Model::ccp, {}, {{"step_policy", std::string("balanced")}}};
  const double free_step = run(problem, spec).carried;
  REQUIRE(free_step != 0.1);
  spec.stop.max_iterations = 40;
  const double bound = 2.0 * free_step / delassus_diagonal(problem).mean();
  spec.settings = {{"rho_min", bound}, {"rho_max", bound}};
  CHECK(run(problem, spec).carried == Approx(2.0 * free_step));
  spec.settings = {{"rho_min", 2.0 * bound}, {"rho_max", bound}};
  CHECK(configured(spec)->supports(problem, Model::ccp) == std::string("rho_min is above rho_max"));
}
