#pragma once

#include "core/types.hpp"

namespace ccp {

enum class StepPolicy { fixed, balanced };

/// How ρ is adapted (Tasora 2021, sec. 5.2).
struct StepSettings {
  StepPolicy policy = StepPolicy::balanced;
  int update_interval = 5;   ///< n_s: iterations between updates
  double max_factor = 50.0;  ///< η is clamped to [1/max_factor, max_factor]
  double dead_band = 2.0;    ///< no change while η is in [1/dead_band, dead_band]
};

/// The factor η by which ρ is multiplied after an iteration (eq. 41): for `balanced` the ratio of the residuals (eq. 42), 1
/// when both vanish, clamped, and 1 inside the dead band or between updates. Residuals: ∞-norms, those of the scaled problem
/// when the preconditioner is on.
double step_factor(const StepSettings& settings, int iteration, double primal_residual, double dual_residual);

}  // namespace ccp
