#include <Eigen/LU>
#include <catch2/catch.hpp>
#include <cmath>

#include "core/error.hpp"
#include "problem/conversion.hpp"
#include "problem/judge/judge.hpp"
#include "problem/perturbation.hpp"
#include "support/small_problems.hpp"

/// Problems whose H is not symmetric (A.6).
using namespace ccp;
using namespace ccp::testing;

namespace {

std::vector<ContactProblem> unsymmetric_problems() {
  RandomShape shape{4, 3, 1, 1, 1};
  shape.skew = 2.0;
  RandomShape coupled = shape;
  coupled.coupled_mass = coupled.compliance = true;
  return {random_problem(1, shape, "bodies"), random_problem(2, coupled, "coupled, compliant")};
}

DenseMatrix dense_delassus(const ContactProblem& problem) {
  const GlobalForm& form = problem.global();
  const DenseMatrix D(form.D);
  return D.transpose() * DenseMatrix(form.H).fullPivLu().solve(D) + DenseMatrix(form.C);
}

/// A body that spins about its third principal axis, over a smooth floor: one unilateral row with the lever (x, y).
struct Spinner {
  Vector3 J{1.0, 2.0, 2.5};
  double mass = 3.0, hw = 0.3, x = 0.4, y = -0.7;

  ContactProblem problem(double sink) const {
    Vector diagonal_entries(6);
    diagonal_entries << mass, mass, mass, J;
    DenseMatrix H = diagonal_entries.asDiagonal();
    H(3, 4) = hw * (J[2] - J[1]);
    H(4, 3) = hw * (J[0] - J[2]);
    DenseMatrix D = DenseMatrix::Zero(6, 1);
    D(2, 0) = 1.0;
    D(3, 0) = x;
    D(4, 0) = y;
    Vector k = Vector::Zero(6);
    k[2] = -mass * sink;
    ProblemBuilder builder("spinner");
    return builder.global(sparse(H), k, sparse(D), Vector::Zero(1)).unilateral().build();
  }
  /// 1/m + (x, y) [J₁ a; c J₂]⁻¹ (x, y)ᵀ, which the antisymmetric part of H changes.
  double delassus() const {
    const double a = hw * (J[2] - J[1]), c = hw * (J[0] - J[2]);
    return 1.0 / mass + (J[1] * x * x - (a + c) * x * y + J[0] * y * y) / (J[0] * J[1] - a * c);
  }
};

}  // namespace

TEST_CASE("an unsymmetric H is seen, and what is derived from it is exact") {
  for (const ContactProblem& problem : unsymmetric_problems()) {
    CAPTURE(problem.name());
    CHECK_FALSE(problem.symmetric_mass());
    CHECK(problem.mass_asymmetry() > 0.1);
    CHECK_FALSE(problem.has_factored());
    const DenseMatrix N = dense_delassus(problem);
    const double scale = N.cwiseAbs().maxCoeff();
    REQUIRE((N - N.transpose()).cwiseAbs().maxCoeff() > 1e-2 * scale);
    CHECK((DenseMatrix(problem.local().N) - N).cwiseAbs().maxCoeff() <= 1e-13 * scale);
    const ConstraintSet& set = problem.constraints();
    for (Index i = 0; i < set.count(); ++i) {
      const Index offset = set.offset(i), rows = set.rows(i);
      const Matrix3 block = problem.diagonal_blocks()[static_cast<std::size_t>(i)];
      CHECK((block.topLeftCorner(rows, rows) - N.block(offset, offset, rows, rows)).cwiseAbs().maxCoeff() <= 1e-13 * scale);
    }
    CHECK((delassus_diagonal(problem) - N.diagonal()).cwiseAbs().maxCoeff() <= 1e-13 * scale);
    const Vector x = Uniform(7).vector(problem.rows());
    Vector product(problem.rows()), v, u;
    problem.solved().multiply(x, product);
    CHECK((product - N * x).cwiseAbs().maxCoeff() <= 1e-12 * scale);
    problem.assembled().multiply(x, product);
    CHECK((product - N * x).cwiseAbs().maxCoeff() <= 1e-12 * scale);
    problem.local_velocity(x, v, u);
    CHECK((u - N * x - problem.free_velocity()).cwiseAbs().maxCoeff() <= 1e-12 * scale);
    CHECK(&problem.symmetrised().global() == &problem.global());
  }
}

