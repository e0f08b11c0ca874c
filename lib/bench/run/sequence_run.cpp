#include "bench/run/sequence_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bench/record/csv.hpp"
#include "bench/results/cell_file.hpp"
#include "bench/results/steps_csv.hpp"
#include "bench/results/trace_csv.hpp"
#include "bench/run/broken_off.hpp"
#include "bench/run/driver.hpp"
#include "bench/run/repeats.hpp"
#include "bench/run/resident_pages.hpp"
#include "bench/run/tape.hpp"
#include "bench/run/worker.hpp"
#include "core/error.hpp"
#include "core/stopwatch.hpp"
#include "io/file.hpp"
#include "io/motion_tape.hpp"
#include "problem/judge/judge.hpp"
#include "solvers/run_monitor.hpp"

namespace ccp {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t steps_per_mark = 100;
constexpr double seconds_per_mark = 30.0;  ///< where steps take long

/// The world of a cell, step by step.
class SequenceWorld {
 public:
  explicit SequenceWorld(std::unique_ptr<Motion> motion) : motion_(std::move(motion)) {}
  virtual ~SequenceWorld() = default;

  const Motion& motion() const { return *motion_; }
  /// Where a run begins that goes on from no mark.
  virtual std::int64_t first_step(std::int64_t settle) const = 0;
  /// Goes to the beginning of a step; mark: of a run that goes on there.
  virtual void begin(std::int64_t step, const StepMark* mark) = 0;
  /// Takes the present step before the solver of the cell has one, and gives its end.
  virtual StepEnd settle() = 0;
  /// Takes the present step. solved: the solver of the cell has. Gives what the next step can start from, or nothing where
  /// the world cannot go on; `row` gets facts and fallback.
  virtual std::optional<StepEnd> take(const MotionProblem& problem, const Result& result, StepRow& row) = 0;
  /// What a mark needs beside the tape.
  virtual MotionState state() const { return {}; }
  /// By the driver, in this run and in the earlier parts that were broken off.
  const StepsUsed& used() const { return used_; }

 protected:
  void count(bool solved) {
    ++used_.driven;
    used_.unsolved += solved ? 0 : 1;
  }

  std::unique_ptr<Motion> motion_;
  StepsUsed used_;
};

/// Where the driver has been.
class TapedWorld final : public SequenceWorld {
 public:
  TapedWorld(std::unique_ptr<Motion> motion, fs::path folder, std::string key)
      : SequenceWorld(std::move(motion)), tape_(std::move(folder), std::move(key)), scene_(motion_->state().scene) {}

  std::int64_t first_step(std::int64_t settle) const override { return settle; }

  void begin(std::int64_t step, const StepMark* mark) override {
    if (mark != nullptr) used_ = mark->used;
    motion_->restore(tape_.state(step, scene_));
  }

  StepEnd settle() override { throw std::logic_error("a tape has settled"); }

  std::optional<StepEnd> take(const MotionProblem& problem, const Result& result, StepRow& row) override {
    count(tape_.solved(row.step + 1));
    row.facts = tape_.facts(row.step + 1);
    motion_->restore(tape_.state(row.step + 1, scene_));
    if (!result.impulse.allFinite()) return StepEnd{};  // nothing to go on from, but the world does
    return step_end(problem, result.impulse, result.carried);
  }

 private:
  TapeReader tape_;
  std::string scene_;
};

/// Where the solver of the cell leads, and the driver, where that fails.
class OwnWorld final : public SequenceWorld {
 public:
  OwnWorld(std::unique_ptr<Motion> motion, const Cell& cell, const Catalog& catalog)
      : SequenceWorld(std::move(motion)),
        driver_(cell.spec->sequence->driver, cell.model, cell.threads, catalog),
        measure_(cell.stop.measure),
        wall_s_(cell.spec->sequence->driver.wall_s) {}

  std::int64_t first_step(std::int64_t) const override { return 0; }

  void begin(std::int64_t, const StepMark* mark) override {
    if (mark == nullptr) return;
    motion_->restore(mark->state);
    last_ = mark->end;
    used_ = mark->used;
  }

