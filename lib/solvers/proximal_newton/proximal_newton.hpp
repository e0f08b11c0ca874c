#pragma once

#include <memory>

#include "solvers/solver.hpp"

namespace ccp {

/// Proximal semismooth Newton method: an outer proximal loop makes the problem strongly monotone, its subproblems are solved
/// by Newton steps on the Alart–Curnier map (ncp) or the natural map (ccp), each with one sparse block LU (H.1–H.4, H.7).
std::unique_ptr<Solver> make_proximal_newton();

}  // namespace ccp
