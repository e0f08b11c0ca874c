#include <catch2/catch.hpp>

#include "problem/conversion.hpp"
#include "problem/judge/judge.hpp"
#include "support/small_problems.hpp"
#include "support/uniform.hpp"

using namespace ccp;
using namespace ccp::testing;

TEST_CASE("local to global reproduces N and r") {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const ContactProblem given = random_problem(seed, {3, 6, 1, 2, 1});
    const ContactProblem local = as_local(given);
    const GlobalForm& form = local.global();
    const DenseMatrix D(form.D), N(local.local().N);
    CHECK((D.transpose() * D - N).cwiseAbs().maxCoeff() <= 1e-13 * N.cwiseAbs().maxCoeff());
    CHECK(form.b == local.local().r);
    CHECK(form.k.isZero(0.0));
    CHECK(local.clipped() <= 1e-13);
    CHECK_FALSE(local.given_global());
  }
}

TEST_CASE("the rank of a redundant problem is revealed") {
  const ContactProblem local = as_local(redundant_point_mass(2.0, {-1, 0, 0}, 0.5, 4));
  CHECK(local.rows() == 12);
  CHECK(local.global().H.rows() == 3);
}

TEST_CASE("an indefinite N is clipped and the defect is said") {
  DenseMatrix N = Vector3(2.0, 1.0, -0.5).asDiagonal();
  N(0, 1) = N(1, 0) = 0.5;
  ProblemBuilder builder;
  const ContactProblem problem = builder.local(sparse(N), Vector3(-1, 0, 0)).contact(0.5).build();
  const DenseMatrix D(problem.global().D);
  CHECK(D.rows() == 2);
  DenseMatrix clipped = N;
  clipped(2, 2) = 0.0;
  CHECK((D.transpose() * D - clipped).cwiseAbs().maxCoeff() <= 1e-14);
  CHECK(problem.clipped() == Approx(0.25));
}

TEST_CASE("a negative part that the diagonal does not show is clipped, too") {
  DenseMatrix N = DenseMatrix::Zero(3, 3);
  N(0, 0) = 2.0;
  N(1, 2) = N(2, 1) = 1.0;  // eigenvalues 1 and -1
  ProblemBuilder builder;
  const ContactProblem problem = builder.local(sparse(N), Vector3(-1, 0, 0)).contact(0.5).build();
  const DenseMatrix D(problem.global().D);
  CHECK(D.rows() == 2);
  DenseMatrix clipped = N;
  clipped.bottomRightCorner(2, 2).setConstant(0.5);
  CHECK((D.transpose() * D - clipped).cwiseAbs().maxCoeff() <= 1e-14);
  CHECK(problem.clipped() == Approx(0.25));
}

TEST_CASE("conversions are cached and timed") {
  const ContactProblem problem = random_problem(4, {3, 4});
  CHECK(problem.conversions().size() == 1);  // inverse of H, by the builder
  const AssembledDelassus* first = &problem.assembled();
  const auto count = problem.conversions().size();
  CHECK(count == 4);  // and free velocity, global to local, block-CSR
  CHECK(&problem.assembled() == first);
  const ContactProblem copy = problem;
  CHECK(&copy.assembled() == first);
  CHECK(problem.conversions().size() == count);
  for (const Conversion& conversion : problem.conversions()) CHECK(conversion.seconds >= 0.0);
}

TEST_CASE("both forms give the same local velocity") {
  for (const bool coupled : {false, true}) {
    RandomShape shape{4, 3, 1, 1, 2};
    shape.coupled_mass = coupled;
    shape.compliance = true;
    const ContactProblem global = random_problem(9, shape), local = as_local(global);
    Uniform uniform(3);
    const Vector gamma = uniform.vector(global.rows());
    Vector scratch, from_global, from_local;
    global.local_velocity(gamma, scratch, from_global);
    local.local_velocity(gamma, scratch, from_local);
    CHECK((from_global - from_local).norm() <= 1e-13 * from_global.norm());
  }
}

TEST_CASE("symmetrising an unsymmetric N") {
  DenseMatrix N = 2.0 * DenseMatrix::Identity(3, 3);
  N(0, 1) = 0.25;
  N(1, 0) = 0.75;
  ProblemBuilder builder("unsymmetric");
  const ContactProblem problem = builder.local(sparse(N), Vector3(-1, 0, 0)).contact(0.5).build();
  CHECK(problem.symmetry_defect() == Approx(0.25));
  const ContactProblem symmetric = problem.symmetrised();
  CHECK(symmetric.symmetry_defect() == 0.0);
  CHECK(symmetric.local().N.coeff(0, 1) == 0.5);
  CHECK(symmetric.local().N.coeff(1, 0) == 0.5);
  CHECK(problem.local().N.coeff(0, 1) == 0.25);
  // The judge measures ccp on the symmetric part, ncp on N as it is.
  const Vector gamma = Vector3(1.0, 0.5, 0.0);
  Judge convex(problem, Model::ccp), coulomb(problem, Model::ncp);
  convex.evaluate(Measure::velocity_residual, {&gamma, nullptr});
  coulomb.evaluate(Measure::velocity_residual, {&gamma, nullptr});
  CHECK(convex.local_velocity()[0] == Approx(2.0 + 0.25 - 1.0));
  CHECK(coulomb.local_velocity()[0] == Approx(2.0 + 0.125 - 1.0));
}
