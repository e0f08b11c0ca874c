#include "bench/run/supervisor.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <exception>
#include <fstream>
#include <iterator>
#include <new>
#include <tuple>

#include "bench/results/steps_csv.hpp"
#include "bench/results/trace_csv.hpp"
#include "bench/run/broken_off.hpp"
#include "bench/run/kernel_times.hpp"
#include "bench/run/repeats.hpp"
#include "bench/run/resident_pages.hpp"
#include "bench/run/sequence_run.hpp"
#include "bench/run/tape.hpp"
#include "bench/run/worker.hpp"
#include "core/error.hpp"
#include "io/file.hpp"
#include "io/motion_tape.hpp"
#include "process/exit_status.hpp"

namespace ccp {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t aside = static_cast<std::size_t>(-1);  // id of a worker that runs no cell

/// The last line of a log, with blanks for control characters; empty when it says nothing.
std::string last_line_of(const fs::path& log) {
  constexpr std::streamoff most_read = 1 << 16;  // a log may be as long as a solver likes
  std::ifstream stream(log, std::ios::binary | std::ios::ate);
  const std::streamoff size = stream ? static_cast<std::streamoff>(stream.tellg()) : 0;
  stream.seekg(std::max<std::streamoff>(0, size - most_read));
  std::string last = last_line(std::string(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()));
  std::replace_if(
      last.begin(), last.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  return last;
}

/// Wall clock that the killed workers of a sequence have used until where it goes on, s; 0 where it begins anew.
double used_before(const Cell& cell, const fs::path& folder) {
  if (!has_mark(folder) || try_apart([&] { read_step_mark(folder / step_mark_name); })) return 0.0;
  const auto found = find_broken_off(cell, folder);
  return found ? found->mark.used.wall_s : 0.0;
}

}  // namespace

Supervisor::Supervisor(const Plan& plan, const Catalog& catalog, const ResultStore& store, int jobs, Timing timing,
                       RunProgress& progress, bool fresh)
    : plan_(plan),
      catalog_(catalog),
      store_(store),
      jobs_(jobs),
      timing_(timing),
      progress_(progress),
      log_name_(first_log_name),
      fresh_(fresh) {
  clock_.start();
}

bool Supervisor::run(const std::vector<std::size_t>& missing, const std::vector<std::size_t>& all,
                     const InterruptGuard& guard) {
  guard_ = &guard;
  counts_ = {};
  given_up_.clear();
  mend_tapes(all, std::set<std::size_t>(missing.begin(), missing.end()));
  log_name_ = first_log_name;
  run_round(missing);
  log_name_ = again_log_name;
  for (auto round = next_round(all); !round.empty() && !guard.interrupted(); round = next_round(all)) run_round(round);
  const auto killed = pool_.kill_all();
  for (const std::size_t index : killed)
    if (index != aside && !store_.find(plan_.cells[index]) && !has_mark(store_.cell_folder(plan_.cells[index])))
      store_.discard(plan_.cells[index]);
  return !guard.interrupted();
}

void Supervisor::run_round(const std::vector<std::size_t>& cells) {
  counts_.total += cells.size();
  for (const std::size_t index : cells) {
    const Cell& cell = plan_.cells[index];
    remaining_time_.add(cell.solver->solver, cell.problem_key, cell.limits.wall_s);
  }
  std::size_t next = 0;
  while (!guard_->interrupted() && (next < cells.size() || counts_.running > 0)) {
    if (next < cells.size() && counts_.running < static_cast<std::size_t>(jobs_))
      start(cells[next++]);
    else
      wait();
  }
}

std::vector<std::size_t> Supervisor::next_round(const std::vector<std::size_t>& cells) const {
  std::vector<std::size_t> round;
  if (timing_.repeat == 1 && timing_.passes == 1) return round;
  for (const std::size_t index : cells) {
    const Cell& cell = plan_.cells[index];
    const auto record = store_.find(cell);
    if (record && given_up_.count(index) == 0 && next_pass(*record, timing_, can_replay(cell, catalog_)))
      round.push_back(index);
  }
  return round;
}

std::optional<WorkerExit> Supervisor::wait() {
  const auto exit = pool_.wait(std::chrono::milliseconds(200));
  if (exit && exit->id == aside) return exit;
  if (exit)
    finish(*exit);
  else
    progress_.waiting(counts());
  return std::nullopt;
}

std::optional<WorkerExit> Supervisor::run_aside(const Cell& cell, const Limits& limits, const std::function<int()>& body) {
  pool_.spawn(aside, limits, fs::absolute(store_.cell_folder(cell)) / log_name_, body);
  while (!guard_->interrupted())
    if (const auto exit = wait()) return exit;
  return std::nullopt;
}

void Supervisor::build(const Cell& cell) {
  const bool fresh = !built_ || built_key_ != cell.problem_key;
  if (fresh) {
    built_.reset();  // first, or two problems would be in memory
    kernels_.clear();
    tried_.clear();
    progress_.building(cell, counts());
  }
  const double start = clock_.seconds();
  if (tried_.insert(cell.model).second && !(built_ && built_->defect())) {
    const auto exit = run_aside(cell, cell.limits, [&] {
      if (fresh) built_ = std::make_unique<BuiltProblem>(cell, catalog_);
      built_->judge(cell.model);
      return exit_came_through;
    });
    if (!exit) return;
    if (exit->status.code != exit_came_through) {
      const auto [status, reason] = how_it_ended(cell, *exit, cell.limits);
      // A time limit would be a measurement of the solver.
      const Status defect = status == Status::time_limit ? Status::failed : status;
      built_ = std::make_unique<BuiltProblem>(std::pair(defect, "the problem cannot be built: " + reason));
    }
  }
  if (!built_) built_ = std::make_unique<BuiltProblem>(cell, catalog_);
  built_key_ = cell.problem_key;
  if (built_->judge(cell.model) != nullptr && cell.kernels) measure_kernels_once(cell);
  if (!fresh) return;
  build_s_ = clock_.seconds() - start;
  remaining_time_.built(cell.problem_key, build_s_);
}

void Supervisor::measure_kernels_once(const Cell& cell) {
  const auto [times, fresh] = kernels_.try_emplace(cell.threads);
  if (fresh)
    times->second = measure_kernels_apart(built_->problem(), cell.threads, [&](const std::function<int()>& body) {
      const auto exit = run_aside(cell, cell.limits, body);
      return exit && exit->status.code == 0;
    });
  built_->set_kernels(times->second);
}

void Supervisor::start(std::size_t index) {
  if (log_name_ == again_log_name) return start_again(index);
  const Cell& cell = plan_.cells[index];
  if (cell.spec->sequence) return start_sequence(index);
  store_.prepare(cell);
  build(cell);
  if (guard_->interrupted()) return store_.discard(cell);
  if (built_->judge(cell.model) == nullptr) {
    const auto& [status, reason] = *built_->defect();
    return finish_without_worker(index, {status, reason}, build_s_);
  }
  const fs::path folder = fs::absolute(store_.cell_folder(cell));  // a solver may change its directory
  spawn(index, [this, &cell, folder] { return run_cell(cell, *built_, catalog_, folder, timing_.pin); });
}

fs::path Supervisor::tape_folder(const Cell& cell) const {
  return fs::absolute(store_.folder() / "sequences" / cell.tape_key);
}

void Supervisor::mend_tapes(const std::vector<std::size_t>& all, const std::set<std::size_t>& missing) {
  log_name_ = tape_log_name;
  for (const std::size_t index : all) {
    const Cell& cell = plan_.cells[index];
    if (cell.tape_key.empty() || missing.count(index) > 0 || tapes_.count(cell.problem_key) > 0 || guard_->interrupted())
      continue;
    const auto record = store_.find(cell);
    if (!record || !record->sequence) continue;
    if (const auto defect = make_tape(cell, true))
      progress_.note(fmt::format("{}: cannot be made again: {}", tape_folder(cell).string(), defect->reason));
    std::error_code ignored;
    fs::remove(store_.cell_folder(cell) / log_name_, ignored);
  }
}

std::optional<Supervisor::Defect> Supervisor::make_tape(const Cell& cell, bool was_made) {
  const auto [known, fresh] = tapes_.try_emplace(cell.problem_key);
  if (cell.tape_key.empty() || !fresh) return known->second;
  const double start = clock_.seconds();
  const fs::path folder = tape_folder(cell), failure = folder / fmt::format("failure-{}.txt", ::getpid()),
                 remark = folder / fmt::format("remark-{}.txt", ::getpid());
  std::error_code error;
  if (fresh_ && renewed_tapes_.insert(cell.tape_key).second) fs::remove_all(folder, error);
  fs::create_directories(folder, error);
  if (error) throw InputError(folder.string(), "", fmt::format("cannot be created ({})", error.message()));
  sequences_.push_back({aside, std::make_unique<StepCounter>(), cell.spec->sequence->steps, start});
  progress_.building(cell, counts());
  StepCounter& counter = *sequences_.back().counter;
  // The driver watches its time by itself; a step that hangs does not.
  const Limits limits{cell.spec->sequence->driver.wall_s + cell.limits.wall_s, cell.limits.memory_mb};
  const auto exit = run_aside(cell, limits, [&] {
    keep_freed_memory();
    try {
      const std::string damage = record_tape(cell, catalog_, folder, counter, was_made);
      if (!damage.empty()) write_file_atomically(remark, damage);
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& defect) {
      write_file_atomically(failure, defect.what());
      if (is_io_failure(defect)) return exit_cannot_write;
    }
    return exit_came_through;
  });
  std::erase_if(sequences_, [](const auto& entry) { return entry.id == aside; });
  if (!exit) return std::nullopt;
  if (const auto text = read_file(remark)) {
    progress_.note(*text);
    fs::remove(remark, error);
  }
  const bool cannot_write = exit->status.code == exit_cannot_write;
  if (const auto text = read_file(failure)) {
    known->second = Defect{Status::failed, *text, cannot_write};
    fs::remove(failure, error);
  } else if (exit->status.code != exit_came_through) {  // a full disk has no room for the reason either
    const auto [status, reason] = how_it_ended(cell, *exit, limits);
    known->second = Defect{status == Status::time_limit ? Status::failed : status,
                           "the driver did not come to its end: " + reason, cannot_write};
  }
  tape_seconds_[cell.problem_key] = clock_.seconds() - start;
  remaining_time_.built(cell.problem_key, clock_.seconds() - start);
  return known->second;
}

void Supervisor::start_sequence(std::size_t index, std::optional<CellRecord> record) {
  const Cell& cell = plan_.cells[index];
  const bool again = record.has_value();
  if (!again && (fresh_ || !has_mark(store_.cell_folder(cell)) || !store_.damage(cell).empty())) store_.prepare(cell);
  const auto defect = make_tape(cell);
  const bool goes_on = has_mark(store_.cell_folder(cell));
  if (guard_->interrupted()) return again || goes_on ? void() : store_.discard(cell);
  if (defect && again) {
    remaining_time_.skipped(cell.solver->solver);
    return give_up_repeating(index, std::move(*record), defect->reason);
  }
  if (defect) return finish_without_worker(index, *defect, tape_seconds_[cell.problem_key]);
  if (!again && goes_on) fs::remove(store_.cell_folder(cell) / "cell.json");  // what it said is no longer so
  if (again && cell.tape_key.empty() && record->sequence && record->sequence->steps_at_time_limit > 0) {
    remaining_time_.skipped(cell.solver->solver);
    return give_up_repeating(index, std::move(*record),
                             "steps ended at their time limit, so that its trajectory is not repeatable");
  }
  const int pass = again ? next_pass(*record, timing_, can_replay(cell, catalog_)).value_or(1) : 1;
  if (again) note_unreplayable(cell, *record);
  const fs::path folder = fs::absolute(store_.cell_folder(cell)), tape = tape_folder(cell);
  auto counter = std::make_unique<StepCounter>();
  StepCounter& steps = *counter;
  sequences_.push_back({index, std::move(counter), cell.spec->sequence->solved_steps(), clock_.seconds()});
  if (!again) used_s_[index] = used_before(cell, folder);
  spawn(index, [this, &cell, folder, tape, &steps, &record, pass] {
    if (!record) return run_sequence(cell, catalog_, folder, tape, steps, timing_.pin);
    return run_sequence_again(cell, catalog_, folder, tape, steps, std::move(*record), pass, timing_.pin);
  });
}

std::optional<StepsDone> Supervisor::steps_done() const {
  if (sequences_.empty()) return std::nullopt;
  const RunningSteps& last = sequences_.back();
  StepsDone steps{last.counter->done(), last.total, std::nullopt};
  if (const std::int64_t here = last.counter->done_here(); here > 0)
    steps.left_s =
        (clock_.seconds() - last.start_s) * static_cast<double>(steps.total - steps.done) / static_cast<double>(here);
  return steps;
}

void Supervisor::note_unreplayable(const Cell& cell, CellRecord& record) const {
  const std::string remark = "timed with judging between iterations: the method cannot be replayed without";
  if (timing_.passes == 2 && !can_replay(cell, catalog_) &&
      std::find(record.notes.begin(), record.notes.end(), remark) == record.notes.end())
    record.notes.push_back(remark);
}

void Supervisor::spawn(std::size_t index, const std::function<int()>& body) {
  const Cell& cell = plan_.cells[index];
  Limits limits = cell.limits;
  if (const auto used = used_s_.find(index); used != used_s_.end() && log_name_ == first_log_name)
    limits.wall_s = std::max(0.0, limits.wall_s - used->second);
  pool_.spawn(index, limits, fs::absolute(store_.cell_folder(cell)) / log_name_, body);
  ++counts_.running;
  remaining_time_.started(index, cell.solver->solver, cell.limits.wall_s, clock_.seconds());
  progress_.started(cell, counts());
}

void Supervisor::start_again(std::size_t index) {
  const Cell& cell = plan_.cells[index];
  const auto stored = [&] {
    auto record = store_.find(cell);
    if (!record) throw InputError(store_.cell_folder(cell).string(), "", "the result was removed while the run went on");
    return record;
  };
  if (cell.spec->sequence) return start_sequence(index, stored());
  build(cell);
  if (guard_->interrupted()) return;
  auto record = stored();
  if (built_->judge(cell.model) == nullptr) {
    remaining_time_.skipped(cell.solver->solver);
    return give_up_repeating(index, std::move(*record), built_->defect()->second);
  }
  const bool replayable = can_replay(cell, catalog_);
  const int pass = next_pass(*record, timing_, replayable).value_or(1);
  note_unreplayable(cell, *record);
  const fs::path folder = fs::absolute(store_.cell_folder(cell));
  spawn(index, [this, &cell, folder, &record, pass] {
    return run_cell_again(cell, *built_, catalog_, folder, std::move(*record), pass, timing_.pin);
  });
}

void Supervisor::finish_again(std::size_t index, const WorkerExit& exit) {
  const Cell& cell = plan_.cells[index];
  auto record = store_.find(cell);
  if (!record) throw InputError(store_.cell_folder(cell).string(), "", "the result was removed while the run went on");
  if (exit.status.code != 0)
    return give_up_repeating(index, std::move(*record), how_it_ended(cell, exit, cell.limits).second);
  clean_folder(store_.cell_folder(cell), false);
  report(index, *record);
}

void Supervisor::give_up_repeating(std::size_t index, CellRecord record, const std::string& reason) {
  const Cell& cell = plan_.cells[index];
  given_up_.insert(index);
  record.notes.push_back("a repeated run did not come to its end: " + reason);
  store_.store(cell, record);
  clean_folder(store_.cell_folder(cell), false);
  report(index, record);
}

void Supervisor::finish_without_worker(std::size_t index, const Defect& defect, double wall_s) {
  const Cell& cell = plan_.cells[index];
  CellRecord record;
  record.hash = cell.hash;
  record.limits = cell.limits;
  record.wall_s = wall_s;
  record.status = defect.status;
  record.reason = defect.reason;
  record.io_failure = defect.io_failure;
  clean_folder(store_.cell_folder(cell), true);
  store_.store(cell, record);
  remaining_time_.skipped(cell.solver->solver);
  report(index, record);
}

std::pair<Status, std::string> Supervisor::how_it_ended(const Cell& cell, const WorkerExit& exit,
                                                        const Limits& limits) const {
  const std::string log = last_line_of(store_.cell_folder(cell) / log_name_);
  if (exit.beyond_wall_limit) return {Status::time_limit, fmt::format("wall limit of {} s", limits.wall_s)};
  if (exit.status.code == exit_out_of_memory)
    return {Status::out_of_memory, fmt::format("memory limit of {} MiB", limits.memory_mb)};
  std::string reason = exit.status.code
                           ? fmt::format("the worker ended with code {} and without a result", *exit.status.code)
                           : exit.status.text();
  if (exit.status.signal == SIGKILL) reason += " (from outside, perhaps by the system for lack of memory)";
  if (!log.empty()) reason += ": " + log;
  return {Status::crashed, reason};
}

CellRecord Supervisor::record_of_dead(const Cell& cell, const WorkerExit& exit) const {
  CellRecord record;
  record.hash = cell.hash;
  record.limits = cell.limits;
  record.wall_s = exit.wall_s;
  if (const auto used = used_s_.find(exit.id); used != used_s_.end()) record.wall_s += used->second;
  record.peak_memory_mb = exit.peak_memory_mb;
  if (built_ && built_key_ == cell.problem_key && !built_->defect()) {
    record.problem = built_->facts();
    if (const auto times = kernels_.find(cell.threads); times != kernels_.end()) record.kernels = times->second;
  }
  std::tie(record.status, record.reason) = how_it_ended(cell, exit, cell.limits);
  record.io_failure = exit.status.code == exit_cannot_write;
  return record;
}

void Supervisor::finish(const WorkerExit& exit) {
  const Cell& cell = plan_.cells[exit.id];
  --counts_.running;
  std::erase_if(sequences_, [&](const auto& entry) { return entry.id == exit.id; });
  remaining_time_.finished(exit.id, exit.wall_s);
  if (log_name_ == again_log_name) return finish_again(exit.id, exit);
  const bool in_order = exit.status.code == 0;
  auto record = in_order ? store_.find(cell) : std::nullopt;
  if (!record) {
    record = record_of_dead(cell, exit);
    if (cell.spec->sequence)
      recover_steps(store_.cell_folder(cell), cell, *record);
    else
      recover_trace(store_.cell_folder(cell), cell, *record);
    clean_folder(store_.cell_folder(cell), true);
    store_.store(cell, *record);
  } else {
    clean_folder(store_.cell_folder(cell), false);
  }
  report(exit.id, *record);
}

void Supervisor::report(std::size_t index, const CellRecord& record) {
  ++counts_.done;
  if (is_failure(record.status)) ++counts_.failed;
  progress_.finished(plan_.cells[index], record, counts());
}

RunCounts Supervisor::counts() const {
  RunCounts counts = counts_;
  counts.left_s = remaining_time_.left_s(jobs_, clock_.seconds());
  counts.steps = steps_done();
  return counts;
}

}  // namespace ccp
