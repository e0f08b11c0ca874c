#pragma once

#include <memory>
#include <vector>

#include "linalg/linear_solver.hpp"
#include "problem/contact_problem.hpp"
#include "solvers/monitor.hpp"

namespace ccp {

/// The Newton matrix of the augmented Lagrangian methods, H + D W Dᵀ with one block W_i per constraint (E103). The pattern
/// is analysed once; new values are written in place.
class AugmentedSystem {
 public:
  /// symmetric: all W_i are symmetric and positive semidefinite, so that the matrix is factorised by Cholesky; else by LU.
  /// Throws std::runtime_error when the linear solver cannot analyse the pattern.
  AugmentedSystem(const ContactProblem& problem, bool symmetric, Monitor& monitor);

  /// Writes and factorises the matrix of these blocks (kg, one per constraint, padded with zeros). False when it is singular
  /// to the linear solver.
  bool factorize(const std::vector<Matrix3>& blocks, Monitor& monitor);
  /// (H + D W Dᵀ) x = rhs, n entries each.
  bool solve(const Vector& rhs, Vector& x, Monitor& monitor);

 private:
  void load_jacobian();
  void build_pattern();
  void add_column(int column, const std::vector<Matrix3>& blocks);

  ContactProblem problem_;
  bool symmetric_;
  SparseMatrix matrix_;                 ///< n×n; the lower triangle when symmetric
  std::vector<double> mass_;            ///< values of H in the pattern of the matrix
  std::vector<int> dof_start_;          ///< per constraint: its first in dof_; count + 1
  std::vector<int> dof_;                ///< the velocities a constraint acts on
  std::vector<Vector3> row_;            ///< the row of D_i of each of them
  std::vector<int> user_start_, user_;  ///< per velocity: where in dof_ it appears
  std::vector<int> owner_;              ///< constraint of each entry of dof_
  std::vector<double> column_;          ///< one dense column at work, zero between uses
  std::unique_ptr<LinearSolver> solver_;
};

}  // namespace ccp
