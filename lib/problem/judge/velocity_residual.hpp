#pragma once

#include <cmath>

#include "core/constraints.hpp"
#include "core/types.hpp"

namespace ccp {

/// max that keeps a NaN, so that a diverged iterate never looks converged.
inline double max_or_nan(double a, double b) { return std::isnan(b) || b > a ? b : a; }

/// max_i ‖γ_i − Π_Ki(γ_i − ρ_i û_i)‖/ρ_i, m/s (D.1). steps: ρ_i of each block, kg; impulse: γ, m, N·s; corrected_velocity:
/// û, m, m/s. projected: work space, m. NaN where a block is.
double velocity_residual(const ConstraintSet& set, const Vector& steps, const Vector& impulse,
                         const Vector& corrected_velocity, Vector& projected);

}  // namespace ccp
