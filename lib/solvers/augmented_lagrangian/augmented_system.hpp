#pragma once

#include <memory>
#include <vector>

#include "linalg/linear_solver.hpp"
#include "problem/contact_problem.hpp"
#include "solvers/monitor.hpp"

namespace ccp {

/// The unknowns of the Newton systems: velocities, or the impulses by which they change.
enum class AugmentedForm { automatic, velocity, contact };

/// The Newton matrix of the augmented Lagrangian methods, H + D W Dᵀ with one block W_i per constraint (I.3), or I + W N in
/// its place (I.6). The pattern is analysed once; new values are written in place. Rows: of a padded constraint.
template <int Rows>
class AugmentedSystem {
 public:
  using Square = Eigen::Matrix<double, Rows, Rows>;

  virtual ~AugmentedSystem() = default;

  /// Writes and factorises the matrix of these blocks (kg, one per constraint, padded with zeros). False when it is singular
  /// to the linear solver.
  virtual bool factorize(const std::vector<Square>& blocks, Monitor& monitor) = 0;
  /// (H + D W Dᵀ) x = rhs, n entries each.
  virtual bool solve(const Vector& rhs, Vector& x, Monitor& monitor) = 0;
};

/// Whether the contact form can be had: contacts of three rows, N without compliance and, up to rounding, that of D and H.
bool has_contact_form(const ContactProblem& problem);

/// symmetric: all W_i are symmetric and positive semidefinite; Cholesky then factorises the velocity form, otherwise LU.
/// automatic: the form with fewer operations to write and factorise it; the contact form is noted. Throws
/// std::runtime_error when the linear solver cannot analyse the pattern.
template <int Rows>
std::unique_ptr<AugmentedSystem<Rows>> make_augmented_system(const ContactProblem& problem, AugmentedForm form,
                                                             bool symmetric, Monitor& monitor);

}  // namespace ccp
