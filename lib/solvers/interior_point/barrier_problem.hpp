#pragma once

#include <vector>

#include "core/types.hpp"
#include "problem/contact_problem.hpp"

namespace ccp {

/// A contact problem in the variables of the interior-point methods (J.1): γ = s λ, and s u in the place of u, with one
/// factor per row that makes every friction cone a Lorentz cone and the mean of the diagonal of every N_ii one. A contact
/// with moments is split into one cone for each of its discs (J.16). Vectors are padded to 3 entries a cone or other
/// constraint. Rows that cannot carry anything (tangents of a contact without friction) have s = 0.
struct BarrierProblem {
  /// with_correction: whether De Saxcé's term is among the equations (J.13).
  explicit BarrierProblem(const ContactProblem& problem, bool with_correction = false);

  Index count() const { return constraints.count(); }
  Index size() const { return 3 * count(); }
  bool bilateral(Index i) const { return constraints.kind(i) == ConstraintKind::bilateral; }

  /// Padded s x (or x / s, 0 where s is 0) of a vector of the problem. Of the cones of one contact the first alone has u_n.
  void to_scaled_velocity(const Vector& u, Vector& padded) const;
  void to_scaled_impulse(const Vector& gamma, Vector& padded) const;
  /// γ = s λ; γ_n of a contact with moments is the largest of its cones, so that all its discs are within their bounds.
  void to_impulse(const Vector& lambda, Vector& gamma) const;

  /// The cones [first, last) of a contact with moments, whose normal impulses are one.
  struct Split {
    Index first, last;
  };

  ConstraintSet constraints;
  std::vector<Index> row;  ///< of the problem, padded
  std::vector<Split> splits;
  Index links = 0;          ///< cones of splits but their first
  Vector scale;             ///< s, padded
  Vector curvature;         ///< diag(N_ii) in scaled variables, padded; 1 where there is none
  Vector step;              ///< ρ_i = rows(i)/tr(N_ii), 1 where the trace is 0, kg (D.1)
  std::vector<int> active;  ///< leading rows of each block with s > 0
  Index cones = 0;          ///< unilateral rows and cones, each counted once: the parameter of the barrier
  bool corrected;           ///< then the matrices of the Newton systems are unsymmetric

 private:
  void split(const ConstraintSet& given);
};

}  // namespace ccp
