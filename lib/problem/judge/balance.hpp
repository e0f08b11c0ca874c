#pragma once

#include <limits>

#include "problem/contact_problem.hpp"

namespace ccp {

/// How far impulses hold bodies against their load (D.16), (D.17). Without a dimension.
struct Balance {
  double load_carried = std::numeric_limits<double>::quiet_NaN();   ///< 1 in equilibrium, 0 in free fall
  double speed_left = std::numeric_limits<double>::quiet_NaN();     ///< 0 in equilibrium, 1 in free fall
  double moving_bodies = std::numeric_limits<double>::quiet_NaN();  ///< how many; NaN where H is not block-diagonal
};

/// impulse: γ in the terms of the problem as given, m, N·s. NaN for a problem that was given in local form, has no load or
/// an unsymmetric H.
Balance balance_of(const ContactProblem& problem, const Vector& impulse);

}  // namespace ccp
