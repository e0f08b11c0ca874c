#pragma once

#include <memory>

#include "solvers/solver.hpp"

namespace ccp {

/// Projected Gauss–Seidel (PSOR when ω ≠ 1) for the convex model: as projected Jacobi, but with the newest values and
/// η_i = 1/λ_max(N_ii), because 3/tr(N_ii) can diverge even with one contact.
std::unique_ptr<Solver> make_projected_gauss_seidel();

}  // namespace ccp
