#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "bench/config/catalog.hpp"
#include "bench/config/plan.hpp"
#include "bench/record/cell_record.hpp"

namespace ccp {

/// How often and how cells are timed. Part of no hash: repeats are more samples of the same cell.
struct Timing {
  int repeat = 1;    ///< timed runs of each cell
  int passes = 1;    ///< 2: times come from runs of their own that judge nothing (RunMonitor::replay)
  bool pin = false;  ///< each worker is bound to as many cores as it has threads or ranks
  /// Cells whose first run took longer on the solver's clock are not repeated, s.
  double hopeless_s = std::numeric_limits<double>::infinity();
};

/// Whether a solver can be timed by a replay: not one that the De Saxcé loop drives, which takes residuals from the judge,
/// and not a peer, whose clock runs in another process.
bool can_replay(const Cell& cell, const Catalog& catalog);

/// Pass of the next run a cell needs to be timed as asked; nothing when it has all, or when its first run did not finish.
std::optional<int> next_pass(const CellRecord& record, const Timing& timing, bool replayable);

/// Runs a cell still needs to be timed as asked; record: null for a cell without a result.
int missing_runs(const CellRecord* record, const Timing& timing, bool replayable);

/// Binds this process, and all threads and ranks of the cell that it will start, to one of the cores it may use for each of
/// them; the cores, or none where there are too few, or it could not be done.
std::vector<int> pin_to_cores(const Cell& cell);

}  // namespace ccp
