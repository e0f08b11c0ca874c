#include <catch2/catch.hpp>

#include "cones/product_cone.hpp"
#include "problems/registry.hpp"
#include "solvers/reference/certificate.hpp"
#include "support/run_solver.hpp"
#include "support/small_problems.hpp"
#include "support/uniform.hpp"

using namespace ccp;
using namespace ccp::testing;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

/// Until something is certified.
RunSpec to_the_last_digits(Model model) {
  StopRule stop;
  stop.tolerance = 1e-13;
  stop.native = true;
  stop.max_iterations = 20000;
  return {"reference", model, stop};
}

std::vector<ContactProblem> certified_problems() {
  RandomShape soft{6, 2, 2, 2, 2};
  soft.compliance = true;
  RandomShape coupled{6, 2, 2, 2, 2};
  coupled.coupled_mass = true;
  std::vector<ContactProblem> list{
      point_mass(2.0, {-1.0, 2.0, 0.0}, 0.4, "slip"), redundant_point_mass(2.0, {-1.0, 0.1, 0.0}, 0.4, 3),
      random_problem(11, {4, 4}, "contacts"),         random_problem(12, {20, 30, 4, 4, 4}, "mixed kinds"),
      random_problem(13, soft, "compliant"),          random_problem(14, coupled, "coupled mass matrix")};
  for (std::size_t i = 0, global = list.size(); i < global; ++i) list.push_back(as_local(list[i]));
  return list;
}

/// Spheres of 10 to 10^n kg.
ContactProblem heavy_stack(int spheres) {
  const auto scene = make_scene("guided_stack");
  scene->parameters().set("spheres", std::int64_t{spheres});
  scene->parameters().set("mass", 10.0);
  scene->parameters().set("growth", 10.0);
  return scene->build(0);
}

}  // namespace

TEST_CASE("a velocity residual bounds the other measures as the mathematics says") {
  Uniform uniform(7);
  for (const ContactProblem& problem : certified_problems())
    for (const Model model : {Model::ccp, Model::ncp})
      for (const double size : {1.0, 1e-3, 1e-6}) {
        CAPTURE(problem.name(), model_name(model), size);
        Judge judge(problem, model);
        Vector impulse = run(problem, {"proximal_newton", model}).impulse;
        impulse += size * impulse.cwiseAbs().maxCoeff() * uniform.vector(problem.rows());
        project_product(problem.constraints(), impulse);
        const double residual = judge.evaluate(Measure::relative_residual, {&impulse, nullptr});
        const Certificate exact = certify(judge, impulse, {residual * (1.0 + 1e-12), 0.0});
        CHECK(exact.holds);
        CHECK(exact.text({residual, 0.0}) != "");
        const Certificate tighter = certify(judge, impulse, {0.999 * residual, 0.0});
        CHECK_FALSE(tighter.holds);
        CHECK(tighter.measure == "velocity_residual");
      }
}

TEST_CASE("what is no solution to the last digits is not certified") {
  const ContactProblem problem = random_problem(11, {4, 4});
  for (const Model model : {Model::ccp, Model::ncp}) {
    CAPTURE(model_name(model));
    Judge judge(problem, model);
    const Result result = run(problem, to_the_last_digits(model));
    CHECK(certify(judge, result.impulse).holds);
    const Certificate near = certify(judge, (1.0 + 1e-11) * result.impulse);
    CHECK_FALSE(near.holds);
    CHECK_THAT(near.text({}), StartsWith("relative residual ") && Contains(" > 1e-13") && Contains("rounding floor"));
    CHECK_FALSE(certify(judge, Vector::Zero(problem.rows())).holds);
    CHECK_FALSE(certify(judge, Vector::Constant(problem.rows(), std::nan(""))).holds);
    // Outside of the cone by more than rounding, though hardly seen in the velocities of heavy bodies.
    Vector outside = result.impulse;
    outside[0] = -1e-12 * outside.cwiseAbs().maxCoeff();
    const Certificate cone = certify(judge, outside, {1.0, 0.0});
    CHECK_FALSE(cone.holds);
    CHECK(cone.measure == "cone_violation");
  }
}

