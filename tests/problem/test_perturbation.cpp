#include <Eigen/QR>
#include <catch2/catch.hpp>

#include "core/error.hpp"
#include "problem/perturbation.hpp"
#include "support/small_problems.hpp"
#include "support/uniform.hpp"

using namespace ccp;
using namespace ccp::testing;

TEST_CASE("a perturbation has the size asked for and lies in the range of N", "[perturbation]") {
  const ContactProblem redundant = redundant_point_mass(2.0, {-1.0, 0.3, 0.2}, 0.4, 3);
  const ContactProblem random = random_problem(5, {4, 4, 1, 1, 1});
  for (const ContactProblem& problem : {redundant, random, as_local(redundant), as_local(random)}) {
    CAPTURE(problem.name());
    const ContactProblem neighbour = perturbed(problem, {0.1, 1.0, 3});
    const Vector change = neighbour.free_velocity() - problem.free_velocity();
    CHECK(change.norm() == Approx(0.1 * problem.free_velocity().norm()).epsilon(1e-10));
    const DenseMatrix N(problem.local().N);
    const Vector z = Eigen::CompleteOrthogonalDecomposition<DenseMatrix>(N).solve(change);
    CHECK((N * z - change).norm() <= 1e-10 * change.norm());
    CHECK(neighbour.given_global() == problem.given_global());
    CHECK(neighbour.constraints() == problem.constraints());
    CHECK((DenseMatrix(neighbour.local().N) - N).cwiseAbs().maxCoeff() <= 1e-13 * N.cwiseAbs().maxCoeff());
  }
}

TEST_CASE("seeds give different neighbours, the same seed the same one", "[perturbation]") {
  const ContactProblem problem = random_problem(5, {4, 4});
  const Vector first = perturbed(problem, {0.5, 1.0, 1}).free_velocity();
  CHECK(first == perturbed(problem, {0.5, 1.0, 1}).free_velocity());
  CHECK((first - perturbed(problem, {0.5, 1.0, 2}).free_velocity()).norm() > 1e-3);
}

TEST_CASE("friction is scaled, and nothing else without noise", "[perturbation]") {
  const ContactProblem problem = random_problem(5, {4, 3, 1, 1, 1});
  const ContactProblem rough = perturbed(problem, {0.0, 2.0, 0});
  for (Index i = 0; i < problem.constraints().count(); ++i)
    CHECK(rough.constraints().friction(i) == 2.0 * problem.constraints().friction(i));
  CHECK(rough.free_velocity() == problem.free_velocity());
  CHECK(perturbed(problem, {}).name() == problem.name());
}

TEST_CASE("b is changed entry by entry, in global form alone", "[perturbation]") {
  const ContactProblem still = random_problem(5, {4, 4, 1, 1, 1});
  const GlobalForm& form = still.global();
  ProblemBuilder builder("moving");
  builder.global(form.H, form.k, form.D, Uniform(6).vector(still.rows())).constraints(still.constraints());
  const ContactProblem problem = builder.build();
  const ContactProblem neighbour = perturbed(problem, {.seed = 3, .b_noise = 0.01});
  const Vector &b = problem.global().b, change = neighbour.global().b - b;
  CHECK((change.cwiseAbs().array() <= (0.01 + 1e-15) * b.cwiseAbs().array()).all());
  CHECK(change.norm() > 1e-3 * b.norm());
  CHECK(neighbour.global().k == problem.global().k);
  CHECK((change - (perturbed(problem, {.seed = 4, .b_noise = 0.01}).global().b - b)).norm() > 1e-3 * b.norm());
  // The noise of r is not that of b.
  const Vector both = perturbed(problem, {.noise = 0.01, .seed = 3, .b_noise = 0.01}).global().b - b;
  CHECK(both == change);
  const ContactProblem soft = perturbed(problem, {.compliance = 0.1});
  const ContactProblem local = perturbed(as_local(problem), {.compliance = 0.1});
  CHECK(DenseMatrix(soft.local().N).isApprox(DenseMatrix(local.local().N), 1e-12));
  const Matrix3 first = DenseMatrix(problem.local().N).topLeftCorner(3, 3);
  CHECK(soft.global().C.coeff(1, 1) == Approx(0.1 * first.trace() / 3.0));
  CHECK_THROWS_WITH(perturbed(as_local(problem), {.b_noise = 0.01}), Catch::Contains("global form"));
}

TEST_CASE("a problem with cohesion is not perturbed", "[perturbation]") {
  ProblemBuilder builder("cohesive");
  builder.global(diagonal(Vector3::Ones()), Vector3::Ones(), sparse(DenseMatrix::Identity(3, 3)), Vector3::Zero());
  CHECK_THROWS_AS(perturbed(builder.cohesive_contact(0.5, 1.0).build(), {0.1, 1.0, 0}), InputError);
}
