#pragma once

#include <memory>

#include "solvers/solver.hpp"

namespace ccp {

/// Mehrotra's predictor–corrector method for problems without friction, bilateral and unilateral (Mangoni's thesis, sec.
/// 4.11). A contact with μ = 0 is its normal row; contacts with friction are not supported.
std::unique_ptr<Solver> make_ipm_qp();

/// The same for cones, with Nesterov–Todd scaling (Mangoni's thesis, sec. 4.14): bilateral and unilateral rows and friction
/// cones mixed (J.1–J.10).
std::unique_ptr<Solver> make_ipm_cone();

}  // namespace ccp
