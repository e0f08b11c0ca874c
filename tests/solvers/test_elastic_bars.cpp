#include <algorithm>
#include <catch2/catch.hpp>

#include "core/error.hpp"
#include "problem/conversion.hpp"
#include "problem/delassus/operator_form.hpp"
#include "support/elastic_bars.hpp"
#include "support/run_solver.hpp"
#include "support/small_problems.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

StopRule at_residual(double tolerance, int iterations) {
  StopRule stop;
  stop.measure = Measure::velocity_residual;
  stop.tolerance = tolerance;
  stop.max_iterations = iterations;
  return stop;
}

double value(const Result& result, Measure which) { return result.measures[measure_index(which)]; }

}  // namespace

TEST_CASE("one iteration of ADMM does not solve an elastic bar on a rough floor, by any measure") {
  // It leaves impulses on contacts that separate. With blocks of H in place of N_ii the residual was 2e-8 m/s on steel.
  for (const double young : {1e6, 2e11}) {
    CAPTURE(young);
    BarShape shape{{12, 3, 3}, young};
    shape.roughness = 1e-3;
    const Result one = run(elastic_bars(shape), {"admm", Model::ccp, at_residual(1e-6, 1)});
    CHECK(one.status == Status::iteration_limit);
    CHECK(value(one, Measure::velocity_residual) > 1e-2);
    CHECK(value(one, Measure::natural_map) > 1e-2);
    CHECK(value(one, Measure::objective) > 0.0);
  }
}

TEST_CASE("P-ADMM converges on a bar of steel") {
  // In 123 iterations; with blocks of H in place of N_ii it stays at 0.1 m/s for a thousand.
  const Result result =
      run(elastic_bars({{12, 3, 3}, 2e11}),
          {"admm",
           Model::ccp,
           at_residual(1e-6, 200),
           {{"preconditioner", std::string("diagonal")}, {"rho", 3.0}, {"step_policy", std::string("fixed")}}});
  CHECK(result.status == Status::solved);
}

TEST_CASE("methods that need products and diagonal blocks run on elastic bars without N") {
  const BarShape shape{{4, 1, 1}, 1e5, 1e3, 1.0, 2};
  const Result best = run(elastic_bars(shape), {"ipm_cone", Model::ccp, at_residual(1e-9, 200)});
  REQUIRE(best.status == Status::solved);
  for (const std::string solver : {"apgd", "spg", "p_spg_fb", "projected_cg", "jacobi"}) {
    CAPTURE(solver);
    RunSpec spec{solver, Model::ccp, at_residual(1e-6, 20000), {{"operator", std::string("solved")}}};
    if (solver == "jacobi") spec.settings.emplace_back("omega", 0.1);
    const ContactProblem problem = elastic_bars(shape);
    const Result solved = run(problem, spec);
    CHECK(solved.status == Status::solved);
    CHECK(value(solved, Measure::objective) == Approx(value(best, Measure::objective)).epsilon(1e-5));
    for (const Conversion& conversion : problem.conversions()) CHECK(conversion.name != "global to local");
    spec.settings[0].second = std::string("assembled");
    CHECK(std::abs(run(problem, spec).iterations - solved.iterations) <= 2 + solved.iterations / 10);
  }
}

TEST_CASE("the operator by solves is chosen where N would have more numbers than the factor of H") {
  const ContactProblem one = elastic_bars({{12, 3, 3}}), three = elastic_bars({{12, 3, 3}, 1e6, 1e3, 1.0, 3});
  CHECK(&delassus_operator(one, OperatorUse::products, OperatorForm::automatic) == &one.assembled());
  CHECK(&delassus_operator(three, OperatorUse::products, OperatorForm::automatic) == &three.solved());
  CHECK(&delassus_operator(three, OperatorUse::products, OperatorForm::assembled) == &three.assembled());
  CHECK(one.rows() * one.rows() <= one.mass().factor_nonzeros());
  CHECK(three.rows() * three.rows() > three.mass().factor_nonzeros());
  const ContactProblem rigid = random_problem(41, {5, 7});
  CHECK(&delassus_operator(rigid, OperatorUse::products, OperatorForm::automatic) == &rigid.factored());
  CHECK(&delassus_operator(rigid, OperatorUse::products, OperatorForm::solved) == &rigid.solved());
}

TEST_CASE("pqn forms N where a product with it is cheaper than solves, however many rows it has") {
  const auto forms_N = [](const ContactProblem& problem) {
    run(problem, {"pqn", Model::ncp, at_residual(1e-6, 1)});
    const auto done = problem.conversions();
    return std::any_of(done.begin(), done.end(), [](const Conversion& one) { return one.name == "block-CSR operator"; });
  };
  // Eight bars that touch their neighbours alone, and a plate with many contacts.
  const ContactProblem loose = elastic_bars({{12, 3, 3}, 1e6, 1e3, 1.0, 8}), plate = elastic_bars({{12, 12, 1}});
  CHECK(loose.rows() * loose.rows() > 4 * loose.mass().factor_nonzeros());
  CHECK(delassus_numbers(loose) == loose.local().N.nonZeros());
  CHECK(delassus_numbers(loose) <= 4 * loose.mass().factor_nonzeros());
  CHECK(delassus_numbers(plate) == plate.rows() * plate.rows());
  CHECK(delassus_numbers(plate) > 4 * plate.mass().factor_nonzeros());
  CHECK(forms_N(loose));
  CHECK_FALSE(forms_N(plate));
}

TEST_CASE("the operator by solves is refused where there is none") {
  const ContactProblem local = as_local(random_problem(42, {5, 7}));
  const auto apgd = configured({"apgd", Model::ccp, {}, {{"operator", std::string("solved")}}});
  REQUIRE(apgd->supports(local, Model::ccp).has_value());
  CHECK(*apgd->supports(local, Model::ccp) == "operator 'solved' needs a problem in global form");
  CHECK_FALSE(apgd->supports(random_problem(42, {5, 7}), Model::ccp).has_value());
  for (const std::string sweeps : {"gauss_seidel", "nsgs"})
    CHECK_THROWS_AS(make_solver(sweeps)->settings().set("operator", std::string("solved")), InputError);
}
