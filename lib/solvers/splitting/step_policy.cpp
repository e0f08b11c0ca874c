#include "solvers/splitting/step_policy.hpp"

#include <algorithm>
#include <cmath>

namespace ccp {

double step_factor(const StepSettings& settings, int iteration, double primal_residual, double dual_residual) {
  if (settings.policy == StepPolicy::fixed || iteration % settings.update_interval != 0) return 1.0;
  const double ratio = primal_residual / dual_residual;  // x/0 is infinite and clamped, 0/0 is no reason for a change
  if (std::isnan(ratio)) return 1.0;
  const double factor = std::clamp(ratio, 1.0 / settings.max_factor, settings.max_factor);
  return factor >= 1.0 / settings.dead_band && factor <= settings.dead_band ? 1.0 : factor;
}

}  // namespace ccp
