#pragma once

#include <memory>

#include "solvers/solver.hpp"

namespace ccp {

/// Alternating direction method of multipliers for the convex model: Tasora, Mangoni, Benatti, Garziera 2021, Algorithm 1,
/// with the diagonal preconditioner of sec. 6.1 (eq. 47), the fixed and the balanced step of sec. 5.2, small steps on
/// bilateral rows (sec. 5.3) and the warm start of Algorithm 2. A problem in local form is solved by eq. 31 on N itself.
std::unique_ptr<Solver> make_admm();

/// The same with Nesterov's momentum and restart: Tasora 2021, Algorithm 3, extrapolating as Goldstein et al. 2014,
/// Algorithm 8 (the printed lines 14–16 interpolate).
std::unique_ptr<Solver> make_fadmm();

}  // namespace ccp
