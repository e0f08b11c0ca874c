#pragma once

#include <memory>

#include "core/stopwatch.hpp"
#include "problem/judge/judge.hpp"
#include "solvers/solver.hpp"

namespace ccp {

/// Solves the ncp model with a ccp method (B.1): a sequence of convex problems whose free velocity is shifted by
/// s = (μ‖u_T‖, 0, 0) + (N − N_sym)γ of the last outer iterate, each warm-started from it, until the ncp measure holds. The
/// inner runs stop when their own velocity residual, with s frozen, has fallen to a tenth of its value at the outer iterate,
/// where it equals the ncp residual; so the inner tolerance tightens with the outer residual. De Saxcé and Feng 1998; the
/// outer loop is the fixed point of Acary et al. 2011; the factor and the cap on inner iterations are ours.
///
/// judge: of the same problem and the model ncp; the monitor must judge every iterate by it. clock: pauses while residuals
/// are evaluated; may be null. Both outlive the session, and so does `solver`.
std::unique_ptr<Session> make_de_saxce_session(const Solver& solver, const ContactProblem& problem, Judge& judge,
                                               Stopwatch* clock, Monitor& monitor);

}  // namespace ccp
