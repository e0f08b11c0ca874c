#pragma once

#include "problem/contact_problem.hpp"
#include "solvers/run_monitor.hpp"
#include "solvers/solver.hpp"

namespace ccp {

/// A body on two constraints of the kind and friction of the first one of `like` (contacts where it has none), in its form,
/// global or local. A bilateral row becomes a unilateral one. Where they are coupled, sweeps do not solve it at once.
ContactProblem warm_up_problem(const ContactProblem& like, bool coupled);

/// Solves both warm-up problems by the same solver and model, so that the run that follows finds the code of the method
/// linked and in the caches: that costs a process more than the solution of a few contacts. For a peer it forms N alone,
/// the part of its time that is ours. What happens in it is not looked at.
void warm_up(const Solver& solver, const ContactProblem& like, Model model, int threads);

/// Repeats the run that `earlier` describes on a copy of the problem, then judges the problem itself at γ = 0, so that the
/// run that follows is the second of two equal ones, with its data in the caches. Derives nothing of the problem.
void rehearse(const Solver& solver, const ContactProblem& problem, Judge& judge, const WarmStart& start,
              const StopRule& stop, const Replay& earlier, int threads);

}  // namespace ccp
