#include "bench/run/runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "bench/results/folder_lock.hpp"
#include "bench/results/result_store.hpp"
#include "bench/results/summary_file.hpp"
#include "bench/run/cell_end.hpp"
#include "bench/run/manifest.hpp"
#include "bench/run/run_limits.hpp"
#include "bench/run/supervisor.hpp"
#include "core/error.hpp"
#include "process/interrupt_guard.hpp"

namespace ccp {
namespace {

void check_options(const RunOptions& options) {
  if (options.jobs < 1) throw InputError("--jobs: expected at least 1");
  if (options.repeat < 1) throw InputError("--repeat: expected at least 1");
  if (options.passes < 0 || options.passes > 2) throw InputError("--passes: expected 1 or 2");
  if (options.threads < 1) throw InputError("--threads: expected at least 1");
  if (options.for_s && options.fresh)
    throw InputError("--for: not together with --fresh, as the next command would begin anew, expected one of them");
}

std::vector<std::size_t> each_hash_once(const Plan& plan, const std::vector<std::size_t>& chosen) {
  std::vector<std::size_t> distinct;
  std::set<std::string> seen;
  for (const std::size_t index : chosen)
    if (seen.insert(plan.cells[index].hash).second) distinct.push_back(index);
  return distinct;
}

/// The cells without a result, or all when everything is run afresh, but for those whose file is not there.
std::vector<std::size_t> cells_to_run(const Plan& plan, const std::vector<std::size_t>& distinct, const ResultStore& store,
                                      bool fresh) {
  std::vector<std::size_t> missing;
  for (const std::size_t index : distinct)
    if (plan.cells[index].missing.empty() && (fresh || !store.has_result(plan.cells[index]))) missing.push_back(index);
  return missing;
}

/// "cell: run 3 differs from the first: …" for each such run.
std::vector<std::string> differing_repeats(const Plan& plan, const std::vector<std::size_t>& cells,
                                           const ResultStore& store) {
  std::vector<std::string> texts;
  for (const std::size_t index : cells) {
    const auto record = store.find(plan.cells[index]);
    if (!record) continue;
    for (const std::string& text : differing_runs(*record)) texts.push_back(plan.cells[index].id() + ": " + text);
  }
  return texts;
}

/// One sentence on the cells whose times were taken on a busy machine, in this run or an earlier one; empty without any.
std::string busy_cells(const Plan& plan, const std::vector<std::size_t>& cells, const ResultStore& store) {
  std::size_t busy = 0, timed = 0;
  std::string first;
  for (const std::size_t index : cells) {
    const auto record = store.find(plan.cells[index]);
    if (!record || record->runs.empty()) continue;
    ++timed;
    const BusyRuns runs = busy_runs(*record);
    if (runs.count > 0 && busy++ == 0) first = fmt::format("{}: {}", plan.cells[index].id(), runs.text);
  }
  if (busy == 0) return "";
  return fmt::format("the times of {} of {} cells were taken on a busy machine ({}); --fresh takes them again", busy, timed,
                     first);
}

/// One sentence on the cells whose files are not there, and what fetches them; empty without any.
std::string missing_files(const Config& config, const Plan& plan, const std::vector<std::size_t>& chosen,
                          std::size_t& cells) {
  std::set<std::string> files;
  for (const std::size_t index : chosen)
    if (!plan.cells[index].missing.empty()) {
      ++cells;
      files.insert(plan.cells[index].missing);
    }
  if (files.empty()) return "";
  return fmt::format("{} cell{} missing, as {} not there ({}{}); {} fetches the files, --fclib names their folder", cells,
                     cells == 1 ? " is" : "s are",
                     files.size() == 1 ? "a file is" : fmt::format("{} files are", files.size()), *files.begin(),
                     files.size() == 1 ? "" : ", …", config.fetch);
}

/// Counts by status and failures of the chosen cells; true when each has a result.
bool collect(const Plan& plan, const std::vector<std::size_t>& chosen, const ResultStore& store, RunReport& report) {
  bool complete = true;
  for (const std::size_t index : chosen) {
    const auto record = store.find(plan.cells[index]);
    complete = complete && record.has_value();
    if (!record) continue;
    ++report.counts[static_cast<std::size_t>(record->status)];
    const double solver_s = record->setup_s + record->solve_s;
    if (std::isfinite(record->judging_s) && std::isfinite(solver_s)) {
      report.judging_s += record->judging_s;
      report.solver_s += solver_s;
    }
    if (is_failure(*record)) report.failures.push_back({plan.cells[index].id(), record->status, record->reason});
  }
  return complete;
}

}  // namespace

Timing timing_of(const RunOptions& options, bool kernels) {
  Timing timing;
  timing.repeat = options.repeat;
  timing.hopeless_s = options.hopeless_s;
  timing.passes = options.passes != 0 ? options.passes : options.repeat > 1 || kernels ? 2 : 1;
  timing.pin = options.jobs == 1 && (timing.repeat > 1 || timing.passes == 2);
  return timing;
}

std::vector<std::size_t> spread(const std::vector<std::size_t>& cells) {
  const std::size_t n = cells.size();
  std::size_t step = std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(0.618 * static_cast<double>(n))));
  while (std::gcd(step, n) > 1) ++step;
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < n; ++i) order.push_back(cells[i * step % n]);
  return order;
}

