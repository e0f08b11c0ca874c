#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench/config/catalog.hpp"
#include "bench/config/plan.hpp"
#include "bench/run/runner.hpp"

namespace ccp {

/// An estimate of the time of a run before it starts. All times in s, for options.jobs cells at once.
struct RunEstimate {
  std::vector<std::size_t> to_run;  ///< indices of the cells without a result, each hash once
  std::vector<std::size_t> again;   ///< indices of the cells with a result that lack repeats
  std::size_t runs = 0;             ///< of all these cells, with their repeats
  std::size_t results = 0;          ///< stored results that the expectation rests on
  std::size_t expected_cells = 0;   ///< cells to run, again or not, of solvers that have results
  double expected_s = 0.0;          ///< their time, from the mean wall time of the solver on that problem, or on all of the plan
  std::size_t looked_cells = 0;     ///< other cells to run that were looked at, or others of the same solver (pilot.hpp)
  double looked_s = 0.0;            ///< their time
  double build_s = 0.0;             ///< of making the problems of these
  std::size_t sequence_cells = 0;   ///< other cells of sequences that were looked at (sequence_pilot.hpp)
  double sequence_s = 0.0;          ///< their time
  double drive_s = 0.0;             ///< of making their tapes
  std::int64_t looked_steps = 0;    ///< of these cells
  double reach = 1.0;               ///< the share of its sequence up to which the least known one is known
  std::size_t unknown_cells = 0;    ///< the other cells to run
  double limit_s = 0.0;             ///< the longest these can take, by their wall limits
};

/// For a run of the chosen cells with these options. Reads their results, which need not exist, and looks for look_s seconds
/// at cells of solvers that have none; writes nothing.
RunEstimate estimate_run(const Plan& plan, const std::vector<std::size_t>& chosen, const Catalog& catalog,
                         const RunOptions& options, double look_s = 10.0);

}  // namespace ccp
