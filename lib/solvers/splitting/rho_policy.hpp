#pragma once

#include "core/types.hpp"

namespace ccp {

enum class RhoPolicy { fixed, balanced, balanced_normalized, spectral, condition };

/// How ρ is adapted (Tasora 2021, sec. 5.2; `spectral`: Xu, Figueiredo, Goldstein 2017; `condition`: Carpentier, Le Lidec,
/// Montaut 2024).
struct RhoSettings {
  RhoPolicy policy = RhoPolicy::balanced;
  int update_interval = 5;  ///< n_s: iterations between updates
  int first_update = 0;     ///< iteration after which the first one comes; 0: n_s
  double max_factor = 50.0;  ///< η is clamped to [1/max_factor, max_factor]; `condition`: what ρ is multiplied or divided by
  double exponent = 1.0;     ///< of the two balanced policies: η is this power of the ratio
  double dead_band = 2.0;    ///< no change while η, before it is clamped, is in [1/dead_band, dead_band]
};

/// Inner products of the changes of a point x and of a gradient a between two updates.
struct Curvature {
  double xx = 0.0, xa = 0.0, aa = 0.0;
};

/// Whether ρ is looked at after an iteration (counted from 1): after the first update's, and each n_s later.
bool updates_after(const RhoSettings& settings, int iteration);

/// The quantities of an iteration that a policy sees; of the scaled problem when the preconditioner is on.
struct RhoObservation {
  double primal = 0.0, dual = 0.0;  ///< ∞-norms of the residuals
  double impulse = 0.0;             ///< max(‖z‖∞, ‖γ‖∞)
  double multiplier = 0.0;          ///< ‖y‖∞
  double rho = 1.0;
  Curvature quadratic{}, cone{};  ///< of γ with Nγ + r, and of z with its normal; for `spectral`
};

/// The factor η by which ρ is multiplied after an iteration (eq. 41): for `balanced` the ratio of the residuals (eq. 42,
/// G.6), for `balanced_normalized` that of the relative ones (eq. 43, G.7; eq. 42 when y or the impulses vanish), for
/// `condition` max_factor or its inverse where that ratio is beyond the dead band (G.36), for `spectral` the geometric mean
/// of the two curvatures over ρ (G.9–G.11). A curvature is trusted when its point and gradient correlate, ΔxᵀΔa/(‖Δx‖ ‖Δa‖)
/// > 0.2; one trusted curvature decides alone, and η = 1 without any. That is the correlation safeguard of Xu 2017. The
/// limits all policies share replace their bound 1 + C/k² on late changes: η is clamped, and it is 1 inside the dead band,
/// between updates and where it has the form 0/0.
double rho_factor(const RhoSettings& settings, int iteration, const RhoObservation& seen);

}  // namespace ccp
