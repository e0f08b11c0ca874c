#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "bench/config/catalog.hpp"
#include "bench/config/plan.hpp"
#include "solvers/run_monitor.hpp"
#include "solvers/solver.hpp"

namespace ccp {

/// What a look at cells before a run says of their time, s.
struct PilotTimes {
  std::map<std::size_t, double> cells;  ///< wall time by index in the plan; those missing were not looked at
  double build_s = 0.0;                 ///< of making their problems and judges as often as a run does, and of timing kernels
};

/// Starts the cells without a sequence in a worker and looks for `budget_s` in all, then stops. A cell that ends meanwhile
/// has taken what it takes. For another, what an iteration costs, with judging and tracing, is multiplied by the iterations
/// to come: as many more as the measure needs to its tolerance at the pace so far in decades, up to the iteration limit, the
/// time limit on the solver's clock and the wall limit. While the budget lasts, those that have not ended are looked at again,
/// for longer. Of many cells, some are looked at, and stand for those of the same
/// solver. Writes no file.
PilotTimes look_at(const Plan& plan, const std::vector<std::size_t>& cells, const Catalog& catalog, double budget_s);

/// The wall time of a whole run, s, of which the beginning is known: its result when it was stopped, after `took_s` of wall
/// time with judging and tracing. What passes off the solver's clock is taken to recur with every iteration; once where the
/// caller says so, for a peer whose process starts, and where one iteration is all that was seen.
double expected_solve_s(const StopRule& stop, const Result& result, double took_s, bool off_clock_once = false);

}  // namespace ccp
