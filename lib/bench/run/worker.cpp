#include "bench/run/worker.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "bench/results/cell_file.hpp"
#include "bench/results/trace_csv.hpp"
#include "bench/run/attempt.hpp"
#include "bench/run/cell_end.hpp"
#include "bench/run/driver.hpp"
#include "bench/run/kernel_times.hpp"
#include "bench/run/machine_load.hpp"
#include "bench/run/repeats.hpp"
#include "bench/run/resident_pages.hpp"
#include "bench/run/warm_up.hpp"
#include "core/error.hpp"
#include "core/resident_heap.hpp"
#include "core/stopwatch.hpp"
#include "solvers/run_monitor.hpp"

namespace ccp {
namespace {

namespace fs = std::filesystem;

/// Largest resident size of this process, MiB.
double peak_memory_mb() {
  rusage usage{};
  return ::getrusage(RUSAGE_SELF, &usage) == 0 ? static_cast<double>(usage.ru_maxrss) / 1024.0 : 0.0;
}

/// The start of a cell. A reference solution is made here, in the worker and off the solver's clock, so that its failure
/// costs this cell alone. Throws InputError when none is certified.
WarmStart start_of(const Cell& cell, const BuiltProblem& built, const Catalog& catalog) {
  if (!cell.solver->start_from_reference) return {};
  const ContactProblem& problem = built.unperturbed();
  const StopRule stop{Measure::relative_residual, 0.0, true, std::numeric_limits<int>::max(), cell.limits.wall_s};
  Judge judge(problem, cell.model);
  RunMonitor monitor(judge, stop, cell.threads);
  const Result reference = catalog.make_solver("reference")->solve(problem, cell.model, {}, monitor);
  if (!reference.native_converged) throw InputError("no start point: " + reference.reason);
  return {reference.impulse, {}, 0.0};
}

/// One timed run of a cell without a sequence.
class TimedSolve {
 public:
  TimedSolve(const Cell& cell, BuiltProblem& built, const Catalog& catalog, bool pin)
      : cell_(cell),
        built_(built),
        catalog_(catalog),
        pin_(pin),
        solver_(solver_of(cell, catalog, built.origin(), built.ranks_judge())) {}

  const Solver& solver() const { return *solver_; }
  /// Time off the solver's clock, s.
  double judging_s() const { return judging_s_; }

  /// observe: sets what the monitor traces or replays. rehearsal: an earlier run that is repeated before, off the clock.
  Result run(TimedRun& timed, const std::function<void(RunMonitor&)>& observe, const Replay* rehearsal = nullptr) {
    const WarmStart start = start_of(cell_, built_, catalog_);
    if (pin_) timed.cores = pin_to_cores(cell_);
    RunMonitor monitor(*built_.judge(cell_.model), cell_.stop, cell_.threads);
    observe(monitor);
    make_pages_resident(resident_heap);
    const LoadMeter load;  // before the warm-up: reading files evicts caches
    const bool warms_up = catalog_.warms_up && cell_.ranks == 0;
    if (warms_up) warm_up(*solver_, built_.problem(), cell_.model, cell_.threads);
    if (warms_up && rehearsal != nullptr)
      rehearse(*solver_, built_.problem(), *built_.judge(cell_.model), start, cell_.stop, *rehearsal, cell_.threads);
    Stopwatch watch;
    watch.start();
    Result result = solver_->solve(built_.problem(), cell_.model, start, monitor);
    judging_s_ = std::max(0.0, watch.seconds() - result.setup_s - result.solve_s);
    timed.busy = busy_text(load.read(), cell_.threads, machine_cores());
    return result;
  }

