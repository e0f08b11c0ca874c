#pragma once

#include "cones/projection_defect.hpp"
#include "core/block_rows.hpp"
#include "core/constraints.hpp"
#include "core/types.hpp"
#include "problem/share_sums.hpp"

namespace ccp {

/// (γ_i − Π_Υi(γ_i − ρ w_i))/ρ of block i by parts (C.3), m/s, in the leading rows(i) entries, zero elsewhere; at least
/// three entries. impulse: γ, m, N·s; u: m, m/s; step: ρ, kg.
BlockColumn block_defect(const ConstraintSet& set, Index i, double step, const Vector& impulse, const Vector& u,
                         Correction correction);

/// The same of a block without moments.
Vector3 narrow_defect(const ConstraintSet& set, Index i, double step, const Vector& impulse, const Vector& u,
                      Correction correction);

/// The square of its norm.
inline double defect_square(const ConstraintSet& set, Index i, double step, const Vector& impulse, const Vector& u,
                            Correction correction) {
  if (has_moments(set.kind(i))) return block_defect(set, i, step, impulse, u, correction).squaredNorm();
  return narrow_defect(set, i, step, impulse, u, correction).squaredNorm();
}

/// γ_iᵀ w_i of block i by parts, J: the power of friction and that of the correction cancel where a contact slides.
double block_power(const ConstraintSet& set, Index i, const Vector& impulse, const Vector& u, Correction correction);

/// max_i ‖γ_i − Π_Υi(γ_i − ρ_i w_i)‖/ρ_i, m/s (D.1). steps: ρ_i of each block, kg. NaN where a block is.
double velocity_residual(const ConstraintSet& set, const Vector& steps, const Vector& impulse, const Vector& u,
                         Correction correction);

}  // namespace ccp
