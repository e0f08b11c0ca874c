#pragma once

#include "cones/rolling_cone.hpp"

namespace ccp {

/// One contact with moments, all other impulses frozen: find γ with K* ∋ û ⊥ γ ∈ K, u = N_ii γ + w (E.4).
struct RollingContact {
  BlockSquare N_ii;  ///< rows×rows, 1/kg; need not be symmetric
  BlockColumn w;     ///< velocity at γ = 0, m/s
  RollingCone cone;
};

/// Its solution. Open where w_n >= 0. Else Newton on the function of Alart and Curnier (E.5) from γ, where that converges to
/// 1e-14. Else from the numbers α_i >= 0 with u_i = −α_i γ_i, u_n = 0 (E.6): for each disc in turn α_i = 0 where it sticks,
/// or the root of ‖γ_i‖ − c_i γ_n, with those of the following discs found for each α_i. Contacts that jam get a finite
/// impulse in K that does not solve them.
BlockColumn solve_rolling_exact(const RollingContact& contact, const BlockColumn& gamma);

}  // namespace ccp
