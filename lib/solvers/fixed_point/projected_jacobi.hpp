#pragma once

#include <memory>

#include "solvers/solver.hpp"

namespace ccp {

/// Projected Jacobi fixed point of Anitescu and Tasora 2010, as used for comparison by Tasora et al. 2021:
/// γ_i <- λ Π_Ki(γ_i − ω η_i u_i) + (1 − λ) γ_i with all u from the previous sweep, η_i = rows(i)/tr(N_ii).
/// Converges where ω λ_max(diag(η) N) < 2; the default ω = 0.3 of the papers may be too large where many contacts share a
/// body.
std::unique_ptr<Solver> make_projected_jacobi();

}  // namespace ccp
