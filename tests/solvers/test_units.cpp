#include <catch2/catch.hpp>

#include "support/run_solver.hpp"
#include "support/small_problems.hpp"

/// The same problem in other units of mass, length and time has the same solution in those units, and so has every iterate
/// of a method whose constants have no unit.
using namespace ccp;
using namespace ccp::testing;

namespace {

/// How numbers grow: kg, m, s of the old units in new ones. Powers of four, so that square roots round alike, too.
struct Units {
  double mass = 1.0, length = 1.0, time = 1.0;
  double velocity() const { return length / time; }
  double impulse() const { return mass * length / time; }
};

/// A problem of free bodies with six degrees of freedom, in other units.
ContactProblem in_units(const ContactProblem& problem, const Units& units) {
  const GlobalForm& form = problem.global();
  const Index n = form.H.rows();
  Vector velocity(n), momentum(n);  // linear, then angular, of each body
  for (Index i = 0; i < n; ++i) {
    const bool angular = i % 6 >= 3;
    velocity[i] = angular ? 1.0 / units.time : units.velocity();
    momentum[i] = units.impulse() * (angular ? units.length : 1.0);
  }
  SparseMatrix H = form.H, D = form.D;
  for (Index j = 0; j < n; ++j)
    for (SparseMatrix::InnerIterator entry(H, j); entry; ++entry) entry.valueRef() *= momentum[entry.row()] / velocity[j];
  for (Index j = 0; j < D.cols(); ++j)
    for (SparseMatrix::InnerIterator entry(D, j); entry; ++entry)
      entry.valueRef() *= units.velocity() / velocity[entry.row()];
  ProblemBuilder builder("in other units");
  builder.global(H, momentum.cwiseProduct(form.k), D, Vector(units.velocity() * form.b));
  return builder.constraints(problem.constraints()).build();
}

struct Claim {
  std::string solver;
  Model model;
  std::vector<std::pair<std::string, FieldValue>> settings;
  double friction = 0.5;
};

/// Methods whose settings have no unit, or one that they take from the problem. ADMM without its preconditioner has ρ in
/// 1/kg, and is none of them.
std::vector<Claim> claims() {
  const std::pair<std::string, FieldValue> preconditioned{"preconditioner", std::string("diagonal")};
  return {{"jacobi", Model::ccp, {}},
          {"gauss_seidel", Model::ccp, {}},
          {"nsgs", Model::ncp, {}},
          {"pgs_lee", Model::ncp, {}},
          {"apgd", Model::ccp, {}},
          {"spg", Model::ccp, {}},
          {"p_spg_fb", Model::ccp, {}},
          {"projected_cg", Model::ccp, {}},
          {"admm", Model::ccp, {preconditioned}},
          {"admm", Model::ccp, {preconditioned, {"step_policy", std::string("balanced_normalized")}}},
          {"admm", Model::ccp, {preconditioned, {"step_policy", std::string("spectral")}}},
          {"fadmm", Model::ccp, {preconditioned}},
          {"ipm_qp", Model::ccp, {}, 0.0},
          {"ipm_cone", Model::ccp, {}},
          {"proximal_newton", Model::ncp, {}},
          {"proximal_newton", Model::ccp, {}},
          {"semismooth_newton", Model::ncp, {}},
          {"pqn", Model::ncp, {{"merit_scale", std::string("block")}}},
          {"subadmm", Model::ncp, {}},
          {"subadmm", Model::ccp, {}},
          {"admm_nobody", Model::ncp, {}},
          {"admm_nosub", Model::ncp, {}},
          {"canal", Model::ncp, {}},
          {"canal", Model::ccp, {}},
          {"al_trdogleg", Model::ncp, {}},
          {"al_damped_newton", Model::ncp, {}}};
}

}  // namespace

TEST_CASE("methods whose settings have no unit give the same iterates in any units of mass, length and time") {
  const Units choices[] = {{0x1p20, 1.0, 1.0}, {1.0, 0x1p10, 1.0}, {1.0, 1.0, 0x1p-12}, {0x1p-20, 0x1p-10, 0x1p6}};
  for (const Claim& claim : claims()) {
    const ContactProblem problem = random_problem(101, {5, 6, 2, 2, 2, claim.friction});
    StopRule stop;
    stop.max_iterations = 6;
    stop.tolerance = 0.0;
    const RunSpec spec{claim.solver, claim.model, stop, claim.settings};
    const Result given = run(problem, spec);
    REQUIRE(given.impulse.norm() > 0.0);
    for (const Units& units : choices) {
      CAPTURE(claim.solver, model_name(claim.model), units.mass, units.length, units.time);
      const ContactProblem other = in_units(problem, units);
      const Result result = run(other, spec);
      CHECK(result.iterations == given.iterations);
      CHECK((result.impulse / units.impulse() - given.impulse).norm() <= 1e-6 * given.impulse.norm());
      CHECK(result.measures[measure_index(Measure::relative_residual)] ==
            Approx(given.measures[measure_index(Measure::relative_residual)]).epsilon(1e-4).margin(1e-12));
    }
  }
}

TEST_CASE("ADMM without its preconditioner has its step in 1/kg, and other iterates in grams") {
  const ContactProblem problem = random_problem(101, {5, 6});
  StopRule stop;
  stop.max_iterations = 6;
  stop.tolerance = 0.0;
  const Result given = run(problem, {"admm", Model::ccp, stop});
  const Result grams = run(in_units(problem, {1024.0, 1.0, 1.0}), {"admm", Model::ccp, stop});
  CHECK((grams.impulse / 1024.0 - given.impulse).norm() > 1e-3 * given.impulse.norm());
}
