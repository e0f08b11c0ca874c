#include "solvers/shared/linear_work.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace ccp {

std::unique_ptr<LinearSolver> analysed_solver(const std::string& backend, MatrixKind kind, const SparseMatrix& pattern,
                                              Monitor& monitor, int refinement) {
  return analysed_solver(make_linear_solver(backend, kind), pattern, monitor, refinement);
}

std::unique_ptr<LinearSolver> analysed_solver(std::unique_ptr<LinearSolver> solver, const SparseMatrix& pattern,
                                              Monitor& monitor, int refinement) {
  solver->set_refinement_steps(refinement);
  const LinearWork counted(*solver, monitor.counters());
  if (solver->analyze(pattern) != LinearStatus::ok)
    throw std::runtime_error(fmt::format("{} cannot analyse the system: {}", solver->backend(), solver->info().message));
  return solver;
}

bool counted_factorize(LinearSolver& solver, const SparseMatrix& matrix, Monitor& monitor, std::string& message) {
  const LinearWork counted(solver, monitor.counters());
  if (solver.factorize(matrix) == LinearStatus::ok) return true;
  message = solver.info().message;
  return false;
}

std::optional<std::string> backend_defect(const std::string& backend, MatrixKind kind, LinearForm form) {
  if (linear_solver_supports(backend, kind)) return std::nullopt;
  return fmt::format("linear_solver '{}' cannot factorise the {} system, which is {}", backend, linear_form_name(form),
                     matrix_kind_name(kind));
}

void note_clipped(const ContactProblem& problem, Monitor& monitor, double least) {
  if (!problem.given_global() && problem.clipped() > least)
    monitor.note([&] { return fmt::format("N = LLᵀ up to {:.1e}", problem.clipped()); });
}

}  // namespace ccp
