#pragma once

#include <string>
#include <vector>

#include "solvers/solver.hpp"
#include "terminal/records.hpp"
#include "views/problem_source.hpp"

namespace ccp::cli {

/// How one of several solvers did on a problem.
struct RankedRun {
  std::string solver, settings;  ///< settings: "rho=0.5, …", what is not the default
  Result result;                 ///< unsupported: only status and reason
};

/// Solved ones first, by their time; then the others by the measure they came to; then those that do not take the problem.
void rank(std::vector<RankedRun>& runs, const StopRule& stop);

/// The ranking as a page: a table, then why the unsolved ones ended.
void print_ranking(const std::vector<RankedRun>& runs, Model model, const StopRule& stop);

/// The same as values. With `json` the problem, the rule and every number of each run.
void print_ranking_records(const std::vector<RankedRun>& runs, const NamedProblem& named, Model model, const StopRule& stop,
                           Format format);

}  // namespace ccp::cli
