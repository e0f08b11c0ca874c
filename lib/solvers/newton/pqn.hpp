#pragma once

#include <memory>

#include "solvers/solver.hpp"

namespace ccp {

/// Projected quasi-Newton method (Koziara 2017, Algorithm 1): smoothed natural map of the De Saxcé velocity, inexact GMRES
/// steps projected on the cones, nonlinear Gauss–Seidel where it fails.
std::unique_ptr<Solver> make_pqn();

}  // namespace ccp
