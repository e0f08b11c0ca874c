#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>

#include "solvers/regularised/regularised_law.hpp"
#include "support/build_scene.hpp"
#include "support/run_solver.hpp"
#include "support/small_problems.hpp"
#include "support/uniform.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

StopRule until(double tolerance, int iterations = 200) {
  StopRule stop;
  stop.tolerance = tolerance;
  stop.max_iterations = iterations;
  return stop;
}

/// The problem with the compliance C = factor tr(N_ii)/rows(i) on every row.
ContactProblem compliant(const ContactProblem& rigid, double factor) {
  const ConstraintSet& set = rigid.constraints();
  SparseMatrix C(rigid.rows(), rigid.rows());
  for (Index i = 0; i < set.count(); ++i) {
    const double mean = rigid.diagonal_blocks()[uz(i)].trace() / static_cast<double>(set.rows(i));
    for (Index c = 0; c < set.rows(i); ++c) C.insert(set.offset(i) + c, set.offset(i) + c) = factor * mean;
  }
  const GlobalForm& form = rigid.global();
  ProblemBuilder builder("compliant");
  return builder.global(form.H, form.k, form.D, form.b).compliance(C).constraints(set).build();
}

}  // namespace

TEST_CASE("the regularised law is the projection in the norm of R, with its derivative and energy") {
  const ContactProblem problem = random_problem(13, {6, 3, 2, 2, 1});
  const RegularisedLaw law(problem, {});
  const Index m = problem.rows();
  Uniform uniform(8);
  std::vector<Matrix3> G(uz(problem.constraints().count()));
  Vector gamma(m), ahead(m), behind(m);
  for (int sample = 0; sample < 20; ++sample) {
    const Vector u = uniform.vector(m), du = uniform.vector(m);
    const double energy = law.impulses(u, gamma);
    const Vector R = law.root().cwiseAbs2();
    CHECK(energy == Approx(0.5 * gamma.dot(R.cwiseProduct(gamma))));
    // The optimality conditions of (M.4): R γ + u is in the dual cone and orthogonal to γ.
    const Vector slack = R.cwiseProduct(gamma) + u;
    CHECK(Judge(problem, Model::ccp).velocity_residual_with(gamma, slack) <= 1e-12);
    const double step = 1e-6;
    const double up = law.impulses(u + step * du, ahead), down = law.impulses(u - step * du, behind);
    const RegularisedLaw::Slope slope = law.slope(u, du, 0.0);
    CHECK(slope.first == Approx((up - down) / (2.0 * step)).epsilon(1e-5));
    law.derivative(u, G);
    double curvature = 0.0;
    for (Index i = 0; i < problem.constraints().count(); ++i) {
      Vector3 own = Vector3::Zero();
      own.head(problem.constraints().rows(i)) = du.segment(problem.constraints().offset(i), problem.constraints().rows(i));
      curvature += own.dot(G[uz(i)] * own);
    }
    CHECK(slope.second == Approx(curvature));
    CHECK(du.dot(behind - ahead) / (2.0 * step) == Approx(curvature).epsilon(1e-4).margin(1e-6));
  }
}

TEST_CASE("sap: a resting mass sinks by its near-rigid compliance and creeps by σ w γ_T") {
  const double m = 2.0, w = std::sqrt(3.0) / m / 3.0, normal = w / (4.0 * std::numbers::pi * std::numbers::pi);
  const Result result = run(point_mass(m, {-1.0, 0.1, 0.0}, 0.4), {"sap", Model::ccp, until(0.0)});
  CHECK(result.status == Status::stalled);
  CHECK(result.reason == "the regularised problem is solved; its compliance remains");
  CHECK(result.impulse[0] == Approx(1.0 / (1.0 / m + normal)).epsilon(1e-12));
  CHECK(result.velocity[0] == Approx(-normal * result.impulse[0]).epsilon(1e-10));
  CHECK(result.velocity[1] == Approx(-1e-3 * w * result.impulse[1]).epsilon(1e-9));
}

TEST_CASE("mujoco: the residual velocity of a resting mass is 1 − d of its free one") {
  for (const std::string solver : {"mujoco_newton", "mujoco_cg"}) {
    const Result result = run(point_mass(2.0, {-1.0, 0.1, 0.0}, 0.4), {solver, Model::ccp, until(0.0)});
    CHECK(result.velocity[0] == Approx(-0.1).epsilon(1e-9));
    CHECK(result.velocity[1] == Approx(0.01).epsilon(1e-8));
  }
}

