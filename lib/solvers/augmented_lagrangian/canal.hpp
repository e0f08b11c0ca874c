#pragma once

#include <memory>

#include "solvers/solver.hpp"

namespace ccp {

/// CANAL, the cascaded Newton augmented Lagrangian method (Lee et al. 2025, Algorithm 1): every inner problem is convex and
/// solved by Newton's method with exact line search.
std::unique_ptr<Solver> make_canal();

/// The baselines of its ablation (Table II): the augmented Lagrangian method with the strict operator, its inner problems
/// solved by a trust-region dogleg method, and by a damped semismooth Newton method.
std::unique_ptr<Solver> make_al_trdogleg();
std::unique_ptr<Solver> make_al_damped_newton();

}  // namespace ccp
