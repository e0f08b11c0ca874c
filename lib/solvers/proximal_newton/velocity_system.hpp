#pragma once

#include <memory>

#include "solvers/proximal_newton/newton_system.hpp"

namespace ccp {

/// The Newton system on the velocities (H.4): with J d = −F, J = G N + E and N = DᵀH⁻¹D + C, and w = H⁻¹D d,
///     (H + D S⁻¹G Dᵀ) w = −D S⁻¹F,   d = −S⁻¹(F + G Dᵀ w),   S = E + G C block-diagonal.
/// Its graph is that of the bodies. S becomes nearly singular with the proximal weight, so the solution is refined against
/// J. Needs problem.has_factored() (std::logic_error).
std::unique_ptr<NewtonSystem> make_velocity_system(const ContactProblem& problem);

}  // namespace ccp
