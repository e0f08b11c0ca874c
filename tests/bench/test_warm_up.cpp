#include <catch2/catch.hpp>
#include <string>

#include "bench/fake_catalog.hpp"
#include "bench/run/warm_up.hpp"
#include "bench/runs.hpp"
#include "solvers/registry.hpp"
#include "support/run_solver.hpp"
#include "support/small_problems.hpp"
#include "support/temporary_folder.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

/// What the solver `namer` printed in its last run, of the second pass where there are two: the problems that it met.
std::string problems_met(bool warms_up, int passes) {
  const TemporaryFolder folder;
  Catalog catalog = fake_catalog();
  catalog.warms_up = warms_up;
  RunOptions options;
  options.out = folder.path().string();
  options.passes = passes;
  Listener listener;
  const Config config = parse_config(solvers_config({"namer"}), "c.json", catalog);
  const Plan plan = make_plan(config);
  run_config(config, plan, catalog, options, listener);
  REQUIRE(listener.reports_["namer"].status == Status::solved);
  return read_text(folder.path() / "x" / "cells" / plan.cells[0].hash / (passes == 2 ? "log_repeat.txt" : "log.txt"));
}

}  // namespace

TEST_CASE("A worker solves two small problems of the same kind before the one that is timed") {
  CHECK(problems_met(true, 1) == "warm-up\nwarm-up\npebbles\n");
  CHECK(problems_met(false, 1) == "pebbles\n");
}

TEST_CASE("A short run of the second pass is rehearsed") {
  CHECK(problems_met(true, 2) == "warm-up\nwarm-up\npebbles\npebbles\n");
  CHECK(problems_met(false, 2) == "pebbles\n");
}

TEST_CASE("A rehearsal solves a copy of the problem, and derives nothing of the problem itself") {
  const auto solver = make_solver("proximal_newton");
  const StopRule stop;
  const auto solved = [&](const ContactProblem& problem, const Replay* rehearsal) {
    Judge judge(problem, Model::ncp);
    if (rehearsal != nullptr) rehearse(*solver, problem, judge, {}, stop, *rehearsal, 1);
    RunMonitor monitor(judge, stop);
    const std::size_t derived_before = problem.conversions().size();
    const Result result = solver->solve(problem, Model::ncp, {}, monitor);
    CHECK(problem.conversions().size() > derived_before);  // N
    return result;
  };
  const Result first = solved(random_problem(1, {3, 2}), nullptr);
  const Replay earlier{first.iterations, first.verdict, first.crossings};
  const Result second = solved(random_problem(1, {3, 2}), &earlier);
  CHECK(second.impulse == first.impulse);
  CHECK(second.iterations == first.iterations);
}

TEST_CASE("Newton's method factorises for the small problem whose contacts are coupled, and sweeps solve the other") {
  const ContactProblem like = random_problem(1, {3, 2});
  const auto factorizations = [&](bool coupled) {
    return run(warm_up_problem(like, coupled), {"proximal_newton", Model::ncp}).counters.factorizations;
  };
  CHECK(factorizations(true) > 1);
  CHECK(factorizations(false) == 0);
}

TEST_CASE("Every method solves the small problems of every kind and form that it supports") {
  for (const ContactProblem& like :
       {random_problem(1, {3, 2}), random_problem(2, {3, 0, 2}), random_problem(3, {3, 0, 0, 2})})
    for (const auto& [local, coupled] : {std::pair(false, false), {false, true}, {true, false}, {true, true}}) {
      ProblemBuilder builder("local");
      builder.constraints(like.constraints()).local(like.local().N, like.local().r);
      const ContactProblem problem = warm_up_problem(local ? builder.build() : like, coupled);
      CHECK(problem.given_global() == !local);
      REQUIRE(problem.constraints().count() == 2);
      CHECK(problem.constraints().kind(0) == like.constraints().kind(0));
      for (const std::string& name : solver_names())
        for (const Model model : {Model::ccp, Model::ncp}) {
          const auto solver = make_solver(name);
          if (solver->supports(problem, model)) continue;
          CAPTURE(name, problem.given_global(), problem.rows());
          StopRule stop;
          stop.tolerance = 1e-6;
          stop.max_iterations = 2000;
          if (!solver->info().inexact) CHECK(run(problem, {name, model, stop}).status == Status::solved);
          CHECK_NOTHROW(warm_up(*solver, like, model, 1));
        }
    }
}
