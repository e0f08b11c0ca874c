#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/record/csv.hpp"
#include "bench/record/step_row.hpp"
#include "core/status.hpp"
#include "problem/contact_problem.hpp"
#include "problem/judge/balance.hpp"
#include "process/process_pool.hpp"
#include "solvers/solver.hpp"

namespace ccp {

/// Facts of the problem of a cell, known once it is built.
struct ProblemFacts {
  std::string name;  ///< as the scene or the file calls it
  Index contacts = 0, rows = 0, dofs = 0;
  double symmetry_defect = 0.0;
};

/// The times of one run of a cell, s of solver clock.
struct TimedRun {
  int pass = 1;  ///< 1: iterates were judged between iterations; 2: they were not
  double setup_s = 0.0, solve_s = 0.0;
  Crossings crossings;
  std::vector<int> cores;  ///< it was bound to; empty when it was not
  /// Time of the products and projections it has counted, timed between its iterations, s; NaN where they are not timed.
  double kernel_work_s = unknown_number;
  std::string busy{};        ///< why its times are worth less: what else the machine did meanwhile; empty when it did not
  std::string difference{};  ///< how its iterates differ from those of the first run; empty when they do not
};

/// Times of the kernels called by themselves, one call after the other, s: the mean of the fastest batch of calls. NaN where
/// a kernel does not exist. numbers() says what each is.
struct KernelTimes {
  double product = unknown_number;     ///< of FirstOrderKernels, in turn with the projection
  double projection = unknown_number;  ///< and the other way round
  double block_product = unknown_number, csr_product = unknown_number, factors_product = unknown_number;
  double bytes_per_contact = unknown_number;
};

/// All of them NaN.
Measures unknown_measures();

/// The result of one cell.
struct CellRecord {
  std::string hash;
  Status status = Status::failed;
  std::string reason;
  bool io_failure = false;  ///< it failed because its files could not be written: the next run tries again
  int iterations = 0;
  bool native_converged = false;
  Counters counters;
  double setup_s = unknown_number, solve_s = unknown_number;  ///< solver clock; medians of the runs of the highest pass
  double instructions = unknown_number;    ///< of that clock in the first run; NaN where the machine does not count them
  double judging_s = unknown_number;       ///< off that clock in the first run: judging, tracing, starting peers
  double wall_s = unknown_number;          ///< from the fork to the end of the process
  double peak_memory_mb = unknown_number;  ///< largest resident size of the process, MiB, with the problem
  Limits limits;
  Measures measures = unknown_measures();
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
  std::optional<RankFacts> ranks;      ///< of a method that ran on several
  std::optional<Balance> balance;      ///< of the returned impulse; of a problem of one step
  /// Facts of a sequence. In its record iterations, counters and times are sums over its steps, measures the largest of
  /// them.
  std::optional<SequenceFacts> sequence;
  std::optional<NativeStop> native_stop;  ///< of a method that stops on its own criterion, once it has run

  void take(Result&& result);
};

/// The names of the crossings: "1e-2", … "1e-12".
std::string decade_name(int decade);

/// A counter that is a column of a trace.
struct TracedCounter {
  const char *name, *meaning;
  std::int64_t Counters::*counter;
};
constexpr std::array<TracedCounter, 4> traced_counters = {
    {{"factorizations", "factorisations of matrices", &Counters::factorizations},
     {"back_solves", "back-solves with factors", &Counters::back_solves},
     {"products", "products with N, or with D and its transpose", &Counters::products},
     {"projections", "projections onto the cones", &Counters::projections}}};

/// Beside every metric of a method's own stop: the steps that it leaves out.
constexpr const char* native_unmet_steps = "native_unmet_steps";

/// Adds a run. Sets the times of the record to the medians over its runs of the highest pass, and notes iterates that differ
/// from those of the first run.
void add_run(CellRecord& record, const Result& result, TimedRun run);

/// The note of the record on runs with other iterates than the first: "run 3 differs from the first: …".
std::vector<std::string> differing_runs(const CellRecord& record);

/// Whether its iterations are whole runs of a peer, each more accurate than the one before: they are no iterations of a
/// method.
bool counts_restarts(const CellRecord& record);

/// Those of the runs that its times are from that had a busy machine; what the first of them says.
struct BusyRuns {
  std::size_t count = 0;
  std::string text;
};
BusyRuns busy_runs(const CellRecord& record);

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
