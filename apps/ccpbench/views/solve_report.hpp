#pragma once

#include <string>

#include "solvers/solver.hpp"
#include "views/problem_source.hpp"

namespace ccp::cli {

/// Everything `solve` has to say, from the top: the problem, the solver and what was changed of it, how it ended, the
/// measures of the returned point, the work and the times.
void print_problem(const NamedProblem& named);
void print_solve_heading(const NamedProblem& named, const Solver& solver, Model model, const StopRule& stop, int threads);
void print_solve_result(const ContactProblem& problem, const StopRule& stop, const Result& result);
void print_solve_unsupported(const std::string& reason);

}  // namespace ccp::cli
