#pragma once

#include <memory>

#include "solvers/solver.hpp"

namespace ccp {

/// Accelerated projected gradient descent, Mazhar et al. 2015, Algorithm 1, for the ccp model: Nesterov's method (F.1, F.2)
/// with backtracking on the Lipschitz constant (F.3, F.4), adaptive restart (F.5) and fallback to the best iterate (F.6).
/// The test of the backtracking is not the printed one, in which the objective cancels, but the same for a quadratic, dᵀNd
/// <= L dᵀd. One product with N per iteration and per backtracking, and one at the start. Every iterate shown is γ_{k+1}; a
/// run that ends without having satisfied its caller hands back the best one.
std::unique_ptr<Solver> make_apgd();

}  // namespace ccp