 private:
  const Cell& cell_;
  BuiltProblem& built_;
  const Catalog& catalog_;
  bool pin_;
  std::unique_ptr<Solver> solver_;
  double judging_s_ = 0.0;
};

void solve_first(TimedSolve solve, const Cell& cell, const BuiltProblem& built, const fs::path& folder, CellRecord& record) {
  if (const auto reason = solve.solver().supports(built.problem(), cell.model)) {
    record.status = Status::unsupported;
    record.reason = *reason;
    return;
  }
  TimedRun timed;
  EventCounter instructions(CountedEvent::instructions);  // before the method makes threads
  TraceCsv trace(folder / unfinished_trace_name);
  Result result = solve.run(timed, [&](RunMonitor& monitor) {
    monitor.set_trace(&trace, cell.trace);
    monitor.clock().set_follower(&instructions);
  });
  trace.close();
  record.instructions = instructions_of(cell, instructions);
  record.judging_s = solve.judging_s();
  record.crossings = result.crossings;
  if (cell.stop.native) {
    StepRow whole;
    whole.rows = built.facts().rows;
    take_result(whole, result);
    record.native_stop = native_stop_of({whole}, 1);
  }
  add_run(record, result, std::move(timed));
  record.balance = result.balance ? *result.balance : balance_of(built.problem(), result.impulse);
  record.take(std::move(result));
  fs::rename(folder / unfinished_trace_name, folder / "trace.csv");
}

/// Runs up to this long are rehearsed, s: the times of longer ones hardly depend on what is in the caches.
constexpr double short_run = 0.01;

Result solve_repeat(TimedSolve solve, const Cell& cell, const BuiltProblem& built, const CellRecord& record,
                    TimedRun& timed) {
  const Replay replay{record.iterations, record.verdict, record.crossings};
  const bool rehearsed = timed.pass == 2 && record.setup_s + record.solve_s <= short_run;
  std::optional<FirstOrderKernels> kernels;
  KernelTotals totals;
  const auto observe = [&](RunMonitor& monitor) {
    // A repeated first pass evaluates the measures of the trace again, so that both judge the same, but writes no rows.
    if (timed.pass == 2)
      monitor.replay(replay);
    else
      monitor.set_trace(nullptr, cell.trace);
    if (!cell.kernels) return;
    const bool symmetric = cell.model == Model::ccp;  // as the solver has it
    kernels.emplace(symmetric ? built.problem().symmetrised() : built.problem(), cell.threads);
    monitor.during_replay([&] { totals.add_call(*kernels); });
  };
  const Result result = solve.run(timed, observe, rehearsed ? &replay : nullptr);
  timed.kernel_work_s = totals.work(result.counters);
  return result;
}

}  // namespace

double instructions_of(const Cell& cell, const EventCounter& counter) {
  return cell.solver->peer_version || cell.ranks > 0 ? unknown_number : counter.count().value_or(unknown_number);
}

int run_first(const Cell& cell, const fs::path& folder, const std::function<void(CellRecord&)>& solve,
              const std::function<void(CellRecord&)>& recover, const std::function<void(CellRecord&)>& finish) {
  Stopwatch wall;
  wall.start();
  CellRecord record = record_of(cell);
  if (const auto defect = attempt([&] { solve(record); })) {
    if (defect->status == Status::out_of_memory) return exit_out_of_memory;
    recover(record);
    set_defect(record, *defect);
  }
  record.peak_memory_mb = peak_memory_mb();
  record.wall_s = wall.seconds();
  finish(record);
  write_cell(folder, cell, record);
  return 0;
}

int run_repeat(const Cell& cell, const fs::path& folder, Repeat repeat, const std::function<Result(TimedRun&)>& solve) {
  TimedRun timed;
  timed.pass = repeat.pass;
  const Result result = solve(timed);
  add_run(repeat.record, result, std::move(timed));
  write_cell(folder, cell, repeat.record);
  return 0;
}

int run_cell(const Cell& cell, BuiltProblem& built, const Catalog& catalog, const fs::path& folder, bool pin,
             std::optional<Repeat> repeat) {
  if (repeat) {
    const CellRecord record = repeat->record;
    return run_repeat(cell, folder, std::move(*repeat), [&](TimedRun& timed) {
      return solve_repeat(TimedSolve(cell, built, catalog, pin), cell, built, record, timed);
    });
  }
  return run_first(
      cell, folder,
      [&](CellRecord& record) { solve_first(TimedSolve(cell, built, catalog, pin), cell, built, folder, record); },
      [&](CellRecord& record) { recover_trace(folder, cell, record); },
      [&](CellRecord& record) {
        record.problem = built.facts();
        record.kernels = built.kernels();
        record.conversions = built.problem().conversions();
      });
}

}  // namespace ccp
