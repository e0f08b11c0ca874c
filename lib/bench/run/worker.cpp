#include "bench/run/worker.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <exception>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <utility>

#include "bench/results/cell_file.hpp"
#include "bench/results/trace_csv.hpp"
#include "bench/run/driver.hpp"
#include "bench/run/kernel_times.hpp"
#include "bench/run/machine_load.hpp"
#include "bench/run/repeats.hpp"
#include "bench/run/resident_pages.hpp"
#include "bench/run/warm_up.hpp"
#include "core/error.hpp"
#include "core/stopwatch.hpp"
#include "io/file.hpp"
#include "solvers/run_monitor.hpp"

namespace ccp {
namespace {

std::unique_ptr<Solver> solver_of(const Cell& cell, const Catalog& catalog) {
  return configured_solver(cell.solver->solver, cell.solver->parameters, catalog);
}

void solve_cell(const Cell& cell, BuiltProblem& built, const Catalog& catalog, const std::filesystem::path& folder, bool pin,
                CellRecord& record) {
  const auto solver = solver_of(cell, catalog);
  if (const auto reason = solver->supports(built.problem(), cell.model)) {
    record.status = Status::unsupported;
    record.reason = *reason;
    return;
  }
  const WarmStart start = start_of(cell, built, catalog);
  TimedRun run;
  if (pin) run.cores = pin_to_cores(cell.threads);
  TraceCsv trace(folder / unfinished_trace_name);
  RunMonitor monitor(*built.judge(cell.model), cell.stop, cell.threads);
  monitor.set_trace(&trace, cell.trace);
  make_pages_resident(resident_heap);
  const LoadMeter load;  // before the warm-up: reading files evicts caches
  if (catalog.warms_up) warm_up(*solver, built.problem(), cell.model, cell.threads);
  Stopwatch watch;
  watch.start();
  Result result = solver->solve(built.problem(), cell.model, start, monitor);
  record.judging_s = std::max(0.0, watch.seconds() - result.setup_s - result.solve_s);
  run.busy = busy_text(load.read(), cell.threads, machine_cores());
  trace.close();
  record.crossings = result.crossings;
  if (cell.stop.native) {
    StepRow whole;
    whole.rows = built.problem().rows();
    take_result(whole, result);
    record.native_stop = native_stop_of({whole}, 1);
  }
  add_run(record, result, std::move(run));
  record.balance = balance_of(built.problem(), result.impulse);
  record.take(std::move(result));
  std::filesystem::rename(folder / unfinished_trace_name, folder / "trace.csv");
}

}  // namespace

bool is_io_failure(const std::exception& error) {
  return dynamic_cast<const WriteError*>(&error) != nullptr ||
         dynamic_cast<const std::filesystem::filesystem_error*>(&error) != nullptr;
}

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

double peak_memory_mb() {
  rusage usage{};
  return ::getrusage(RUSAGE_SELF, &usage) == 0 ? static_cast<double>(usage.ru_maxrss) / 1024.0 : 0.0;
}

int run_cell(const Cell& cell, BuiltProblem& built, const Catalog& catalog, const std::filesystem::path& folder, bool pin) {
  Stopwatch wall;
  wall.start();
  CellRecord record;
  record.hash = cell.hash;
  record.limits = cell.limits;
  record.problem = built.facts();
  record.kernels = built.kernels();
  try {
    solve_cell(cell, built, catalog, folder, pin, record);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    record.status = Status::failed;
    record.reason = error.what();
    record.io_failure = is_io_failure(error);
    recover_trace(folder, cell, record);
  } catch (...) {
    record.status = Status::failed;
    record.reason = "an exception of an unknown kind";
    recover_trace(folder, cell, record);
  }
  record.conversions = built.problem().conversions();
  record.peak_memory_mb = peak_memory_mb();
  record.wall_s = wall.seconds();
  write_cell(folder, cell, record);
  return 0;
}

int run_cell_again(const Cell& cell, BuiltProblem& built, const Catalog& catalog, const std::filesystem::path& folder,
                   CellRecord record, int pass, bool pin) {
  const auto solver = solver_of(cell, catalog);
  const WarmStart start = start_of(cell, built, catalog);
  TimedRun run;
  run.pass = pass;
  if (pin) run.cores = pin_to_cores(cell.threads);
  RunMonitor monitor(*built.judge(cell.model), cell.stop, cell.threads);
  // A repeated first pass evaluates the measures of the trace again, so that both judge the same, but writes no rows.
  if (pass == 2)
    monitor.replay({record.iterations, record.verdict, record.crossings});
  else
    monitor.set_trace(nullptr, cell.trace);
  std::optional<FirstOrderKernels> kernels;
  KernelTotals totals;
  if (cell.kernels) {
    const bool symmetric = cell.model == Model::ccp;  // as the solver has it
    kernels.emplace(symmetric ? built.problem().symmetrised() : built.problem(), cell.threads);
    monitor.during_replay([&] { totals.add_call(*kernels); });
  }
  make_pages_resident(resident_heap);
  const LoadMeter load;
  if (catalog.warms_up) warm_up(*solver, built.problem(), cell.model, cell.threads);
  const Result result = solver->solve(built.problem(), cell.model, start, monitor);
  run.busy = busy_text(load.read(), cell.threads, machine_cores());
  run.kernel_work_s = totals.work(result.counters);
  add_run(record, result, std::move(run));
  write_cell(folder, cell, record);
  return 0;
}

}  // namespace ccp
