#pragma once

#include <cstdint>

#include "problem/contact_problem.hpp"

namespace ccp {

/// A problem near another one: what a solver meets in the next step, and how a set of instances is made from one dump.
struct Perturbation {
  double noise = 0.0;            ///< size of the change of r relative to ‖r‖₂
  double friction_factor = 1.0;  ///< factor of every μ
  std::uint64_t seed = 0;        ///< of the random direction
  double b_noise = 0.0;          ///< largest change of an entry of b, relative to it
  double compliance = 0.0;       ///< added to every row, in units of the mean diagonal of its N_ii

  bool operator==(const Perturbation&) const = default;
};

/// r' = r + noise ‖r‖₂ N z/‖N z‖₂ and μ' = friction_factor μ, z uniform in [−1, 1)ᵐ (B.6). The change of r is in the range
/// of N: it is the response to impulses, so that a problem that has a solution with friction keeps one. A problem in local
/// form gets it on r; one in global form on k (k' = k + D z', the part of N z' beside compliance). In global form
/// also b'_i = (1 + b_noise z'_i) b_i with another random z' in [−1, 1)ᵐ. compliance c makes contacts soft: C'_ii = C_ii + c
/// tr(N_ii)/rows(i), in local form N'_ii alike. Deterministic. Throws InputError for a problem
/// with cohesion, and for b_noise in local form, where b is not known.
ContactProblem perturbed(const ContactProblem& problem, const Perturbation& perturbation);

/// The problem with C + diag(compliance), in local form N + diag(compliance). compliance: m, >= 0, m/(s·N·s). Impulses are
/// those of the object, as own_impulse() gives them. Not for a share of a problem.
ContactProblem softened(const ContactProblem& problem, const Vector& compliance);

}  // namespace ccp
