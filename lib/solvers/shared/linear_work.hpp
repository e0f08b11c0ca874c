#pragma once

#include <memory>
#include <optional>
#include <string>

#include "linalg/linear_solver.hpp"
#include "problem/contact_problem.hpp"
#include "solvers/monitor.hpp"
#include "solvers/shared/linear_backend.hpp"

namespace ccp {

/// Adds what a linear solver does in the lifetime of this guard to the counters of a run: analyses, factorisations,
/// back-solves (those of the refinement, too), their operations, and the times of all three steps.
class LinearWork {
 public:
  LinearWork(const LinearSolver& solver, Counters& counters)
      : info_(solver.info()),
        counters_(counters),
        analyses_(info_.analyses),
        factorizations_(info_.factorizations),
        back_solves_(info_.back_solves),
        flops_(info_.flops),
        analysis_s_(info_.analysis_s),
        factorization_s_(info_.factorization_s),
        back_solve_s_(info_.back_solve_s) {}
  ~LinearWork() {
    counters_.analyses += info_.analyses - analyses_;
    counters_.factorizations += info_.factorizations - factorizations_;
    counters_.back_solves += info_.back_solves - back_solves_;
    counters_.flops += info_.flops - flops_;
    counters_.analysis_s += info_.analysis_s - analysis_s_;
    counters_.factorization_s += info_.factorization_s - factorization_s_;
    counters_.back_solve_s += info_.back_solve_s - back_solve_s_;
  }
  LinearWork(const LinearWork&) = delete;
  LinearWork& operator=(const LinearWork&) = delete;

 private:
  const LinearInfo& info_;
  Counters& counters_;
  int analyses_, factorizations_, back_solves_;
  double flops_, analysis_s_, factorization_s_, back_solve_s_;
};

/// A linear solver analysed for the pattern, with so many steps of refinement per solve; the work is counted. Throws
/// std::runtime_error with the message of the backend when it cannot analyse the pattern.
std::unique_ptr<LinearSolver> analysed_solver(const std::string& backend, MatrixKind kind, const SparseMatrix& pattern,
                                              Monitor& monitor, int refinement = 0);
std::unique_ptr<LinearSolver> analysed_solver(std::unique_ptr<LinearSolver> solver, const SparseMatrix& pattern,
                                              Monitor& monitor, int refinement = 0);

/// Factorises, counted; false with the message of the backend when that is not possible.
bool counted_factorize(LinearSolver& solver, const SparseMatrix& matrix, Monitor& monitor, std::string& message);

/// Why the backend, a linear solver or "auto", cannot factorise a system of that form; nothing when it can.
std::optional<std::string> backend_defect(const std::string& backend, MatrixKind kind, LinearForm form);

/// Notes how far LLᵀ is from the N of a problem given in local form (B.4), when that is more than `least`.
void note_clipped(const ContactProblem& problem, Monitor& monitor, double least = 0.0);

}  // namespace ccp
