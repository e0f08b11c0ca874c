#pragma once

#include <memory>

#include "solvers/solver.hpp"

namespace ccp {

/// Semismooth Newton method on the whole problem, with a choice of complementarity function and a non-monotone line search:
/// the field's standard second-order method.
std::unique_ptr<Solver> make_semismooth_newton();

}  // namespace ccp
