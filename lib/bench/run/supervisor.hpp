#pragma once

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bench/config/catalog.hpp"
#include "bench/config/plan.hpp"
#include "bench/results/result_store.hpp"
#include "bench/run/preparation.hpp"
#include "bench/run/remaining_time.hpp"
#include "bench/run/runner.hpp"
#include "bench/run/step_counter.hpp"
#include "bench/run/worker.hpp"
#include "core/stopwatch.hpp"
#include "process/interrupt_guard.hpp"
#include "process/process_pool.hpp"

namespace ccp {

/// Runs cells in worker processes: starts them when they are prepared, within their limits and the time of the run, and
/// writes the results of workers that died. This process stays single-threaded, so that a fork copies everything there is.
class Supervisor {
 public:
  Supervisor(const Plan& plan, const Catalog& catalog, const ResultStore& store, const RunOptions& options, Timing timing,
             RunProgress& progress, const InterruptGuard& guard);

  /// Runs the cells `missing` in that order, then, round by round, each of `all` that needs another timed run. Indices of
  /// the plan; no hash twice. Stops when interrupted and when the time of the options is over: what runs then is discarded
  /// but for the steps of sequences, which go on next time. Whether all was done.
  bool run(const std::vector<std::size_t>& missing, const std::vector<std::size_t>& all);

 private:
  /// The work of workers.
  enum class Phase { tapes, first, repeats };
  /// A sequence, or the tape of one, whose worker runs.
  struct RunningSteps {
    std::size_t id = 0;  ///< as the pool has it
    std::unique_ptr<StepCounter> counter;
    std::int64_t total = 0;
    double start_s = 0.0;
  };

  bool stopped() const { return guard_.interrupted() || clock_.seconds() >= end_s_; }
  /// Starts these one after the other, and waits for all. False when it was stopped before.
  /// That a cell counts as jobs: those it solves on.
  int processes(std::size_t index) const { return std::max(1, plan_.cells[index].ranks); }
  bool run_round(const std::vector<std::size_t>& cells);
  /// Those that need another timed run.
  std::vector<std::size_t> next_round(const std::vector<std::size_t>& cells) const;
  /// Remakes missing or damaged parts of the tapes of cells that have a result.
  void repair_tapes(const std::vector<std::size_t>& all, const std::vector<std::size_t>& missing);

  /// False when the run was stopped before its worker was there.
  bool start(std::size_t index);
  /// Makes what the cell needs, or says why that cannot be done. had_tape: its tape was as long as the cell needs it.
  std::optional<Defect> prepare(const Cell& cell, bool had_tape = false);
  void spawn(std::size_t index, std::optional<Repeat> repeat);
  /// Waits a moment; finishes a cell that has ended, or gives the exit of a worker that belongs to none.
  std::optional<WorkerExit> wait();
  /// As RunApart.
  std::optional<Defect> run_apart(const Cell& cell, const Limits& limits, const std::function<void()>& body);
  /// What they left goes, unless a later run goes on from there.
  void stop_workers();

  void finish(const WorkerExit& exit);
  /// Of a worker that an interrupt has killed: what it left goes, unless a later run goes on from there.
  void drop(const Cell& cell);
  void finish_without_worker(std::size_t index, const Defect& defect);
  void give_up_repeating(std::size_t index, CellRecord record, const std::string& reason);
  CellRecord record_of_dead(const Cell& cell, const WorkerExit& exit) const;
  CellRecord stored(const Cell& cell) const;
  void report(std::size_t index, const CellRecord& record);

  std::filesystem::path log_of(const Cell& cell) const;
  /// The steps done of the sequence that began last among those that run.
  std::optional<StepsDone> steps_done() const;
  RunCounts counts() const;

  const Plan& plan_;
  const Catalog& catalog_;
  const ResultStore& store_;
  const RunOptions& options_;
  const Timing timing_;
  RunProgress& progress_;
  const InterruptGuard& guard_;
  Stopwatch clock_;
  double end_s_;  ///< of the time of the run, on clock_
  Phase phase_ = Phase::tapes;
  Preparation preparation_;
  std::map<std::string, double> prepared_s_;  ///< time of making a problem or tape, by problem key
  std::set<std::size_t> given_up_;            ///< cells with a repeated run that did not finish
  std::map<std::size_t, double> used_s_;      ///< of sequences that go on: wall clock of their killed workers, s
  std::vector<RunningSteps> sequences_;       ///< in the order they began
  RemainingTime remaining_time_;
  RunCounts counts_;
  int busy_ = 0;  ///< jobs of the running cells
  ProcessPool pool_;
};

}  // namespace ccp