TEST_CASE("a problem softer than the regularisation is solved exactly, under both models") {
  const ContactProblem problem = compliant(random_problem(12, {6, 2, 2, 2, 2}), 0.2);
  for (const std::string solver : {"sap", "mujoco_newton", "mujoco_cg"})
    for (const Model model : {Model::ccp, Model::ncp}) {
      CAPTURE(solver, model_name(model));
      const Result result = run(problem, {solver, model, until(1e-9, 3000)});
      CHECK(result.status == Status::solved);
      CHECK(result.measures[measure_index(Measure::regularised_residual)] ==
            Approx(result.measures[measure_index(Measure::relative_residual)]).margin(1e-14));
    }
}

TEST_CASE("regularised methods solve their own law, which is not that of the problem") {
  StopRule stop = until(1e-9, 3000);
  stop.measure = Measure::regularised_residual;
  const auto value = [](const Result& result, Measure measure) { return result.measures[measure_index(measure)]; };
  const ContactProblem mixed = random_problem(12, {6, 2, 2, 2, 2}), sticks = point_mass(2.0, {-1.0, 0.3, 0.0}, 0.4);
  for (const ContactProblem& problem : {mixed, sticks}) {
    for (const std::string solver : {"sap", "mujoco_newton", "mujoco_cg"})
      for (const Model model : {Model::ccp, Model::ncp}) {
        CAPTURE(problem.name(), solver, model_name(model));
        const Result result = run(problem, {solver, model, stop});
        CHECK(result.status == Status::solved);
        CHECK(value(result, Measure::regularised_residual) <= 1e-9);
        CHECK(value(result, Measure::relative_residual) > 1e-3);
      }
    const Result rigid = run(problem, {"nsgs", Model::ncp, stop});
    CHECK(rigid.status == Status::solved);
    CHECK(value(rigid, Measure::regularised_residual) == value(rigid, Measure::relative_residual));
  }
}

TEST_CASE("the law that is stated is that of the iterates") {
  const ContactProblem problem = random_problem(12, {6, 2, 2, 2, 2});
  const Vector R = RegularisedLaw(problem, {}).added();
  const Result result = run(problem, {"sap", Model::ccp, until(0.0)});
  Judge judge(problem, Model::ccp);
  const auto residual = [&](const Vector& compliance) {
    judge.set_added_compliance(compliance);
    return judge.evaluate(Measure::regularised_residual, {&result.impulse});
  };
  CHECK(residual(R) <= 1e-12);
  CHECK(residual(1.01 * R) >= 1e-5);
  for (Index row = 0; row < problem.rows(); ++row) {
    CAPTURE(row);
    CHECK(residual(R + 0.01 * R[row] * Vector::Unit(problem.rows(), row)) >= (result.impulse[row] != 0.0 ? 1e-9 : 0.0));
  }
}

TEST_CASE("the cost falls in every iteration, and Newton and conjugate gradients end at the same one") {
  const ContactProblem problem = scene_with("random_contacts", {{"contacts", std::int64_t{100}}});
  double newton = 0.0;
  for (const std::string solver : {"sap", "mujoco_newton", "mujoco_cg"}) {
    CAPTURE(solver);
    MemoryTrace trace;
    const Result result = run(problem, {solver, Model::ccp, until(0.0, 500)}, &trace);
    CHECK(result.status == Status::stalled);
    for (std::size_t row = 1; row < trace.rows.size(); ++row)
      CHECK(trace.native(row, "regularised_cost") <= (1.0 + 1e-14) * trace.native(row - 1, "regularised_cost"));
    const double cost = trace.native(trace.rows.size() - 1, "regularised_cost");
    if (solver == "mujoco_newton") newton = cost;
    if (solver == "mujoco_cg") CHECK(cost == Approx(newton).epsilon(1e-10));
    if (solver != "mujoco_cg") CHECK(trace.native(trace.rows.size() - 1, "relative_gradient") <= 1e-9);
  }
}

TEST_CASE("a compliance that is no diagonal is refused with its place") {
  RandomShape soft{4, 4};
  soft.compliance = true;
  CHECK(configured({"sap"})->supports(random_problem(13, soft), Model::ccp) ==
        std::string("the compliance must be diagonal; C(1, 0) is not zero"));
}
