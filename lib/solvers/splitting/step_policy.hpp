#pragma once

#include "core/types.hpp"

namespace ccp {

enum class StepPolicy { fixed, balanced, balanced_normalized, spectral };

/// How ρ is adapted (Tasora 2021, sec. 5.2; `spectral`: Xu, Figueiredo, Goldstein 2017).
struct StepSettings {
  StepPolicy policy = StepPolicy::balanced;
  int update_interval = 5;   ///< n_s: iterations between updates
  double max_factor = 50.0;  ///< η is clamped to [1/max_factor, max_factor]
  double exponent = 1.0;     ///< of the two balanced policies: η is this power of the ratio
  double dead_band = 2.0;    ///< no change while η is in [1/dead_band, dead_band]
};

/// Inner products of the changes of a point x and of a gradient a between two updates.
struct Curvature {
  double xx = 0.0, xa = 0.0, aa = 0.0;
};

/// What a policy sees of an iteration; of the scaled problem when the preconditioner is on.
struct StepObservation {
  double primal = 0.0, dual = 0.0;  ///< ∞-norms of the residuals
  double impulse = 0.0;             ///< max(‖z‖∞, ‖γ‖∞)
  double multiplier = 0.0;          ///< ‖y‖∞
  double rho = 1.0;
  Curvature quadratic{}, cone{};  ///< of γ with Nγ + r, and of z with its normal; for `spectral`
};

/// The factor η by which ρ is multiplied after an iteration (eq. 41): for `balanced` the ratio of the residuals (eq. 42,
/// E35), for `balanced_normalized` that of the relative ones (eq. 43, E42; eq. 42 when y or the impulses vanish), for
/// `spectral` the geometric mean of the two hybrid steps over ρ (E43–E45). A step is trusted when the correlation of its
/// point and its gradient, ΔxᵀΔa/(‖Δx‖ ‖Δa‖), is above 0.2; of one trusted step that one is taken, of none 1. That is the
/// correlation safeguard of Xu 2017; their bound 1 + C/k² on late changes is replaced by the limits all policies share: η is
/// clamped, and 1 inside the dead band, between updates or when it has the form 0/0.
double step_factor(const StepSettings& settings, int iteration, const StepObservation& seen);

}  // namespace ccp
