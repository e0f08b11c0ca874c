#include "solvers/shared/linear_work.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace ccp {

std::unique_ptr<LinearSolver> analysed_solver(const std::string& backend, MatrixKind kind, const SparseMatrix& pattern,
                                              Monitor& monitor, int refinement) {
  auto solver = make_linear_solver(backend, kind);
  solver->set_refinement_steps(refinement);
  const LinearWork counted(*solver, monitor.counters());
  if (solver->analyze(pattern) != LinearStatus::ok)
    throw std::runtime_error(fmt::format("{} cannot analyse the system: {}", solver->backend(), solver->info().message));
  return solver;
}

}  // namespace ccp
