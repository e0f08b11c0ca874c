#pragma once

#include <memory>

#include "solvers/solver.hpp"

namespace ccp {

/// Solutions to the last digits. Runs methods in turn, each from zero or from the best point so far, until that point is
/// certified (K.1–K.5, certificate.hpp).
///
///     ccp: ipm_cone; Newton polish; proximal_newton; P-ADMM to 1e-8; Newton polish
///     ncp: proximal_newton; nsgs to 1e-6; Newton polish; ipm_cone in the De Saxcé loop to 1e-8; Newton polish
///
/// The Newton polish is proximal_newton with a tiny proximal weight: an active-set method once the statuses of the contacts
/// no longer change. A method ends when it makes no progress, at the latest after half of the time that remained at its
/// start. From a certified point the run goes on while residuals fall, through a polish if that comes next. Then it shows
/// the best point once more, as converged: with `stop.native` the run ends there, or says why nothing was certified. The
/// outer column of the trace is the number of the method.
std::unique_ptr<Solver> make_reference();

}  // namespace ccp
