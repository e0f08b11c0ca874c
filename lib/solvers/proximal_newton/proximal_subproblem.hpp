#pragma once

#include <vector>

#include "problem/model.hpp"
#include "solvers/newton/contact_map.hpp"
#include "solvers/proximal_newton/contact_sweep.hpp"
#include "solvers/proximal_newton/newton_system.hpp"
#include "solvers/shared/rolling_map.hpp"

namespace ccp {

/// One proximal subproblem (H.1): find x with x = P(x − ρ u(x)), u(x) = N x + r + a T (x − x̄), per contact with its own step
/// ρ_i = factor/(t_i (1 + a)), T = diag(t_i), t_i = tr(N_ii)/rows(i). Vectors are padded to 3 entries a constraint. Holds
/// everything a Newton step needs, allocated once.
class ProximalSubproblem {
 public:
  ProximalSubproblem(const ContactProblem& problem, Model model, double step_factor, NewtonSpace space);

  Index size() const { return 3 * blocks_.count(); }
  /// The blocks that vectors are padded by: the constraints, or ConstraintSet::narrow() of them.
  const ConstraintSet& blocks() const { return blocks_; }
  const NewtonSystem& system() const { return *system_; }

  /// Sets r (padded, m/s).
  void set_free_velocity(const Vector& r) { r_ = r; }

  /// ρ_i = factor/(t_i (1 + a)) from the next begin() on.
  void set_step_factor(double factor) { step_factor_ = factor; }

  /// Starts a subproblem at x = x̄ = centre with proximal weight a (dimensionless); one product with N.
  void begin(const Vector& centre, double a);

  /// Whether sweep() may be all that is needed: ncp, contacts in space alone that hang on each other in one direction or
  /// hardly at all.
  bool sweeps_contract() const {
    const BlockMatrix* const N = system_->contact_matrix();
    return model_ == Model::ncp && rolling_.empty() && blocks_.all_contacts_3d() && N != nullptr &&
           nearly_lower_triangular(*N);
  }
  /// One sweep of nonlinear Gauss–Seidel on the problem itself, from x on.
  void sweep(Vector& x) const { sweep_contacts(*system_->contact_matrix(), r_, blocks_, x); }

  /// The point where every contact would stick, brought onto its set: x <- P(x_0 − (N + a T)⁻¹ u(x_0)) from the present
  /// point x_0 (H.3). False when the matrix is singular. One factorisation, one back-solve.
  bool sticking_point(Vector& x);

  /// Newton direction at the present point. False when the Jacobian is singular. One factorisation, one back-solve, one
  /// product.
  bool find_direction();
  /// The same with the factors of the last find_direction(): one back-solve, one product.
  bool repeat_direction();

  /// The merit f = ‖F_i/ρ_i‖₂ (m/s) at x + s d; keeps that point as the trial.
  double try_step(double s);
  /// The trial becomes the present point.
  void accept();

  const Vector& point() const { return x_; }
  /// f at the present point, m/s.
  double merit() const { return merit_; }
  /// max_i ‖x_i − P(x_i − ρ_i (N x + r)_i)‖/ρ_i, m/s, at the present point, the residual of the problem itself. ρ_i has the
  /// factor given to the constructor.
  double residual() const;
  /// The present point on its set: P-feasible impulses, N·s.
  void feasible_point(Vector& impulse) const;

 private:
  template <typename Body>
  void for_each(const Body& body) const;
  bool factorize();
  double merit_of(const Vector& x, const Vector& u) const;

  void linearise_rolling();
  bool solve_for_direction();

  ConstraintSet blocks_;
  std::vector<RollingBlock> rolling_;  ///< contacts with moments, which blocks_ has as others
  Model model_;
  std::unique_ptr<NewtonSystem> system_;
  Vector weight_;  ///< t_i, 1/kg, 1 where the trace is not positive
  Vector step_;    ///< ρ_i, kg
  double step_factor_, residual_factor_, a_ = 0.0, merit_ = 0.0, trial_merit_ = 0.0;
  Vector r_, centre_, x_, u_, direction_, velocity_change_, trial_x_, trial_u_, residual_;
  std::vector<Matrix3> scale_, diagonal_;
  std::vector<char> identity_;
  std::vector<RollingCoupling> couplings_;
};

}  // namespace ccp
