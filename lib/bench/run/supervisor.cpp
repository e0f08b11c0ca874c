#include "bench/run/supervisor.hpp"

#include <algorithm>
#include <utility>

#include "bench/results/steps_csv.hpp"
#include "bench/results/trace_csv.hpp"
#include "bench/run/cell_end.hpp"
#include "bench/run/repeats.hpp"
#include "bench/run/sequence_run.hpp"
#include "core/error.hpp"

namespace ccp {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t no_cell = static_cast<std::size_t>(-1);  // id of a worker that belongs to none

}  // namespace

Supervisor::Supervisor(const Plan& plan, const Catalog& catalog, const ResultStore& store, const RunOptions& options,
                       Timing timing, RunProgress& progress, const InterruptGuard& guard)
    : plan_(plan),
      catalog_(catalog),
      store_(store),
      options_(options),
      timing_(timing),
      progress_(progress),
      guard_(guard),
      end_s_(options.for_s.value_or(std::numeric_limits<double>::infinity())),
      preparation_(catalog, store, options.fresh, [this](const auto&... job) { return run_apart(job...); }) {
  clock_.start();
}

bool Supervisor::run(const std::vector<std::size_t>& missing, const std::vector<std::size_t>& all) {
  repair_tapes(all, missing);
  phase_ = Phase::first;
  bool done = run_round(missing);
  phase_ = Phase::repeats;
  for (auto round = next_round(all); done && !round.empty(); round = next_round(all)) done = run_round(round);
  stop_workers();
  return done && !guard_.interrupted();
}

