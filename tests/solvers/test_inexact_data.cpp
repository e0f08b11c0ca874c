#include <Eigen/Eigenvalues>
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "support/run_solver.hpp"
#include "support/small_problems.hpp"
#include "support/uniform.hpp"

/// Every registered solver on problems whose N is not what the theory asks for: some real dumps have an indefinite N, some
/// an unsymmetric one.
using namespace ccp;
using namespace ccp::testing;

namespace {

ContactProblem with_matrix(const ContactProblem& base, const DenseMatrix& N, const std::string& name) {
  ProblemBuilder builder(name);
  return builder.local(sparse(N), base.local().r).constraints(base.constraints()).build();
}

double least_eigenvalue(const ContactProblem& problem) {
  const DenseMatrix N(problem.symmetrised().local().N);
  return Eigen::SelfAdjointEigenSolver<DenseMatrix>(N).eigenvalues()[0];
}

/// N minus a part of rank one: by more than the redundancy of N can take.
ContactProblem indefinite(std::uint64_t seed, double part) {
  const ContactProblem base = as_local(random_problem(seed, {3, 6}));
  DenseMatrix N(base.local().N);
  const Vector direction = Uniform(seed + 100).vector(N.rows()).normalized();
  N -= part * N.trace() / static_cast<double>(N.rows()) * direction * direction.transpose();
  return with_matrix(base, N, "indefinite");
}

ContactProblem unsymmetric(std::uint64_t seed, double part) {
  const ContactProblem base = as_local(random_problem(seed, {3, 6}));
  DenseMatrix N(base.local().N);
  N += part * N.cwiseAbs().maxCoeff() * Uniform(seed + 100).matrix(N.rows(), N.cols());
  return with_matrix(base, N, "unsymmetric");
}

double judged_once_more(const Result& result, const ContactProblem& problem, Model model) {
  return Judge(problem, model).evaluate(Measure::relative_residual, {&result.impulse, nullptr});
}

/// Runs every solver that takes the problem; calls check(name, model, result, residual).
template <typename Check>
void run_all(const ContactProblem& problem, const StopRule& stop, const Check& check) {
  for (const std::string& name : solver_names())
    for (const Model model : {Model::ccp, Model::ncp}) {
      const RunSpec spec{name, model, stop};
      if (configured(spec)->supports(problem, model)) continue;
      CAPTURE(problem.name(), name, model_name(model));
      const Result result = run(problem, spec);
      REQUIRE(result.impulse.size() == problem.rows());
      check(name, model, result, judged_once_more(result, problem, model));
    }
}

StopRule limited(bool native) {
  StopRule stop;
  stop.tolerance = 1e-8;
  stop.native = native;
  stop.max_iterations = 400;
  stop.time_limit_s = 2.0;
  return stop;
}

}  // namespace

TEST_CASE("on an indefinite N every solver ends, and solved means that the N as given is solved") {
  const ContactProblem problem = indefinite(41, 0.3);
  REQUIRE(least_eigenvalue(problem) < -0.1);
  REQUIRE(problem.clipped() > 0.01);
  int solved = 0;
  run_all(problem, limited(false), [&](const std::string&, Model, const Result& result, double residual) {
    CHECK((result.status == Status::solved) == (residual <= 1e-8));
    CHECK(result.status != Status::failed);
    if (result.status == Status::solved) ++solved;
  });
  CHECK(solved > 0);
}

TEST_CASE("a form that has only the part LLᵀ of an indefinite N says so, and its solution is none") {
  const ContactProblem problem = indefinite(41, 0.3);
  for (const std::string name : {"admm", "ipm_cone"})
    for (const bool native : {false, true}) {
      CAPTURE(name, native);
      const RunSpec spec{name, Model::ccp, limited(native), {{"linear_system", std::string("saddle")}}};
      const Result result = run(problem, spec);
      CHECK(judged_once_more(result, problem, Model::ccp) > 1e-4);
      CHECK(result.status != Status::solved);
      if (native) CHECK(result.status == Status::false_converged);
      const bool told = std::any_of(result.notes.begin(), result.notes.end(),
                                    [](const std::string& note) { return note.find("N = LLᵀ up to") == 0; });
      CHECK(told);
    }
}

TEST_CASE("what a solver believes of an indefinite N is no success when the measure says otherwise") {
  const ContactProblem problem = indefinite(41, 0.3);
  int deceived = 0;
  run_all(problem, limited(true), [&](const std::string&, Model, const Result& result, double residual) {
    if (result.status == Status::solved) CHECK(residual <= 1e-8);
    if (result.status != Status::false_converged) return;
    CHECK(residual > 1e-8);
    ++deceived;
  });
  CHECK(deceived > 0);
}

TEST_CASE("an N that is unsymmetric by a tenth has an honest end, too") {
  const ContactProblem problem = unsymmetric(42, 0.1);
  CHECK(problem.symmetry_defect() > 0.05);
  for (const bool native : {false, true})
    run_all(problem, limited(native), [&](const std::string&, Model, const Result& result, double residual) {
      if (result.status == Status::solved) CHECK(residual <= 1e-8);
      if (result.status == Status::false_converged) CHECK(residual > 1e-8);
      CHECK(result.status != Status::failed);
    });
}

TEST_CASE("both defects at once, with a singular N, crash nothing") {
  ContactProblem base = as_local(redundant_point_mass(2.0, {-1.0, 0.4, 0.1}, 0.4, 4));
  DenseMatrix N(base.local().N);
  N += 0.02 * N.cwiseAbs().maxCoeff() * Uniform(7).matrix(N.rows(), N.cols());
  const ContactProblem problem = with_matrix(base, N, "indefinite and unsymmetric");
  REQUIRE(least_eigenvalue(problem) < 0.0);
  REQUIRE(problem.symmetry_defect() > 0.0);
  run_all(problem, limited(false), [&](const std::string&, Model, const Result& result, double residual) {
    CHECK((result.status == Status::solved) == (residual <= 1e-8));
  });
}
