#include <catch2/catch.hpp>

#include "support/run_solver.hpp"
#include "support/small_problems.hpp"

using namespace ccp;
using namespace ccp::testing;

TEST_CASE("convex methods reach Coulomb's solution through the outer loop") {
  const ContactProblem problem = point_mass(2.0, {-1.0, 2.0, 0.0}, 0.4);
  for (const char* name : {"jacobi", "gauss_seidel", "admm"}) {
    CAPTURE(name);
    RunSpec spec{name, Model::ncp};
    spec.stop.tolerance = 1e-12;
    spec.stop.max_iterations = 5000;
    MemoryTrace trace;
    const Result result = run(problem, spec, &trace);
    CHECK(result.status == Status::solved);
    CHECK(result.impulse[0] == Approx(2.0).epsilon(1e-10));
    CHECK(result.impulse[1] == Approx(-0.8).epsilon(1e-10));
    // The outer column counts up from 0, and rows are numbered through.
    CHECK(trace.rows.front().outer == 0);
    CHECK(trace.rows.back().outer > 1);
    for (std::size_t row = 1; row < trace.rows.size(); ++row) {
      CHECK(trace.rows[row].iteration == trace.rows[row - 1].iteration + 1);
      CHECK(trace.rows[row].outer >= trace.rows[row - 1].outer);
      CHECK(trace.rows[row].outer <= trace.rows[row - 1].outer + 1);
    }
  }
}

TEST_CASE("a native ncp method has no outer loop") {
  MemoryTrace trace;
  run(random_problem(51, {4, 4}), {"nsgs", Model::ncp}, &trace);
  for (const auto& row : trace.rows) CHECK(row.outer == 0);
}

TEST_CASE("an inner problem that has converged is not the outer one") {
  StopRule stop;
  stop.native = true;
  stop.tolerance = 1e-6;  // the native criteria are on changes, at 1e-10
  stop.max_iterations = 20000;
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    for (const char* name : {"jacobi", "gauss_seidel", "admm"}) {
      CAPTURE(seed, name);
      RandomShape shape{4, 6};
      shape.mu = 2.0;
      CHECK(run(random_problem(seed, shape), {name, Model::ncp, stop}).status != Status::false_converged);
    }
}

TEST_CASE("limits hold across inner runs") {
  RunSpec spec{"jacobi", Model::ncp};
  spec.stop.tolerance = 0.0;
  spec.stop.max_iterations = 777;
  const Result result = run(random_problem(52, {4, 6}), spec);
  CHECK(result.status == Status::below_rounding);
  CHECK(result.verdict == Status::iteration_limit);
  CHECK(result.iterations == 777);
}