bool Supervisor::run_round(const std::vector<std::size_t>& cells) {
  counts_.total += cells.size();
  for (const std::size_t index : cells) {
    const Cell& cell = plan_.cells[index];
    remaining_time_.add(cell.solver->solver, cell.problem_key, cell.limits.wall_s);
  }
  std::size_t next = 0;
  while (!stopped() && (next < cells.size() || counts_.running > 0)) {
    if (next < cells.size() && (counts_.running == 0 || busy_ + processes(cells[next]) <= options_.jobs))
      next += start(cells[next]) ? 1 : 0;
    else
      wait();
  }
  return !stopped() || (next == cells.size() && counts_.running == 0);
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

void Supervisor::repair_tapes(const std::vector<std::size_t>& all, const std::vector<std::size_t>& missing) {
  const std::set<std::size_t> to_run(missing.begin(), missing.end());
  for (const std::size_t index : all) {
    const Cell& cell = plan_.cells[index];
    if (cell.tape_key.empty() || to_run.count(index) > 0 || preparation_.is_ready(cell) || stopped()) continue;
    const auto record = store_.find(cell);
    if (!record || !record->sequence) continue;
    const auto defect = prepare(cell, true);
    if (defect && defect->status != Status::interrupted)
      progress_.note(preparation_.tape_folder(cell).string() + ": cannot be made again: " + defect->reason);
    std::error_code ignored;
    fs::remove(log_of(cell), ignored);
  }
}

bool Supervisor::start(std::size_t index) {
  const Cell& cell = plan_.cells[index];
  const fs::path folder = store_.cell_folder(cell);
  std::optional<Repeat> repeat;
  if (phase_ == Phase::repeats) {
    repeat = Repeat{stored(cell)};
    repeat->pass = next_pass(repeat->record, timing_, can_replay(cell, catalog_)).value_or(1);
  } else if (options_.fresh || !has_mark(folder) || !store_.damage(cell).empty()) {
    store_.prepare(cell);
  }
  auto defect = prepare(cell);
  if (stopped()) {
    if (!repeat && !has_mark(folder)) store_.discard(cell);
    return false;
  }
  if (!defect && repeat && cell.spec->sequence && cell.tape_key.empty() && repeat->record.sequence &&
      repeat->record.sequence->steps_at_time_limit > 0)
    defect = Defect{Status::failed, "steps ended at their time limit, so that its trajectory is not repeatable"};
  if (!defect) {
    spawn(index, std::move(repeat));
    return true;
  }
  remaining_time_.skipped(cell.solver->solver);
  if (repeat)
    give_up_repeating(index, std::move(repeat->record), defect->reason);
  else
    finish_without_worker(index, *defect);
  return true;
}

std::optional<Defect> Supervisor::prepare(const Cell& cell, bool had_tape) {
  const bool anew = !preparation_.is_ready(cell);
  const double start = clock_.seconds();
  std::optional<Defect> defect;
  if (cell.spec->sequence && anew)
    sequences_.push_back({no_cell, std::make_unique<StepCounter>(), cell.spec->sequence->steps, start});
  if (anew) progress_.building(cell, counts());
  if (!cell.spec->sequence) {
    defect = preparation_.problem(cell);
  } else {
    std::string damage;
    StepCounter unused, &counter = anew ? *sequences_.back().counter : unused;
    defect = preparation_.tape(cell, counter, had_tape, damage);
    std::erase_if(sequences_, [](const RunningSteps& steps) { return steps.id == no_cell; });
    if (!damage.empty()) progress_.note(damage);
  }
  if (anew && !stopped()) {
    prepared_s_[cell.problem_key] = clock_.seconds() - start;
    remaining_time_.built(cell.problem_key, prepared_s_[cell.problem_key]);
  }
  return defect;
}

void Supervisor::spawn(std::size_t index, std::optional<Repeat> repeat) {
  const Cell& cell = plan_.cells[index];
  const fs::path folder = fs::absolute(store_.cell_folder(cell));  // a solver may change its directory
  const bool sequence = cell.spec->sequence.has_value();
  if (repeat && timing_.passes == 2 && !can_replay(cell, catalog_)) {
    const std::string remark = "timed with judging between iterations: the method cannot be replayed without";
    auto& notes = repeat->record.notes;
    if (std::find(notes.begin(), notes.end(), remark) == notes.end()) notes.push_back(remark);
  }
  Limits limits = cell.limits;
  if (sequence && !repeat) {
    used_s_[index] = used_before(cell, folder);
    limits.wall_s = std::max(0.0, limits.wall_s - used_s_[index]);
    fs::remove(folder / "cell.json");  // of a sequence that goes on: what it said is no longer so
  }
  StepCounter* steps = nullptr;
  if (sequence) {
    sequences_.push_back({index, std::make_unique<StepCounter>(), cell.spec->sequence->solved_steps(), clock_.seconds()});
    steps = sequences_.back().counter.get();
  }
  pool_.spawn(index, limits, log_of(cell), [&] {
    if (!sequence) return run_cell(cell, preparation_.built(), catalog_, folder, timing_.pin, std::move(repeat));
    const fs::path tape = preparation_.tape_folder(cell);
    return run_sequence(cell, catalog_, folder, tape, *steps, timing_.pin, std::move(repeat));
  });
  ++counts_.running;
  busy_ += processes(index);
  remaining_time_.started(index, cell.solver->solver, cell.limits.wall_s, clock_.seconds());
  progress_.started(cell, counts());
}

std::optional<WorkerExit> Supervisor::wait() {
  const auto exit = pool_.wait(std::chrono::milliseconds(200));
  if (exit && exit->id == no_cell) return exit;
  if (exit)
    finish(*exit);
  else
    progress_.waiting(counts());
  return std::nullopt;
}

std::optional<Defect> Supervisor::run_apart(const Cell& cell, const Limits& limits, const std::function<void()>& body) {
  pool_.spawn(no_cell, limits, log_of(cell), [&] {
    body();
    return exit_came_through;
  });
  while (!stopped())
    if (const auto exit = wait()) {
      if (exit->status.code == exit_came_through) return std::nullopt;
      return defect_of(*exit, limits, log_of(cell));
    }
  stop_workers();  // this one writes into the folder that is dropped next
  return Defect{Status::interrupted, ""};
}

void Supervisor::stop_workers() {
  for (const std::size_t index : pool_.kill_all())
    if (index != no_cell) drop(plan_.cells[index]);
}

void Supervisor::finish(const WorkerExit& exit) {
  const Cell& cell = plan_.cells[exit.id];
  const bool came_through = exit.status.code == 0;
  --counts_.running;
  busy_ -= processes(exit.id);
  std::erase_if(sequences_, [&](const RunningSteps& steps) { return steps.id == exit.id; });
  remaining_time_.finished(exit.id, exit.wall_s);
  // A worker that has just been started may meet the signal, too.
  if (!came_through && guard_.interrupted()) return drop(cell);
  if (phase_ == Phase::repeats && !came_through)
    return give_up_repeating(exit.id, stored(cell), defect_of(exit, cell.limits, log_of(cell)).reason);
  auto record = phase_ == Phase::repeats ? stored(cell) : came_through ? store_.find(cell) : std::nullopt;
  const bool dead = !record;
  if (dead) record = record_of_dead(cell, exit);
  clean_folder(store_.cell_folder(cell), dead);
  if (dead) store_.store(cell, *record);
  report(exit.id, *record);
}

void Supervisor::drop(const Cell& cell) {
  if (!store_.find(cell) && !has_mark(store_.cell_folder(cell))) store_.discard(cell);
}

CellRecord Supervisor::record_of_dead(const Cell& cell, const WorkerExit& exit) const {
  CellRecord record = record_of(cell);
  record.wall_s = exit.wall_s;
  if (const auto used = used_s_.find(exit.id); used != used_s_.end()) record.wall_s += used->second;
  record.peak_memory_mb = exit.peak_memory_mb;
  preparation_.add_facts(cell, record);
  set_defect(record, defect_of(exit, cell.limits, log_of(cell)));
  if (cell.spec->sequence)
    recover_steps(store_.cell_folder(cell), cell, record);
  else
    recover_trace(store_.cell_folder(cell), cell, record);
  return record;
}

void Supervisor::finish_without_worker(std::size_t index, const Defect& defect) {
  const Cell& cell = plan_.cells[index];
  CellRecord record = record_of(cell);
  record.wall_s = prepared_s_[cell.problem_key];
  set_defect(record, defect);
  clean_folder(store_.cell_folder(cell), true);
  store_.store(cell, record);
  report(index, record);
}

void Supervisor::give_up_repeating(std::size_t index, CellRecord record, const std::string& reason) {
  const Cell& cell = plan_.cells[index];
  given_up_.insert(index);
  record.notes.push_back("a repeated run did not come to its end: " + reason);
  store_.store(cell, record);
  clean_folder(store_.cell_folder(cell), false);
  report(index, record);
}

CellRecord Supervisor::stored(const Cell& cell) const {
  auto record = store_.find(cell);
  if (!record) throw InputError(store_.cell_folder(cell).string(), "", "the result was removed while the run went on");
  return std::move(*record);
}

void Supervisor::report(std::size_t index, const CellRecord& record) {
  ++counts_.done;
  if (is_failure(record)) ++counts_.failed;
  progress_.finished(plan_.cells[index], record, counts());
}

fs::path Supervisor::log_of(const Cell& cell) const {
  const char* name = phase_ == Phase::tapes ? tape_log_name : phase_ == Phase::first ? first_log_name : repeat_log_name;
  return fs::absolute(store_.cell_folder(cell)) / name;
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

RunCounts Supervisor::counts() const {
  RunCounts counts = counts_;
  counts.left_s = remaining_time_.left_s(options_.jobs, clock_.seconds());
  if (counts.left_s) counts.left_s = std::min(*counts.left_s, end_s_ - clock_.seconds());
  counts.steps = steps_done();
  return counts;
}

}  // namespace ccp