TEST_CASE("the impulse of a spinning body on a smooth floor is the one on paper") {
  const Spinner spinner;
  const ContactProblem problem = spinner.problem(0.5);
  const double N = spinner.delassus();
  CHECK(problem.local().N.coeff(0, 0) == Approx(N).epsilon(1e-14));
  const Vector impulse = Vector::Constant(1, 0.5 / N);
  for (const Model model : {Model::ccp, Model::ncp})
    CHECK(Judge(problem, model).evaluate(Measure::velocity_residual, {&impulse, nullptr}) <= 1e-15);
}

TEST_CASE("measures of an unsymmetric H: no objective, the others by their definitions") {
  for (const ContactProblem& problem : unsymmetric_problems()) {
    CAPTURE(problem.name());
    const DenseMatrix N = dense_delassus(problem);
    const Vector gamma = Uniform(8).vector(problem.rows());
    for (const Model model : {Model::ccp, Model::ncp}) {
      const Measures values = Judge(problem, model).evaluate(all_measures(), {&gamma, nullptr});
      const auto value = [&](Measure measure) { return values[measure_index(measure)]; };
      CHECK(std::isnan(value(Measure::objective)));
      const Vector terms = N.cwiseAbs() * gamma.cwiseAbs() + problem.free_velocity().cwiseAbs();
      const double least = std::numeric_limits<double>::epsilon() * terms.maxCoeff();
      CHECK(value(Measure::rounding_floor) >= least * (1.0 - 1e-10));
      CHECK(value(Measure::rounding_floor) <= 4.0 * least);
      for (const Measure measure : {Measure::velocity_residual, Measure::natural_map, Measure::merit}) {
        CAPTURE(measure_info(measure).name);
        CHECK(value(measure) > 0.0);
      }
    }
  }
}

TEST_CASE("vᵀHv decides whether an unsymmetric H is positive definite") {
  const auto build = [](double above, double below) {
    DenseMatrix H = DenseMatrix::Identity(3, 3);
    H(0, 1) = above;
    H(1, 0) = below;
    ProblemBuilder builder;
    builder.global(sparse(H), Vector3::Zero(), sparse(DenseMatrix::Identity(3, 3)), Vector3::Zero());
    return builder.contact(0.5).build();
  };
  CHECK(build(50.0, -50.0).mass_asymmetry() == 100.0);  // 1 + 2500 = det H, and H + Hᵀ = 2 I
  CHECK_THROWS_WITH(build(2.5, 0.0), Catch::Contains("H is not positive definite: its symmetric part cannot be factorised"));
  CHECK_THROWS_AS(build(2.5, 0.0), InputError);
  // Rounding between the triangles: a body like any other.
  const ContactProblem rounded = build(0.1, 0.1 + 1e-11);
  CHECK(rounded.symmetric_mass());
  CHECK(rounded.has_factored());
  CHECK_FALSE(build(0.1, 0.1 + 1e-9).symmetric_mass());
}

TEST_CASE("the neighbours of a problem with an unsymmetric H have the same H") {
  const ContactProblem problem = unsymmetric_problems()[0];
  const ContactProblem near = perturbed(problem, {.noise = 0.01, .seed = 3});
  CHECK(near.mass_asymmetry() == problem.mass_asymmetry());
  CHECK(DenseMatrix(near.global().H) == DenseMatrix(problem.global().H));
  CHECK((near.free_velocity() - problem.free_velocity()).norm() ==
        Approx(0.01 * problem.free_velocity().norm()).epsilon(1e-9));
}
