#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bench/config/catalog.hpp"
#include "bench/config/plan.hpp"
#include "bench/results/result_store.hpp"
#include "bench/run/built_problem.hpp"
#include "bench/run/remaining_time.hpp"
#include "bench/run/runner.hpp"
#include "bench/run/step_counter.hpp"
#include "core/stopwatch.hpp"
#include "process/interrupt_guard.hpp"
#include "process/process_pool.hpp"

namespace ccp {

/// Runs cells in worker processes: builds each problem once, forks, enforces limits, and writes the results of workers that
/// died. This process stays single-threaded, so that a fork copies everything there is.
class Supervisor {
 public:
  Supervisor(const Plan& plan, const Catalog& catalog, const ResultStore& store, int jobs, Timing timing,
             RunProgress& progress, bool fresh);

  /// Runs the cells `missing` in that order, then, round by round, each of `all` that needs another timed run. Indices of
  /// the plan; no hash twice. Returns false when interrupted: what ran then is
  /// discarded but for the steps of sequences, which go on next time.
  bool run(const std::vector<std::size_t>& missing, const std::vector<std::size_t>& all, const InterruptGuard& guard);

 private:
  /// Why a cell ends before it has a worker.
  struct Defect {
    Status status;
    std::string reason;
    bool io_failure = false;  ///< as in CellRecord
  };

  /// Starts these one after the other, and waits for all.
  void run_round(const std::vector<std::size_t>& cells);
  /// Those that need another timed run.
  std::vector<std::size_t> next_round(const std::vector<std::size_t>& cells) const;
  /// Another timed run of a cell that has a result.
  void start_again(std::size_t index);
  /// Notes a method that a second pass cannot time without judging.
  void note_unreplayable(const Cell& cell, CellRecord& record) const;
  void finish_again(std::size_t index, const WorkerExit& exit);
  void give_up_repeating(std::size_t index, CellRecord record, const std::string& reason);
  void spawn(std::size_t index, const std::function<int()>& body);
  /// Waits a moment; finishes a cell that has ended, or gives the exit of the worker aside.
  std::optional<WorkerExit> wait();
  /// Runs `body` in a worker that belongs to no cell, within the limits and the folder of one, while cells go on. Nothing
  /// when interrupted.
  std::optional<WorkerExit> run_aside(const Cell& cell, const Limits& limits, const std::function<int()>& body);
  void start(std::size_t index);
  /// Starts a cell with a sequence; record: of one that has run, to run it again.
  void start_sequence(std::size_t index, std::optional<CellRecord> record = std::nullopt);
  /// Makes the tape of a cell as long as it needs it, in a worker aside; why that cannot be done. was_made: it had one.
  std::optional<Defect> make_tape(const Cell& cell, bool was_made = false);
  /// Makes again what is missing or damaged of the tapes of cells that have a result.
  void mend_tapes(const std::vector<std::size_t>& all, const std::set<std::size_t>& missing);
  std::filesystem::path tape_folder(const Cell& cell) const;
  /// The steps done of the sequence that began last among those that run.
  std::optional<StepsDone> steps_done() const;
  /// Makes problem and judge of a cell, first in a worker aside, because a damaged file can end the process that reads it.
  void build(const Cell& cell);
  void measure_kernels_once(const Cell& cell);
  void finish(const WorkerExit& exit);
  void finish_without_worker(std::size_t index, const Defect& defect, double wall_s);
  void report(std::size_t index, const CellRecord& record);
  std::pair<Status, std::string> how_it_ended(const Cell& cell, const WorkerExit& exit, const Limits& limits) const;
  CellRecord record_of_dead(const Cell& cell, const WorkerExit& exit) const;
  RunCounts counts() const;

  const Plan& plan_;
  const Catalog& catalog_;
  const ResultStore& store_;
  const int jobs_;
  const Timing timing_;
  RunProgress& progress_;
  ProcessPool pool_;
  const InterruptGuard* guard_ = nullptr;
  Stopwatch clock_;
  std::set<std::size_t> given_up_;  ///< cells with a repeated run that did not finish
  const char* log_name_;            ///< of the workers of this round
  std::string built_key_;
  double build_s_ = 0.0;                               ///< time it took to build it
  std::set<Model> tried_;                              ///< models whose judge was made aside, of the problem that is built
  std::map<int, std::optional<KernelTimes>> kernels_;  ///< of the problem that is built, by threads
  std::unique_ptr<BuiltProblem> built_;
  /// A sequence, or the tape of one, whose worker runs.
  struct RunningSteps {
    std::size_t id = 0;  ///< as the pool has it
    std::unique_ptr<StepCounter> counter;
    std::int64_t total = 0;
    double start_s = 0.0;
  };
  const bool fresh_;                                    ///< nothing goes on where an earlier worker was killed
  std::map<std::size_t, double> used_s_;                ///< of sequences that go on: wall clock of their killed workers, s
  std::map<std::string, std::optional<Defect>> tapes_;  ///< by problem key
  std::map<std::string, double> tape_seconds_;          ///< by problem key: what making the tape took, s
  std::set<std::string> renewed_tapes_;                 ///< keys of tapes that a fresh run has begun anew
  std::vector<RunningSteps> sequences_;                 ///< in the order they began
  RemainingTime remaining_time_;
  RunCounts counts_;
};

}  // namespace ccp
