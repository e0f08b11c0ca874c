#pragma once

#include "core/types.hpp"

namespace ccp {

/// Springs for contacts, as programs have them that know no unilateral rows. A node that is in an obstacle, or a vertex in
/// another body, is pushed out by the force k_n max(0, −Φ) along the normal.
struct PenaltyLaw {
  enum class Kind {
    none,
    at_start,   ///< the force is that of the places at the start of the step: explicit, whatever H is
    linearised  ///< that of the places at its end, to first order: h² k_n D Dᵀ joins H
  };
  Kind kind = Kind::none;
  double stiffness = 0.0;  ///< k_n of a vertex, N/m
};

/// Throws InputError for springs with k_n <= 0.
void check_penalty(const PenaltyLaw& law);

/// Adds the springs of one step of length h to H (n×n, kg) and k (n, N·s), where contacts with rows D (n×m), stiffnesses k_n
/// (m, N/m) and gaps Φ (m, m) come nearer by −(Dᵀv + b), b with Φ/h in it:
///     at_start:    k −= h D (k_n Φ)                    of the contacts with Φ < 0
///     linearised:  H += h² D diag(k_n) Dᵀ,  k −= h² D (k_n b)
void add_penalty(PenaltyLaw::Kind kind, double time_step, const SparseMatrix& D, const Vector& stiffness, const Vector& gaps,
                 const Vector& b, SparseMatrix& H, Vector& k);

}  // namespace ccp
