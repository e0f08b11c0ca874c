#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/types.hpp"
#include "linalg/block/block_matrix.hpp"
#include "problem/contact_problem.hpp"

namespace ccp {

/// What G and E of a contact with moments of more than three rows have between its two blocks of rows, the first being
/// number `first`: by_last in its rows, of the columns of the next block, by_first in the rows of that.
struct RollingCoupling {
  std::size_t first = 0;
  Matrix3 scale_by_last = Matrix3::Zero(), scale_by_first = Matrix3::Zero();        ///< of G, kg
  Matrix3 diagonal_by_last = Matrix3::Zero(), diagonal_by_first = Matrix3::Zero();  ///< of E
};

/// The Newton matrices of the family, J = diag(G_i) N + diag(E_i), with 3×3 blocks G_i (kg) and E_i per constraint: products
/// with N, factorisation and solution. Vectors are padded to 3 entries a constraint. One form factorises J itself by block
/// LU; the other eliminates the impulses and factorises a matrix of the size of the velocities.
class NewtonSystem {
 public:
  virtual ~NewtonSystem() = default;

  /// y <- N x.
  virtual void multiply(const Vector& x, Vector& y) = 0;
  /// N, where it is held by its blocks; null elsewhere.
  virtual const BlockMatrix* contact_matrix() const { return nullptr; }
  /// t_i = tr(N_ii)/rows(i), 1/kg; 1 where the trace is not positive.
  virtual Vector mean_diagonal() const = 0;
  /// Factorises; rows with identity[i] != 0 have G_i = 0 and E_i = I. False when a pivot is singular. No allocation after
  /// the first call.
  virtual bool factorize(const std::vector<Matrix3>& G, const std::vector<Matrix3>& E,
                         const std::vector<char>& identity) = 0;
  /// The same where contacts have moments; blocks are those of ConstraintSet::narrow() then, also above.
  virtual bool factorize_rolling(const std::vector<Matrix3>& G, const std::vector<Matrix3>& E,
                                 const std::vector<char>& identity, const std::vector<RollingCoupling>& couplings);
  /// x <- J⁻¹ rhs.
  virtual void solve(const Vector& rhs, Vector& x) = 0;

  /// Operations of one factorisation, bytes of its factors.
  virtual std::int64_t flops() const = 0;
  virtual std::size_t bytes() const = 0;
  /// Operations of one back-solve, which reads each number once, and of that with a factorisation.
  double solve_flops() const { return 2.0 * static_cast<double>(bytes() / sizeof(double)); }
  double step_flops() const { return static_cast<double>(flops()) + solve_flops(); }
  /// "contact space, minimum degree".
  virtual std::string name() const = 0;
};

/// The unknowns of the Newton systems.
enum class NewtonSpace { automatic, contacts, velocities };

/// automatic: the form with the smaller predicted number of operations; where there are many rows, and fewer velocities,
/// that on the velocities. velocities needs ContactProblem::has_factored(). Contacts with moments: always the contacts.
std::unique_ptr<NewtonSystem> make_newton_system(const ContactProblem& problem, NewtonSpace space);

/// The Newton system on the velocities (H.4): with J d = −F, J = G N + E and N = DᵀH⁻¹D + C, and w = H⁻¹D d,
///     (H + D S⁻¹G Dᵀ) w = −D S⁻¹F,   d = −S⁻¹(F + G Dᵀ w),   S = E + G C block-diagonal.
/// Its graph is that of the bodies. S becomes nearly singular with the proximal weight, so the solution is refined against
/// J. Needs problem.has_factored() (std::logic_error).
std::unique_ptr<NewtonSystem> make_velocity_system(const ContactProblem& problem);

/// One line for the notes of a run.
std::string describe(const NewtonSystem& system);

}  // namespace ccp
