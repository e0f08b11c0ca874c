#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "bench/run/catalog.hpp"
#include "bench/run/plan.hpp"
#include "solvers/solver.hpp"

namespace ccp {

struct CellRecord;

/// How often and how cells are timed. Part of no hash: repeats are more samples of the same cell.
struct Timing {
  int repeat = 1;    ///< timed runs of each cell
  int passes = 1;    ///< 2: times come from runs of their own that judge nothing (RunMonitor::replay)
  bool pin = false;  ///< each worker is bound to as many cores as it has threads
};

/// The times of one run of a cell, s of solver clock.
struct TimedRun {
  int pass = 1;  ///< 1: iterates were judged between iterations; 2: they were not
  double setup_s = 0.0, solve_s = 0.0;
  Crossings crossings;
  std::vector<int> cores;  ///< it was bound to; empty when it was not
  /// What the products and projections it has counted take where they are timed between its iterations, s; NaN where they
  /// are not.
  double kernel_work_s = std::numeric_limits<double>::quiet_NaN();
};

/// Whether a solver can be timed by a replay: not one that the De Saxcé loop drives, which takes residuals from the judge,
/// and not a peer, whose clock runs in another process.
bool can_replay(const Cell& cell, const Catalog& catalog);

/// Pass of the next run a cell needs to be timed as asked; nothing when it has all, or when its first run came to no end
/// that could be repeated.
std::optional<int> next_pass(const CellRecord& record, const Timing& timing, bool replayable);

/// Part of the note that add_run makes of a run with other iterates than the first.
inline constexpr const char* differs_remark = " differs from the first: ";

/// Runs a cell still needs to be timed as asked; record: null for a cell without a result.
int missing_runs(const CellRecord* record, const Timing& timing, bool replayable);

/// Adds a run. Sets the times of the record to the medians over its runs of the highest pass, and notes when the iterates
/// were others than in the first run.
void add_run(CellRecord& record, const Result& result, TimedRun run);

/// Binds this process, and the threads it will start, to `count` of the cores it may use; the cores, or none when it could
/// not be done.
std::vector<int> pin_to_cores(int count);

/// Least and largest solve_s of the runs whose median the record gives, and how many they are.
struct Spread {
  double least_s, largest_s;
  std::size_t runs = 0;
};
Spread solve_spread(const CellRecord& record);

/// Medians over the same runs of their kernel_work_s, and of solve_s over that: NaN where kernels are not timed.
struct KernelShare {
  double work_s, ratio;
};
KernelShare kernel_share(const CellRecord& record);

}  // namespace ccp
