#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/record/timed_runs.hpp"
#include "core/status.hpp"
#include "problem/contact_problem.hpp"
#include "process/limits.hpp"
#include "solvers/solver.hpp"

namespace ccp {

/// Facts of the problem of a cell, known once it is built.
struct ProblemFacts {
  std::string name;  ///< as the scene or the file calls it
  Index contacts = 0, rows = 0, dofs = 0;
  double symmetry_defect = 0.0;
};

/// The result of one cell. Numbers that are not known are NaN.
struct CellRecord {
  CellRecord();

  std::string hash;
  Status status = Status::failed;
  std::string reason;
  int iterations = 0;
  bool native_converged = false;
  Counters counters;
  double setup_s, solve_s;  ///< solver clock; medians of the runs of the highest pass
  double wall_s;            ///< from the fork to the end of the process
  double peak_memory_mb;    ///< largest resident size of the process, MiB, with the problem
  Limits limits;
  Measures measures;
  Crossings crossings;  ///< of the stop measure
  /// The solver did not finish: trace.csv holds the rows until then, and iterations, counters, measures and crossings are
  /// those of its last row.
  bool partial_trace = false;
  std::optional<Status> verdict;  ///< why the solver was told to stop; nothing when it stopped by itself
  std::vector<TimedRun> runs;     ///< the first wrote the trace; empty when the solver did not finish
  std::vector<std::string> notes;
  std::vector<Conversion> conversions;
  std::optional<ProblemFacts> problem;
  std::optional<KernelTimes> kernels;  ///< where the config asks for them

  void take(Result&& result);
};

/// The names of the crossings: "1e-2", … "1e-12".
std::string decade_name(int decade);

}  // namespace ccp
