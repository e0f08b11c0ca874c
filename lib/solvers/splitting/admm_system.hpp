#pragma once

#include <memory>
#include <optional>
#include <string>

#include "linalg/linear_solver.hpp"
#include "problem/contact_problem.hpp"
#include "solvers/monitor.hpp"
#include "solvers/shared/linear_backend.hpp"

namespace ccp {

/// The linear system of one ADMM iteration: with g = Θz − y − s,
///     H v − D γ = k,   Dᵀ v + (Θ + C) γ = g − b      (or (N + Θ) γ = g − r).
/// Analysed once, factorised whenever Θ changes. Counts into the monitor. Its forms:
///     saddle   [H D; Dᵀ −(Θ + C)] {v; −γ} (Tasora 2021, eq. 36), never forms N
///     schur    N + Θ (eq. 31)
///     normal   H + D_E (Θ_E + C_E)⁻¹ D_Eᵀ, contacts and unilaterals eliminated (E), bilateral rows kept as in the saddle
///     form
class AdmmSystem {
 public:
  virtual ~AdmmSystem() = default;
  /// theta: m positive numbers. Returns false with message() set when no factorisation is possible.
  virtual bool factorize(const Vector& theta, Monitor& monitor) = 0;
  /// g: m. Fills γ (m) and, where has_velocity(), v (n). Returns false with message() set when the back-solve fails.
  virtual bool solve(const Vector& g, Vector& gamma, Vector& v, Monitor& monitor) = 0;
  virtual bool has_velocity() const = 0;
  /// Library that factorises it.
  virtual const std::string& backend() const = 0;
  const std::string& message() const { return message_; }

 protected:
  /// x <- A⁻¹ x in place, counted with its steps of refinement.
  bool back_solve(LinearSolver& solver, Vector& x, Monitor& monitor);

  std::string message_;
};

/// Why the backend cannot factorise that form of the system of this problem; nothing when it can.
std::optional<std::string> admm_system_defect(const ContactProblem& problem, LinearForm form, const std::string& backend);

/// automatic: schur for a problem given in local form; else saddle with compliance or an unsymmetric H, else normal. All
/// forms of a problem with an unsymmetric H are factorised by LU. backend: a linear solver name or "auto", which is cholmod
/// for the positive definite systems (normal without bilateral rows, schur): it took half the time of mumps there. The
/// monitor gets a note of the choice. refinement: steps per solve. A shared problem has the normal form and the solver of
/// Share::summed_solver().
std::unique_ptr<AdmmSystem> make_admm_system(const ContactProblem& problem, LinearForm form, const std::string& backend,
                                             int refinement, Monitor& monitor);

/// The saddle form, or the normal form where blocks that are not bilateral are eliminated. problem must outlive it.
std::unique_ptr<AdmmSystem> make_eliminated_system(const ContactProblem& problem, bool eliminate, const std::string& backend,
                                                   int refinement, Monitor& monitor);

}  // namespace ccp