  StepEnd settle() override {
    const MotionProblem problem = motion_->problem();
    const Result result = drive(problem);
    count(result.status == Status::solved);
    last_ = Driver::take(*motion_, problem, result);
    return *last_;
  }

  std::optional<StepEnd> take(const MotionProblem& problem, const Result& result, StepRow& row) override {
    Result accepted = result;
    if (result.status != Status::solved) {
      Result other = drive(problem);
      if (other.impulse.allFinite() && (other.status == Status::solved || !(left_by(result) <= left_by(other)))) {
        row.fallback = true;
        accepted = std::move(other);
        accepted.carried = result.carried;  // of another method
      }
    }
    const bool goes_on = accepted.impulse.allFinite();
    if (goes_on) last_ = Driver::take(*motion_, problem, accepted);
    row.facts = motion_->facts();
    if (goes_on) return last_;
    for (MotionFact& fact : row.facts) fact.value = unknown_number;  // the step leads nowhere
    return std::nullopt;
  }

  MotionState state() const override { return motion_->state(); }

 private:
  Result drive(const MotionProblem& problem) {
    StepEnd start = last_.value_or(StepEnd{});
    start.carried = 0.0;  // that of another method
    const double left = wall_s_ - used_.driver_s;
    Result result;
    result.status = Status::time_limit;
    if (left > 0.0) result = driver_.solve(*motion_, problem, last_ ? &start : nullptr, left);
    if (result.status == Status::time_limit)
      throw InputError(fmt::format("the driver used up its {} s at step {}", wall_s_, motion_->step()));
    used_.driver_s += result.setup_s + result.solve_s;
    return result;
  }

  /// What a solution leaves of the stop measure; infinite for one that is no number.
  double left_by(const Result& result) const {
    const double value = result.measures[measure_index(measure_)];
    return result.impulse.allFinite() && !std::isnan(value) ? value : std::numeric_limits<double>::infinity();
  }

  Driver driver_;
  Measure measure_;
  double wall_s_;  ///< of the driver
  std::optional<StepEnd> last_;
};

std::unique_ptr<SequenceWorld> world_of(const Cell& cell, const Catalog& catalog, const fs::path& tape) {
  auto motion = start_motion(cell, catalog);
  if (cell.tape_key.empty()) return std::make_unique<OwnWorld>(std::move(motion), cell, catalog);
  return std::make_unique<TapedWorld>(std::move(motion), tape, cell.tape_key);
}

/// Runs the steps of a cell.
class StepRunner {
 public:
  StepRunner(const Cell& cell, const Catalog& catalog, const fs::path& tape, StepCounter& counter)
      : cell_(cell),
        sequence_(*cell.spec->sequence),
        solver_(configured_solver(cell.solver->solver, cell.solver->parameters, catalog)),
        world_(world_of(cell, catalog, tape)),
        counter_(counter) {
    wall_.start();
  }

  /// Writes steps, traces and marks there.
  void write_to(const fs::path& folder) { folder_ = folder; }
  /// Replays these steps, judging nothing.
  void replay(std::vector<StepRow> steps) { replayed_ = std::move(steps); }

  void run() {
    std::optional<StepMark> mark;
    if (!folder_.empty()) mark = take_mark();
    step_ = mark ? mark->step : world_->first_step(sequence_.settle);
    marked_ = step_;
    world_->begin(step_, mark ? &*mark : nullptr);
    if (mark && step_ != sequence_.settle) last_ = mark->end;
    for (; step_ < sequence_.settle; ++step_) {
      if (step_ % steps_per_mark == 0 || mark_is_old()) keep_mark();
      last_ = world_->settle();
    }
    solve_steps();
  }

  const std::vector<StepRow>& rows() const { return rows_; }
  const std::optional<std::string>& unsupported() const { return unsupported_; }
  std::vector<std::string> notes() const {
    std::vector<std::string> notes = notes_;
    if (const auto& used = world_->used(); used.unsolved > 0)
      notes.push_back(fmt::format("the driver left {} of {} steps unsolved: the world went on with what it had",
                                  used.unsolved, used.driven));
    return notes;
  }

