#pragma once

#include <memory>

#include "solvers/solver.hpp"

namespace ccp {

/// Nonlinear Gauss–Seidel for the Signorini–Coulomb model (Jean and Moreau 1992; Siconos' NSGS): each contact problem is
/// solved with the impulses of all others frozen at their newest values. An N that is not symmetric is used as it is.
std::unique_ptr<Solver> make_nsgs();

/// The projected Gauss–Seidel baseline of Lee et al. 2025, under the name of their plots: nsgs with one strict projection
/// per contact.
std::unique_ptr<Solver> make_pgs_lee();

}  // namespace ccp
