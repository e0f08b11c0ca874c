#pragma once

#include "solvers/solver.hpp"

namespace ccp {

/// Solves the ncp model with a ccp method (E6): a sequence of convex problems whose free velocity is shifted by
/// s = (μ‖u_T‖, 0, 0) + (N − N_sym)γ of the last outer iterate, each warm-started from it, until the ncp measure holds. The
/// inner runs stop when their own velocity residual, with s frozen, has fallen to a tenth of its value at the outer iterate,
/// where it equals the ncp residual; so the inner tolerance tightens with the outer residual. De Saxcé and Feng 1998; the
/// outer loop is the fixed point of Acary et al. 2011; the factor and the cap on inner iterations are ours.
Outcome run_de_saxce_loop(const Solver& solver, const ContactProblem& problem, const WarmStart& start, RunMonitor& monitor);

}  // namespace ccp