  /// Wall clock of this run and of the earlier parts that were broken off, s.
  double wall_s() const { return earlier_s_ + wall_.seconds(); }

 private:
  void solve_steps() {
    if (step_ == sequence_.settle) {
      if (step_ > world_->first_step(sequence_.settle)) keep_mark();
      last_.reset();  // of the driver, whose steps a method does not start from
    }
    std::optional<StepsCsv> csv;
    if (!folder_.empty()) csv.emplace(folder_ / steps_name, rows_);
    for (; step_ < sequence_.steps; ++step_) {
      counter_.set(step_ - sequence_.settle);
      if (rows_.size() > 0 && ((step_ - sequence_.settle) % steps_per_mark == 0 || mark_is_old())) keep_mark();
      const bool goes_on = take_step();
      if (csv && !unsupported_) csv->add(rows_.back());
      if (!goes_on) return;
    }
  }

  bool mark_is_old() const { return wall_.seconds() - marked_at_ >= seconds_per_mark; }

  /// Marks the present step, for a run that goes on where this one is killed.
  void keep_mark() {
    if (folder_.empty() || step_ == marked_) return;
    StepsUsed used = world_->used();
    used.wall_s = wall_s();
    write_step_mark(folder_ / step_mark_name, {step_, last_.value_or(StepEnd{}), world_->state(), used});
    marked_ = step_;
    marked_at_ = wall_.seconds();
  }

  /// Where a killed worker came; the steps until there are taken over. Nothing when it begins anew.
  std::optional<StepMark> take_mark() {
    auto found = find_broken_off(cell_, folder_);
    if (!found) return std::nullopt;
    rows_ = std::move(found->rows);
    earlier_s_ = found->mark.used.wall_s;
    notes_.push_back(fmt::format("the run was broken off and went on at step {}", found->mark.step));
    return std::move(found->mark);
  }

  /// False where the run ends: at a problem that the method does not take, or in a world that cannot go on.
  bool take_step() {
    Stopwatch building;
    building.start();
    const MotionProblem problem = world_->motion().problem();
    building.stop();
    StepRow row;
    row.step = step_;
    row.build_s = building.seconds();
    row.time_s = static_cast<double>(world_->motion().step()) * world_->motion().time_step();
    row.contacts = std::ssize(problem.gaps);
    row.rows = problem.problem.rows();
    row.dofs = problem.problem.dofs();
    Result result;
    if (row.rows > 0) {
      if (auto reason = solver_->supports(problem.problem, cell_.model)) {
        unsupported_ = fmt::format("step {}: {}", step_, *reason);
        return false;
      }
      result = solve(problem);
      take_result(row, result);
      for (const std::string& note : result.notes)
        if (std::find(notes_.begin(), notes_.end(), note) == notes_.end()) notes_.push_back(note);
    } else {
      take_nothing(row, result);
    }
    std::optional<StepEnd> end = world_->take(problem, result, row);
    rows_.push_back(std::move(row));
    last_ = std::move(end);
    return last_.has_value();
  }

  /// A step without rows.
  void take_nothing(StepRow& row, Result& result) const {
    result.status = Status::solved;
    result.carried = last_ ? last_->carried : 0.0;
    row.native_converged = true;
    for (Crossing& crossing : row.crossings) crossing = {0, 0.0};
  }

  WarmStart start(const MotionProblem& problem) const {
    if (!cell_.solver->start_from_previous || !last_) return {};
    const bool same = *cell_.solver->start_from_previous == StartMatch::same;
    return {same ? same_impulse(problem, *last_) : matched_impulse(problem, *last_), world_->motion().velocity(),
            last_->carried};
  }

