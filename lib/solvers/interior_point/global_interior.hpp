#pragma once

#include "solvers/interior_point/interior_system.hpp"
#include "solvers/shared/jacobian_blocks.hpp"

namespace ccp {

/// What the forms with velocities share: H, D, C, k and b in scaled variables, by constraints, and the residuals.
class GlobalInterior : public InteriorSystem {
 public:
  GlobalInterior(const ContactProblem& problem, const BarrierProblem& barrier);

  Index primal_size() const override { return form_.H.rows(); }
  void set_shift(const Vector& shift) override { b_ = own_b_ + shift; }
  void velocity_of(const Vector& lambda, Vector& v) override;
  void take_velocity(const Vector& velocity, Vector& v) override;
  ResidualScale residuals(const Vector& v, const Vector& lambda, Vector& momentum, Vector& u) override;
  void mass_product(const Vector& dv, Vector& product) const override { product.noalias() = form_.H * dv; }
  bool solve(const Vector& momentum, const Vector& t, Vector& dv, Vector& dlambda, int refinement,
             Monitor& monitor) override;
  bool has_velocity() const override { return given_global_; }

 protected:
  Matrix3 compliance(Index i) const { return compliance_.empty() ? Matrix3(Matrix3::Zero()) : compliance_[uz(i)]; }
  std::size_t first(Index i) const { return D_.first[uz(i)]; }

  /// y <- Dᵀ v and y += D λ, padded.
  void gather(const Vector& v, Vector& y) const;
  void scatter(const Vector& lambda, Vector& v) const;

  const ContactProblem problem_;

 private:
  const GlobalForm split_;  ///< empty where no contact is split

 protected:
  const GlobalForm& form_;
  JacobianBlocks D_;                 ///< scaled; the active rows alone
  std::vector<Matrix3> compliance_;  ///< C_ii scaled, empty when C = 0

 private:
  /// One solution of (J.5) with the factors at hand.
  virtual bool solve_once(const Vector& momentum, const Vector& t, Vector& dv, Vector& dlambda) = 0;
  virtual LinearSolver& linear_solver() = 0;
  void share_normal_velocities(Vector& v);

  bool given_global_;
  Vector own_b_, b_;
  double free_velocity_ = 0.0;  ///< largest of the scaled free velocity: what contact impulses cancel
  Vector momentum_left_, t_left_, dv_, dlambda_, response_;
};

}  // namespace ccp
