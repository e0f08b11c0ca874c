#pragma once

#include <memory>

#include "linalg/linear_solver.hpp"

/// The constructors of the backends, for factory.cpp alone: everything else goes through make_linear_solver.
namespace ccp::linalg {

std::unique_ptr<LinearSolver> make_mumps(MatrixKind kind);
std::unique_ptr<LinearSolver> make_cholmod(MatrixKind kind);  ///< only where CCP_HAVE_CHOLMOD is defined
std::unique_ptr<LinearSolver> make_eigen_ldlt(MatrixKind kind);
std::unique_ptr<LinearSolver> make_eigen_lu(MatrixKind kind);

}  // namespace ccp::linalg