bool is_failure(Status status) {
  return status == Status::failed || status == Status::crashed || status == Status::out_of_memory ||
         status == Status::false_converged;
}

bool is_failure(const CellRecord& record) { return is_failure(record.status) || was_killed(record); }

RunReport run_config(const Config& config, const Plan& plan, const Catalog& catalog, const RunOptions& options,
                     RunProgress& progress) {
  check_options(options);
  const InterruptGuard guard;  // before the first file
  const auto chosen = select_cells(plan, options.only, options.shard);
  const ResultStore store(options.out, config.name);
  const FolderLock lock(store.folder());
  auto distinct = each_hash_once(plan, chosen);
  if (options.for_s) distinct = spread(distinct);
  remove_orphaned(store, plan, distinct);
  const auto missing = cells_to_run(plan, distinct, store, options.fresh);

  RunReport report;
  report.folder = store.folder().string();
  report.selected = chosen.size();
  const std::string not_there = missing_files(config, plan, chosen, report.missing);
  report.reused = chosen.size() - missing.size() - report.missing;
  ManifestState state;
  state.start = iso_time_now();
  const Environment environment = read_environment();
  state.load = environment.load;
  state.heat = read_thermal();
  report.warnings = timing_warnings(environment);
  const std::string manifest = manifest_json(config, plan, options, report, state);
  std::vector<std::string> damage = store.damages(plan, options.fresh ? std::vector<std::size_t>() : missing);
  if (std::string of_summary = damage_of_summary(store.folder()); !of_summary.empty())
    damage.insert(damage.begin(), std::move(of_summary));
  const std::string moved = store.back_up_earlier(manifest);
  store.write_manifest(manifest);
  progress.planned(config, chosen.size(), report.reused);
  if (!moved.empty()) progress.note(moved);
  if (!not_there.empty()) progress.note(not_there);
  for (const std::string& text : damage) progress.note(text);
  const Timing timing = timing_of(options, config.kernels);
  if (timing.repeat > 1 || timing.passes == 2)  // other runs are about results
    for (const std::string& text : report.warnings) progress.warning(text);

  const bool done = Supervisor(plan, catalog, store, options, timing, progress, guard).run(missing, distinct);
  report.interrupted = guard.interrupted();
  if (!done && !report.interrupted) {
    const RunLimits left = limits_of_run(plan, chosen, catalog, options);
    report.remaining = left.to_run.size() + left.to_repeat.size();
  }
  store.write_summary(plan);

  const bool chosen_done = collect(plan, chosen, store, report);
  std::vector<std::string> doubts = differing_repeats(plan, distinct, store);
  if (std::string busy = busy_cells(plan, distinct, store); !busy.empty()) doubts.push_back(std::move(busy));
  state.heat_at_end = read_thermal();
  if (std::string hot = throttling_text(state.heat, state.heat_at_end); !hot.empty()) doubts.push_back(std::move(hot));
  for (const std::string& text : doubts) progress.warning(text);
  report.warnings.insert(report.warnings.end(), doubts.begin(), doubts.end());
  state.complete =
      done && chosen_done &&
      (chosen.size() == plan.cells.size() ||
       std::all_of(plan.cells.begin(), plan.cells.end(), [&](const Cell& cell) { return store.find(cell).has_value(); }));
  state.interrupted = !done;
  state.end = iso_time_now();
  store.write_manifest(with_summary_checksum(manifest_json(config, plan, options, report, state), store.folder()));
  return report;
}

}  // namespace ccp
