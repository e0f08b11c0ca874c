#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "bench/config/catalog.hpp"
#include "bench/config/plan.hpp"
#include "bench/record/cell_record.hpp"
#include "bench/run/repeats.hpp"
#include "core/status.hpp"

/// Runs the cells of a config, each in a process of its own, and keeps their results on disk.
namespace ccp {

struct RunOptions {
  std::string out = "results";    ///< results go to out/<config name>/
  std::vector<std::string> only;  ///< shell patterns on "problem/model/label"; empty: all
  ConfigOverrides overrides;      ///< --size and --set
  std::string fclib_dir;          ///< --fclib; empty: CCPBENCH_FCLIB_DIR
  int jobs = 1;                   ///< cells at once
  int threads = 1;                ///< threads a solver may use
  int repeat = 1;                 ///< timed runs of each cell, in rounds over all cells
  int passes = 0;                 ///< 1 or 2 (bench/run/repeats.hpp); 0: 2 with repeats or where kernels are timed, else 1
  bool fresh = false;             ///< also runs finished cells
  double hopeless_s = std::numeric_limits<double>::infinity();  ///< as Timing has it
  std::optional<double> for_s;  ///< stop after this time, s, and run the cells in an order that spreads over the plan
  Shard shard;
};

Timing timing_of(const RunOptions& options, bool kernels);

/// The same entries in an order whose beginning has some of each problem, model and solver of a plan: steps of the golden
/// section of their number n, prime to it. Of k settings that each problem has, the first k entries have each one once.
std::vector<std::size_t> spread(const std::vector<std::size_t>& cells);

/// How far a sequence has come.
struct StepsDone {
  std::int64_t done = 0, total = 0;
  std::optional<double> left_s;  ///< at the pace so far, s; nothing before the first step
};

/// How far a run has come.
struct RunCounts {
  std::size_t total = 0;  ///< cells to run, without reused ones
  std::size_t done = 0;
  std::size_t running = 0;
  std::size_t failed = 0;  ///< is_failure()
  /// Time left from the cells measured so far (RemainingTime), s; nothing before the first finished cell.
  std::optional<double> left_s;
  std::optional<StepsDone> steps;  ///< of the sequence that began last among those that run
};

/// Listens to a run, called from the thread of run_config. Here it hears nothing.
class RunProgress {
 public:
  virtual ~RunProgress() = default;
  /// selected: cells of this run; reused: how many of them have a result already.
  virtual void planned(const Config&, std::size_t /*selected*/, std::size_t /*reused*/) {}
  /// The problem of a cell is going to be read or generated.
  virtual void building(const Cell&, const RunCounts&) {}
  virtual void started(const Cell&, const RunCounts&) {}
  virtual void finished(const Cell&, const CellRecord&, const RunCounts&) {}
  /// A reason to trust the times less: a machine or build unfit for timing, repeats with other iterates.
  virtual void warning(const std::string&) {}
  /// Other notes for the user, such as where older results have gone.
  virtual void note(const std::string&) {}
  /// Several times a second while nothing ends.
  virtual void waiting(const RunCounts&) {}
};

/// failed, crashed, out_of_memory and false_converged. To reach a limit, to stall, to diverge and not to support a problem
/// are results of a benchmark, not failures of it.
bool is_failure(Status status);

/// The same of a cell, and whether it was killed at its wall limit.
bool is_failure(const CellRecord& record);

struct FailedCell {
  std::string id;  ///< "problem/model/label"
  Status status = Status::failed;
  std::string reason;
};

struct RunReport {
  std::string folder;        ///< out/<config name>
  std::size_t selected = 0;  ///< cells asked for
  std::size_t reused = 0;    ///< had a result already
  std::size_t missing = 0;   ///< their FCLib file is not there
  std::array<std::size_t, static_cast<std::size_t>(Status::interrupted) + 1>
      counts{};                       ///< of selected cells with a result, by Status
  std::vector<FailedCell> failures;   ///< selected cells with is_failure()
  std::vector<std::string> warnings;  ///< about times
  double solver_s = 0.0,
         judging_s =
             0.0;  ///< sums over the cells that know both: their solver clocks, and what was off them in the first run
  bool interrupted = false;  ///< SIGINT or SIGTERM: the program should exit with 130
  std::size_t remaining =
      0;  ///< selected cells that lack a result or timed runs because the time of RunOptions::for_s was over
};

/// Runs a config; plan: make_plan(config, {options.fclib_dir, options.threads}). Numerical failures and crashes become
/// results; throws InputError for bad input and an output folder that cannot be written or that another run writes to.
/// SIGINT, SIGTERM and the end of its time stop the run: workers are killed, and nothing half-written is kept but the steps
/// of sequences, which go on next time. Must be called from a process without other threads (workers are forked).
RunReport run_config(const Config& config, const Plan& plan, const Catalog& catalog, const RunOptions& options,
                     RunProgress& progress);

}  // namespace ccp
