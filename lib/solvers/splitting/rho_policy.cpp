#include "solvers/splitting/rho_policy.hpp"

#include <algorithm>
#include <cmath>

namespace ccp {

namespace {

/// Hybrid Barzilai-Borwein estimate of a curvature (Xu 2017, eqs. 19 and 22); 0 when x and a are badly correlated.
double spectral_curvature(const Curvature& c) {
  constexpr double least_correlation = 0.2;
  if (!(c.xx > 0.0) || !(c.aa > 0.0) || !(c.xa > least_correlation * std::sqrt(c.xx) * std::sqrt(c.aa))) return 0.0;
  const double steepest = c.aa / c.xa, least = c.xa / c.xx;
  return 2.0 * least > steepest ? least : steepest - 0.5 * least;
}

double raw_factor(const RhoSettings& settings, const RhoObservation& seen) {
  if (settings.policy == RhoPolicy::spectral) {
    const double quadratic = spectral_curvature(seen.quadratic), cone = spectral_curvature(seen.cone);
    if (quadratic > 0.0 && cone > 0.0) return std::sqrt(quadratic) * std::sqrt(cone) / seen.rho;
    return quadratic + cone > 0.0 ? (quadratic + cone) / seen.rho : 1.0;
  }
  const double ratio = seen.primal / seen.dual;  // x/0 is infinite and clamped, 0/0 is no reason for a change
  if (settings.policy == RhoPolicy::condition) return ratio;
  const bool relative = settings.policy == RhoPolicy::balanced_normalized && seen.multiplier > 0.0 && seen.impulse > 0.0;
  return std::pow(relative ? ratio * (seen.multiplier / seen.impulse) : ratio, settings.exponent);
}

}  // namespace

bool updates_after(const RhoSettings& settings, int iteration) {
  const int first = settings.first_update > 0 ? settings.first_update : settings.update_interval;
  return settings.policy != RhoPolicy::fixed && iteration >= first && (iteration - first) % settings.update_interval == 0;
}

double rho_factor(const RhoSettings& settings, int iteration, const RhoObservation& seen) {
  if (!updates_after(settings, iteration)) return 1.0;
  const double raw = raw_factor(settings, seen);
  if (std::isnan(raw)) return 1.0;
  if (raw >= 1.0 / settings.dead_band && raw <= settings.dead_band) return 1.0;
  if (settings.policy == RhoPolicy::condition) return raw > 1.0 ? settings.max_factor : 1.0 / settings.max_factor;
  return std::clamp(raw, 1.0 / settings.max_factor, settings.max_factor);
}

}  // namespace ccp