TEST_CASE("reference certifies solutions of both models and forms") {
  for (const ContactProblem& problem : certified_problems())
    for (const Model model : {Model::ccp, Model::ncp}) {
      CAPTURE(problem.name(), model_name(model));
      RunSpec spec = to_the_last_digits(model);
      spec.stop.tolerance = 1e-11;  // ten floors of these problems are below
      const Result result = run(problem, spec);
      CHECK(result.status == Status::solved);
      CHECK(result.native_converged);
      CHECK_THAT(result.reason, StartsWith("certified: relative residual "));
      Judge judge(problem, model);
      CHECK(certify(judge, result.impulse).holds);
    }
}

TEST_CASE("where rounding is coarse, reference says so") {
  for (const Model model : {Model::ccp, Model::ncp}) {
    CAPTURE(model_name(model));
    const ContactProblem problem = heavy_stack(12);
    const Result result = run(problem, to_the_last_digits(model));
    CHECK(result.status == Status::below_rounding);
    CHECK_THAT(result.reason, StartsWith("certified: velocity residual ") && Contains("<= 2 times the rounding floor"));
    // Without that allowance nothing is certified, and the best point is handed back. A residual that rounding makes zero
    // does not help: it shows in the complementarity.
    RunSpec strict = to_the_last_digits(model);
    strict.settings = {{"floor_multiple", 0.0}};
    const Result refused = run(problem, strict);
    CHECK_FALSE(refused.native_converged);
    CHECK_THAT(refused.reason, StartsWith("no reference (") && Contains(" > "));
    CHECK(certify(*std::make_unique<Judge>(problem, model), refused.impulse, {1e-13, 10.0}).holds);
  }
}

TEST_CASE("an infeasible problem gets no reference, and limits hold") {
  ProblemBuilder builder("infeasible");
  builder.global(diagonal(Vector::Ones(1)), Vector::Zero(1), sparse((DenseMatrix(1, 2) << 1.0, -1.0).finished()),
                 Vector::Constant(2, -1.0));
  const ContactProblem infeasible = builder.unilateral().unilateral().build();
  for (const Model model : {Model::ccp, Model::ncp}) {
    CAPTURE(model_name(model));
    const Result result = run(infeasible, to_the_last_digits(model));
    CHECK(result.status == Status::infeasible);
    CHECK_FALSE(result.native_converged);
    CHECK_THAT(result.reason, StartsWith("unilateral rows 0 and 1 exclude each other: "));
    REQUIRE_FALSE(result.notes.empty());  // what the method said of itself
    CHECK_THAT(result.notes.back(), StartsWith("no reference (") && Contains(model == Model::ncp ? "nsgs" : "admm"));
    CHECK(result.impulse.allFinite());

    RunSpec short_run = to_the_last_digits(model);
    short_run.stop.max_iterations = 2;
    const Result stopped = run(random_problem(11, {4, 4}), short_run);
    CHECK(stopped.status == Status::iteration_limit);
    CHECK(stopped.iterations == 2);
    CHECK_THAT(stopped.reason, StartsWith("no reference ("));
  }
}

TEST_CASE("the trace of reference numbers its methods, and counters add up") {
  for (const Model model : {Model::ccp, Model::ncp}) {
    CAPTURE(model_name(model));
    RunSpec spec = to_the_last_digits(model);
    spec.stop.tolerance = 0.0;
    spec.settings = {{"tolerance", 1e-30}, {"floor_multiple", 0.0}};  // so that all methods are tried
    MemoryTrace trace;
    const Result result = run(random_problem(12, {20, 30, 4, 4, 4}), spec, &trace);
    CHECK(trace.rows.size() == static_cast<std::size_t>(result.iterations) + 1);
    CHECK(trace.rows.front().outer == 0);
    CHECK(trace.rows.back().outer == 4);
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < trace.rows.size(); ++i) {
      CHECK(trace.native(i, "phase") == trace.rows[i].outer);
      CHECK(trace.native(i, "best_residual") <= best);
      best = trace.native(i, "best_residual");
      if (i == 0) continue;
      CHECK(trace.rows[i].outer >= trace.rows[i - 1].outer);
      CHECK(trace.rows[i].counters.products > trace.rows[i - 1].counters.products);
      CHECK(trace.rows[i].counters.factorizations >= trace.rows[i - 1].counters.factorizations);
      CHECK(trace.rows[i].counters.back_solves >= trace.rows[i - 1].counters.back_solves);
    }
    CHECK(result.counters.factorizations >= trace.rows.back().counters.factorizations);
    CHECK(result.measures[measure_index(Measure::relative_residual)] == best);
  }
}
