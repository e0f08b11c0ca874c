// A simulator with one contact: a 2 kg mass thrown on the floor. Exits 0 when the impulse is the one worked out by hand.
#include <cmath>

#include "bench/config/config.hpp"
#include "io/fclib_reader.hpp"
#include "problem/problem_builder.hpp"
#include "solvers/registry.hpp"

int main() {
  ccp::SparseMatrix H(3, 3), D(3, 3);
  H.setIdentity();
  H *= 2.0;
  D.setIdentity();
  ccp::ProblemBuilder builder("step");
  builder.global(H, ccp::Vector3(-2.0, 0.2, 0.0), D, ccp::Vector3::Zero()).contact(0.4);
  const ccp::ContactProblem problem = builder.build();
  const auto solver = ccp::make_solver("admm");
  ccp::Judge judge(problem, ccp::Model::ccp);
  ccp::RunMonitor monitor(judge, {.tolerance = 1e-10});
  const ccp::Result result = solver->solve(problem, ccp::Model::ccp, {}, monitor);
  const bool solved = result.status == ccp::Status::solved && std::abs(result.impulse[0] - 2.0) < 1e-8;
  return solved ? 0 : 1;
}
