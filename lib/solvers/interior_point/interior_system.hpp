#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "linalg/linear_solver.hpp"
#include "solvers/interior_point/barrier_problem.hpp"
#include "solvers/monitor.hpp"
#include "solvers/shared/linear_backend.hpp"

namespace ccp {

/// The matrix P = E⁻¹W² + δ diag(N_ii) of a constraint, W² by its eigenvectors (columns of basis) and eigenvalues. E is the
/// identity but for De Saxcé's term (J.14).
struct BarrierBlock {
  Matrix3 basis = Matrix3::Identity();
  Vector3 diagonal = Vector3::Ones();  ///< eigenvalues of W²; 0 on bilateral rows
  Vector3 soft = Vector3::Zero();      ///< δ diag(N_ii), by rows
  Matrix3 bend = Matrix3::Identity();  ///< E⁻¹ in the basis, where `bent`
  bool bent = false;

  /// P in the basis.
  Matrix3 own() const {
    Matrix3 matrix = basis.transpose() * soft.asDiagonal() * basis;
    if (bent)
      matrix += bend * diagonal.asDiagonal();
    else
      matrix.diagonal() += diagonal;
    return matrix;
  }
  /// P x.
  Vector3 apply(const Vector3& x) const {
    const Vector3 weighted = diagonal.cwiseProduct(basis.transpose() * x);
    return basis * (bent ? Vector3(bend * weighted) : weighted) + soft.cwiseProduct(x);
  }
};

/// The scales of the residuals: the largest of the terms that cancel in them. N_ii λ_i counts as λ_i, because the
/// mean of diag(N_ii) is one.
struct ResidualScale {
  double momentum = 0.0, kinematic = 0.0;
};

/// The equations of the method and their Newton systems, in one of three forms (J.7). A primal vector v belongs to the form:
/// generalised velocities, or for `schur` the velocities at the constraints.
///     momentum(v, λ) = H v − D λ − k,   u(v, λ) = Dᵀ v + C λ + b         (J.2; schur: v − N λ − r and v)
///     H Δv − D Δλ = −momentum,          Dᵀ Δv + (C + P) Δλ = t           (J.5)
/// Where contacts are split, v ends with the w of (J.16).
class InteriorSystem {
 public:
  virtual ~InteriorSystem() = default;

  virtual Index primal_size() const = 0;
  /// Sets the free velocity of a run: b + shift or r + shift, the shift padded and scaled.
  virtual void set_shift(const Vector& shift) = 0;
  /// The v that belongs to λ by the momentum equation.
  virtual void velocity_of(const Vector& lambda, Vector& v) = 0;
  /// The v that has these generalised velocities, of a form that has some.
  virtual void take_velocity(const Vector& velocity, Vector& v) { v = velocity; }
  virtual ResidualScale residuals(const Vector& v, const Vector& lambda, Vector& momentum, Vector& u) = 0;
  /// H Δv (schur: Δv).
  virtual void mass_product(const Vector& dv, Vector& product) const = 0;
  /// Factorises; false with message() set when the matrix cannot be.
  virtual bool factorize(const std::vector<BarrierBlock>& blocks, Monitor& monitor) = 0;
  /// Solves with `refinement` steps against the unreduced equations; false with message() set when it cannot.
  virtual bool solve(const Vector& momentum, const Vector& t, Vector& dv, Vector& dlambda, int refinement,
                     Monitor& monitor) = 0;
  /// The δ this form needs at least, in units of the mean N_ii.
  virtual double regularisation() const = 0;
  /// Whether v begins with the generalised velocities of the problem.
  virtual bool has_velocity() const = 0;
  const std::string& message() const { return message_; }

 protected:
  explicit InteriorSystem(const BarrierProblem& barrier) : barrier_(barrier) {}

  const BarrierBlock& block(Index i) const { return (*blocks_)[uz(i)]; }
  int active(Index i) const { return barrier_.active[uz(i)]; }
  /// The active rows of padded impulses in the eigenvectors of P, one constraint after the other; and back, times `sign`.
  void pack(const Vector& x, double* packed) const;
  void unpack(const double* packed, double sign, Vector& x) const;

  const BarrierProblem& barrier_;
  const std::vector<BarrierBlock>* blocks_ = nullptr;
  std::string message_;
};

/// automatic: schur for a problem given by N, else saddle where there are bilateral rows or H is unsymmetric (by LU; no
/// other form takes it), else normal. All are factorised by LU where the barrier has De Saxcé's term. The monitor gets a
/// note of the choice. backend: a linear solver or "auto".
std::unique_ptr<InteriorSystem> make_interior_system(const ContactProblem& problem, const BarrierProblem& barrier,
                                                     LinearForm form, const std::string& backend, Monitor& monitor);

/// Why the backend cannot factorise that form of the system of this problem; nothing when it can. corrected: with De Saxcé's
/// term.
std::optional<std::string> interior_system_defect(const ContactProblem& problem, bool corrected, LinearForm form,
                                                  const std::string& backend);

/// The three forms.
std::unique_ptr<InteriorSystem> make_schur_interior(const ContactProblem& problem, const BarrierProblem& barrier,
                                                    const std::string& backend, Monitor& monitor);
std::unique_ptr<InteriorSystem> make_normal_interior(const ContactProblem& problem, const BarrierProblem& barrier,
                                                     const std::string& backend, Monitor& monitor);
std::unique_ptr<InteriorSystem> make_saddle_interior(const ContactProblem& problem, const BarrierProblem& barrier,
                                                     const std::string& backend, Monitor& monitor);

}  // namespace ccp
