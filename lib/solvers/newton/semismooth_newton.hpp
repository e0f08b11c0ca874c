#pragma once

#include <memory>

#include "solvers/solver.hpp"

namespace ccp {

/// Semismooth Newton method on the whole problem, the standard second-order method of the field, with a choice of
/// complementarity function and a non-monotone line search.
std::unique_ptr<Solver> make_semismooth_newton();

}  // namespace ccp