  Result solve(const MotionProblem& problem) {
    const WarmStart from = start(problem);
    Judge judge(problem.problem, cell_.model);
    RunMonitor monitor(judge, cell_.stop, cell_.threads);
    if (!replayed_.empty()) {
      monitor.replay(replayed_.at(static_cast<std::size_t>(step_ - sequence_.settle)).replay());
      return solver_->solve(problem.problem, cell_.model, from, monitor);
    }
    const auto& traced = sequence_.trace_steps;
    if (folder_.empty() || !std::binary_search(traced.begin(), traced.end(), static_cast<int>(step_)))
      return solver_->solve(problem.problem, cell_.model, from, monitor);
    TraceCsv trace(folder_ / unfinished_trace_name);
    monitor.set_trace(&trace, cell_.trace);
    Result result = solver_->solve(problem.problem, cell_.model, from, monitor);
    trace.close();
    fs::rename(folder_ / unfinished_trace_name, folder_ / trace_of_step(step_));
    return result;
  }

  const Cell& cell_;
  const SequenceSpec& sequence_;
  const std::unique_ptr<Solver> solver_;
  const std::unique_ptr<SequenceWorld> world_;
  StepCounter& counter_;
  fs::path folder_;                ///< empty: nothing is written
  std::vector<StepRow> replayed_;  ///< empty: the steps are judged
  std::int64_t step_ = 0, marked_ = 0;
  double marked_at_ = 0.0;  ///< s, on wall_
  Stopwatch wall_;
  double earlier_s_ = 0.0;
  std::vector<StepRow> rows_;
  std::optional<StepEnd> last_;  ///< nothing before the first step
  std::optional<std::string> unsupported_;
  std::vector<std::string> notes_;
};

void run_steps(const Cell& cell, StepRunner& runner, const fs::path& folder, bool pin, CellRecord& record) {
  TimedRun run;
  if (pin) run.cores = pin_to_cores(cell.threads);
  make_pages_resident(resident_heap);
  keep_freed_memory();
  runner.write_to(folder);
  runner.run();
  if (runner.unsupported()) {
    record.status = Status::unsupported;
    record.reason = *runner.unsupported();
    fs::remove(folder / steps_name);
    return;
  }
  const std::int64_t asked = cell.spec->sequence->solved_steps();
  Result total = total_of(runner.rows(), asked);
  total.notes = runner.notes();
  record.sequence = facts_of(runner.rows(), asked);
  if (cell.stop.native) record.native_stop = native_stop_of(runner.rows(), asked);
  record.problem = problem_facts(cell, *record.sequence);
  record.crossings = total.crossings;
  add_run(record, total, std::move(run));
  record.take(std::move(total));
}

}  // namespace

int run_sequence(const Cell& cell, const Catalog& catalog, const fs::path& folder, const fs::path& tape,
                 StepCounter& counter, bool pin) {
  Stopwatch wall;
  wall.start();
  CellRecord record;
  record.hash = cell.hash;
  record.limits = cell.limits;
  std::optional<StepRunner> runner;
  try {
    runner.emplace(cell, catalog, tape, counter);
    run_steps(cell, *runner, folder, pin, record);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    recover_steps(folder, cell, record);
    record.status = Status::failed;
    record.reason = error.what();
    record.io_failure = is_io_failure(error);
  } catch (...) {
    recover_steps(folder, cell, record);
    record.status = Status::failed;
    record.reason = "an exception of an unknown kind";
  }
  record.peak_memory_mb = peak_memory_mb();
  record.wall_s = runner ? runner->wall_s() : wall.seconds();
  write_cell(folder, cell, record);
  return 0;
}

int run_sequence_again(const Cell& cell, const Catalog& catalog, const fs::path& folder, const fs::path& tape,
                       StepCounter& counter, CellRecord record, int pass, bool pin) {
  TimedRun run;
  run.pass = pass;
  if (pin) run.cores = pin_to_cores(cell.threads);
  make_pages_resident(resident_heap);
  keep_freed_memory();
  StepRunner runner(cell, catalog, tape, counter);
  if (pass == 2) {
    std::vector<StepRow> steps = read_steps(folder / steps_name);
    if (steps.empty()) throw InputError((folder / steps_name).string(), "", "has no steps to replay");
    runner.replay(std::move(steps));
  }
  runner.run();
  add_run(record, total_of(runner.rows(), cell.spec->sequence->solved_steps()), std::move(run));
  write_cell(folder, cell, record);
  return 0;
}

}  // namespace ccp
