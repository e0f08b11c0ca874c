#pragma once

#include <memory>

#include "solvers/solver.hpp"

namespace ccp {

/// Nonlinear Gauss–Seidel for the Signorini–Coulomb model (Jean and Moreau 1992; Siconos' NSGS): each contact problem is
/// solved with the impulses of all others frozen at their newest values. An N that is not symmetric is used as it is.
std::unique_ptr<Solver> make_nsgs();

}  // namespace ccp
