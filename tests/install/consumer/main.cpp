// A simulator with one contact: a 2 kg mass thrown on the floor. Exits 0 when the impulse is the one worked out by hand. The
// guide shows most of it (apps/ccpbench/docs/library.md).
#include <cmath>
#include <iostream>

#include "bench/config/config.hpp"
#include "io/fclib_writer.hpp"
#include "problem/problem_builder.hpp"
#include "solvers/registry.hpp"

int main(int argc, char** argv) {
  ccp::SparseMatrix H(3, 3), D(3, 3);  // one body of 2 kg, its only contact: normal, tangent, tangent
  H.setIdentity();
  H *= 2.0;
  D.setIdentity();
  const ccp::Vector k = ccp::Vector3(-2.0, 0.2, 0.0), b = ccp::Vector3::Zero();
  ccp::ProblemBuilder builder("step");
  builder.global(H, k, D, b).contact(0.4);
  const ccp::ContactProblem problem = builder.build();
  const auto solver = ccp::make_solver("admm");
  ccp::Judge judge(problem, ccp::Model::ccp);
  ccp::RunMonitor monitor(judge, {.tolerance = 1e-10});
  const ccp::Result result = solver->solve(problem, ccp::Model::ccp, {}, monitor);
  std::cout << ccp::status_name(result.status) << ", impulse " << result.impulse.transpose() << " N s\n";
  if (argc > 1) ccp::write_fclib(argv[1], problem, ccp::FclibForm::global);
  const bool solved = result.status == ccp::Status::solved && std::abs(result.impulse[0] - 2.0) < 1e-8;
  return solved ? 0 : 1;
}
