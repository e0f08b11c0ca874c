#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "cones/product_cone.hpp"
#include "problem/judge/judge.hpp"
#include "support/oracle.hpp"
#include "support/small_problems.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

constexpr Model both_models[] = {Model::ccp, Model::ncp};

/// The same problem with other units: masses times `mass`, velocities times `speed`.
ContactProblem in_units(const ContactProblem& problem, double mass, double speed) {
  ProblemBuilder builder(problem.name());
  if (problem.given_global()) {
    const GlobalForm& form = problem.global();
    builder.global(mass * form.H, mass * speed * form.k, form.D, speed * form.b).compliance(form.C / mass);
  } else {
    builder.local(problem.local().N / mass, speed * problem.local().r);
  }
  return builder.constraints(problem.constraints()).build();
}

/// Every form and kind of H, with all kinds of constraints.
std::vector<ContactProblem> benign_problems() {
  std::vector<ContactProblem> problems;
  for (const bool coupled : {false, true})
    for (const double skew : {0.0, 0.3})
      for (const bool compliance : {false, true})
        problems.push_back(random_problem(7, {3, 2, 2, 1, 2, 0.5, coupled, compliance, skew}));
  problems.push_back(as_local(problems[0]));
  problems.push_back(as_local(problems[2]));
  return problems;
}

/// Zero, and points inside, on the boundary and outside of the cones.
std::vector<Vector> benign_points(const ContactProblem& problem) {
  Uniform uniform(11);
  std::vector<Vector> points{Vector::Zero(problem.rows())};
  for (int i = 0; i < 3; ++i) {
    points.push_back(uniform.vector(problem.rows()));
    points.push_back(points.back());
    project_product(problem.constraints(), points.back());
  }
  return points;
}

}  // namespace

TEST_CASE("the oracle gives exact zeros at exact solutions") {
  // m = 2, r = (−1, 2, 0), μ = ½: γ = (2, −1, 0), u = (0, 3/2, 0).
  const ContactProblem sliding = point_mass(2.0, {-1.0, 2.0, 0.0}, 0.5), resting = point_mass(2.0, {-1.0, 0.0, 0.0}, 0.5);
  const Vector slides = Vector3(2.0, -1.0, 0.0), rests = Vector3(2.0, 0.0, 0.0), zero = Vector3::Zero();
  const OracleMeasures slip = oracle(sliding, Model::ncp, slides);
  for (const Measure which : {Measure::velocity_residual, Measure::relative_residual, Measure::natural_map,
                              Measure::apgd_residual, Measure::contact_residual, Measure::merit,
                              Measure::penetration_velocity, Measure::complementarity, Measure::cone_violation}) {
    CAPTURE(measure_info(which).name);
    CHECK(std::abs(slip[which]) <= 1e-27);  // thirds and fifths are not exact
    for (const Model model : both_models) CHECK(oracle(resting, model, rests)[which] == 0.0);
  }
  CHECK(slip.u == Vector3(0.0, 1.5, 0.0));
  CHECK(slip.corrected == Vector3(0.75, 1.5, 0.0));
  CHECK(slip[Measure::lift_velocity] == 0.0);
  CHECK(slip[Measure::creep_velocity] == 0.0);
  CHECK(oracle(point_mass(2.0, {1.0, 0.0, 0.0}, 0.5), Model::ncp, zero)[Measure::relative_residual] == 0.0);
}

TEST_CASE("the oracle keeps what double precision loses") {
  // γ = 0, û = (μ t − v, t, 0): the residual is v/√(1 + μ²), whatever μ t is in rounding.
  for (const double mu : {1e4, 1e8, 1e16}) {
    const OracleMeasures held = oracle(point_mass(1.0, {-0.098, 1.0, 0.0}, mu), Model::ncp, Vector3::Zero());
    CHECK(held[Measure::velocity_residual] == Approx(0.098 / mu).epsilon(1e-7));
    CHECK(held[Measure::penetration_velocity] == 0.098);
  }
  // A row that no impulse moves: the residual is that of r, at any γ.
  ProblemBuilder builder;
  const ContactProblem closed = builder.local(SparseMatrix(1, 1), Vector::Constant(1, -1.0)).unilateral().build();
  CHECK(oracle(closed, Model::ccp, Vector::Constant(1, 3e29))[Measure::velocity_residual] == 1.0);
  // Impulses of 1e20 that cancel to the last bit but one.
  ProblemBuilder opposing;
  const DenseMatrix N = (DenseMatrix(2, 2) << 1.0, -1.0, -1.0, 1.0).finished();
  const ContactProblem pair = opposing.local(sparse(N), Vector::Constant(2, 1e-3)).unilateral().unilateral().build();
  const Vector large = Vector2(1e20, std::nextafter(1e20, 2e20));
  CHECK(oracle(pair, Model::ccp, large).u[1] == 16384.0 + 1e-3);
}

TEST_CASE("the oracle scales with powers of two, to the last bit") {
  const double mass = 0x1p30, speed = 0x1p-20, impulse = mass * speed;
  for (const ContactProblem& problem : benign_problems())
    for (const Model model : both_models)
      for (const Vector& gamma : benign_points(problem)) {
        const OracleMeasures one = oracle(problem, model, gamma);
        const OracleMeasures other = oracle(in_units(problem, mass, speed), model, impulse * gamma);
        CHECK(other.u == speed * one.u);
        CHECK(other[Measure::velocity_residual] == speed * one[Measure::velocity_residual]);
        CHECK(other[Measure::relative_residual] == one[Measure::relative_residual]);
        CHECK(other[Measure::penetration_velocity] == speed * one[Measure::penetration_velocity]);
        CHECK(other[Measure::cone_violation] == impulse * one[Measure::cone_violation]);
        CHECK(other[Measure::complementarity] == impulse * speed * one[Measure::complementarity]);
        if (problem.symmetric_mass()) CHECK(other[Measure::objective] == impulse * speed * one[Measure::objective]);
      }
}

TEST_CASE("the oracle and the judge agree on benign problems") {
  for (const ContactProblem& problem : benign_problems())
    for (const Model model : both_models) {
      Judge judge(problem, model);
      judge.set_reference(Vector::Ones(problem.rows()));
      const Oracle exact(problem, model);
      Uniform uniform(5);
      const Vector velocity = uniform.vector(problem.dofs()), reference = Vector::Ones(problem.rows());
      const Vector* own = problem.given_global() ? &velocity : nullptr;
      for (Index i = 0; i < problem.constraints().count(); ++i)
        CHECK(exact.steps()[i] == Approx(judge.step(i)).epsilon(1e-12));
      for (const Vector& gamma : benign_points(problem)) {
        const Measures judged = judge.evaluate(all_measures(), {&gamma, own});
        const OracleMeasures values = exact.evaluate(gamma, own, &reference);
        CHECK((judge.local_velocity() - values.u).norm() <= 1e-13 * (1.0 + values.u.norm()));
        for (const Measure which : all_measures()) {
          if (which == Measure::rounding_floor) continue;
          CAPTURE(measure_info(which).name, model_name(model), problem.given_global(), gamma.transpose());
          const double value = judged[measure_index(which)];
          CHECK(std::isnan(values[which]) == std::isnan(value));
          // The step 1e-6 in apgd_residual costs six digits.
          const double margin = which == Measure::apgd_residual ? 1e-8 : 1e-12;
          if (!std::isnan(value)) CHECK(values[which] == Approx(value).epsilon(margin).margin(margin));
        }
      }
    }
}
