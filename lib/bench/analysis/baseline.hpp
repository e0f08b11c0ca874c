#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bench/results/result_table.hpp"

/// Stored convergence of a config, to notice when a solver behaves differently. A folder holds baseline.json (the final
/// values of every cell and the tolerances) and one CSV file per label with thinned, iteration-indexed curves; of sequences
/// one with the iterations of each step.
namespace ccp {

/// What may differ between machines. Written into baseline.json, where it may be changed by hand.
struct BaselineTolerances {
  double curve_decades = 0.05;   ///< of log10 of a curve
  double curve_floor = 1e-9;     ///< curves are compared above this fraction of their largest value
  double count_relative = 0.02;  ///< of iterations and counters
  double count_absolute = 1.0;
  double objective_relative = 1e-6;
};

/// One thing that moved.
struct BaselineChange {
  std::string cell;  ///< "problem/model/label"
  std::string what;  ///< "status", "iterations", "relative_residual at 40", "iterations of step 7", …
  std::string before, now, allowed;
};

/// Whether another machine would end so.
bool repeatable(Status status);

/// The folder of the baseline of a config: `folder` itself or its subfolder named like the config. Throws InputError when
/// neither holds a baseline.json.
std::filesystem::path find_baseline(const std::filesystem::path& folder, const std::string& config);

struct BaselineComparison {
  std::vector<BaselineChange> changes;  ///< everything that moved beyond its tolerance; empty: the same
  /// Cells of both sides that ended by themselves, but whose trace or steps one side lacks: their curves are not compared.
  std::vector<std::string> without_curves;
};

/// Cells that lack their traces are refused, or compared by their statuses, counts and objectives alone (MissingTraces; the
/// table was read with them taken). Throws InputError when they cannot be compared: broken files, another config or size, a
/// cell that ended at a time limit, a trace that is cut off, or a file of a cell that is missing where these are refused.
BaselineComparison compare_with_baseline(const ResultTable& results, const std::filesystem::path& folder,
                                         MissingTraces traces = MissingTraces::refused);

/// The same between two folders of results, `before` in the place of the baseline, with the default tolerances: names and
/// sizes may differ, and of a cell that ended at a time limit or crashed in one of them only the status is compared. Throws
/// InputError where they share no cell, too.
BaselineComparison compare_results(const ResultTable& before, const ResultTable& now,
                                   MissingTraces traces = MissingTraces::refused);

struct BaselineUpdate {
  MissingTraces traces = MissingTraces::refused;
  bool replace = false;  ///< a baseline of other cells, of another size or config, too
};

/// Replaces the baseline in `folder`, keeping its tolerances. Throws InputError, and writes nothing, when a cell ended at a
/// time limit or failed, which no other machine could repeat, where a trace is cut off, or missing where these are refused,
/// and where the baseline has cells that the results lack or is of another size or config, unless it is to be replaced.
/// Writes what the cells were given as well (cell_inputs.hpp).
void write_baseline(const ResultTable& results, const std::filesystem::path& folder, const BaselineUpdate& update = {});

}  // namespace ccp
