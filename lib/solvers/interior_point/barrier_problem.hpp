#pragma once

#include <vector>

#include "core/types.hpp"
#include "problem/contact_problem.hpp"

namespace ccp {

/// A contact problem in the variables of the interior-point methods (J.1): γ = s λ, and s u in the place of u, with one
/// factor per row that makes every friction cone a Lorentz cone and the mean of the diagonal of every N_ii one. Vectors are
/// padded to 3 entries a constraint. Rows that cannot carry anything (tangents of a contact without friction) have s = 0.
struct BarrierProblem {
  /// with_correction: whether De Saxcé's term is among the equations (J.13).
  explicit BarrierProblem(const ContactProblem& problem, bool with_correction = false);

  Index count() const { return constraints.count(); }
  Index size() const { return 3 * count(); }
  bool bilateral(Index i) const { return constraints.kind(i) == ConstraintKind::bilateral; }

  /// Padded s x (or x / s, 0 where s is 0) of an unpadded vector.
  void to_scaled_velocity(const Vector& u, Vector& padded) const;
  void to_scaled_impulse(const Vector& gamma, Vector& padded) const;
  /// γ = s λ.
  void to_impulse(const Vector& lambda, Vector& gamma) const;

  ConstraintSet constraints;
  Vector scale;             ///< s, padded
  Vector curvature;         ///< diag(N_ii) in scaled variables, padded; 1 where there is none
  Vector step;              ///< ρ_i = rows(i)/tr(N_ii), 1 where the trace is 0, kg (D.1)
  std::vector<int> active;  ///< leading rows of each block with s > 0
  Index cones = 0;          ///< unilateral rows and cones, each counted once: the parameter of the barrier
  bool corrected;           ///< then the matrices of the Newton systems are unsymmetric
};

}  // namespace ccp
