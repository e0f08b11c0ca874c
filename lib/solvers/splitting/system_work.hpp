#pragma once

#include <memory>
#include <string>

#include "linalg/linear_solver.hpp"
#include "solvers/monitor.hpp"

namespace ccp {

/// A solver that was analysed for the pattern, counted; throws std::runtime_error with what the backend said when it cannot
/// be.
std::unique_ptr<LinearSolver> analysed(const std::string& backend, MatrixKind kind, const SparseMatrix& pattern,
                                       int refinement, Monitor& monitor);

/// Factorises, counted; false when that is not possible.
bool factorize_counted(LinearSolver& solver, const SparseMatrix& matrix, Monitor& monitor);

}  // namespace ccp
