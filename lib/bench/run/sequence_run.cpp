#include "bench/run/sequence_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/record/csv.hpp"
#include "bench/results/steps_csv.hpp"
#include "bench/results/trace_csv.hpp"
#include "bench/run/cell_end.hpp"
#include "bench/run/driver.hpp"
#include "bench/run/machine_load.hpp"
#include "bench/run/repeats.hpp"
#include "bench/run/resident_pages.hpp"
#include "bench/run/step_loop.hpp"
#include "bench/run/tape.hpp"
#include "core/error.hpp"
#include "core/resident_heap.hpp"
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

/// The value of a measure that a solution leaves; infinite for one that is no number.
double left_by(const Result& result, Measure measure) {
  const double value = result.measures[measure_index(measure)];
  return result.impulse.allFinite() && !std::isnan(value) ? value : std::numeric_limits<double>::infinity();
}

/// Runs the steps of a cell: along the tape of its driver, or on a trajectory of its own, where the driver first settles the
/// world and then solves again what the solver leaves unsolved.
class SequenceRun {
 public:
  SequenceRun(const Cell& cell, const Catalog& catalog, const fs::path& tape, StepCounter& counter)
      : cell_(cell),
        sequence_(*cell.spec->sequence),
        solver_(solver_of(cell, catalog)),
        motion_(start_motion(cell, catalog)),
        loop_{*motion_},
        counter_(counter) {
    wall_.start();
    if (cell.tape_key.empty())
      driver_.emplace(sequence_.driver, cell.model, cell.threads, catalog);
    else
      tape_.emplace(tape, cell.tape_key, motion_->state().scene);
    if (tape_) loop_.advance = [this] { motion_->restore(tape_->state(loop_.step + 1)); };
  }

  /// Writes steps, traces and marks there.
  void write_to(const fs::path& folder) { folder_ = folder; }
  /// Replays these steps, judging nothing.
  void replay(std::vector<StepRow> steps) { replayed_ = std::move(steps); }

  void run() {
    go_to_start();
    loop_.run(
        sequence_.settle, [this](const MotionProblem& problem) { return settle(problem); },
        [this](const Result& result) { keep_mark_in_time(result); });
    if (!folder_.empty()) csv_.emplace(folder_ / steps_name, rows_);
    loop_.run(
        sequence_.steps, [this](const MotionProblem& problem) { return solve_step(problem); },
        [this](const Result& result) { take_step(result); });
  }

  const std::vector<StepRow>& rows() const { return rows_; }
  const std::optional<std::string>& unsupported() const { return unsupported_; }
  /// Of all solved steps; nothing where the run was resumed.
  std::optional<RankFacts> ranks() const { return resumed_ ? std::nullopt : ranks_; }
  std::vector<std::string> notes() const {
    std::vector<std::string> notes = notes_;
    if (used_.unsolved > 0)
      notes.push_back(fmt::format("the driver left {} of {} steps unsolved: the world went on with what it had",
                                  used_.unsolved, used_.driven));
    return notes;
  }

  std::int64_t driver_unsolved() const { return used_.unsolved; }

  /// NaN where a part of the run was another process.
  double instructions() const { return earlier_s_ > 0.0 ? unknown_number : instructions_of(cell_, instructions_); }
  /// Wall clock of this run and of the earlier parts that were interrupted, s.
  double wall_s() const { return earlier_s_ + wall_.seconds(); }

 private:
  /// The first step, or where a killed worker came; its steps until there are taken over.
  void go_to_start() {
    if (auto found = folder_.empty() ? std::nullopt : find_interrupted(cell_, folder_)) {
      TapePart& mark = found->mark;
      motion_->restore({motion_->state().scene, mark.steps.front(), mark.states.front()});
      rows_ = std::move(found->rows);
      loop_.step = mark.first;
      loop_.last = std::move(mark.end);
      used_ = mark.used;
      earlier_s_ = used_.wall_s;
      resumed_ = true;
      notes_.push_back(fmt::format("the run was interrupted and went on at step {}", loop_.step));
    } else if (tape_) {
      loop_.step = sequence_.settle;
      motion_->restore(tape_->state(loop_.step));
      used_ = tape_->used(loop_.step);
    }
  }

  /// Marks the present step now and then, for a run that goes on where this one is killed.
  void keep_mark_in_time(const Result& result) {
    const std::int64_t step = loop_.step, settle = sequence_.settle;
    const bool due =
        (step < settle ? step : step - settle) % steps_per_mark == 0 || wall_.seconds() - marked_at_ >= seconds_per_mark;
    if (folder_.empty() || step == sequence_.steps || !due) return;
    TapePart mark{cell_.hash, step};
    append_state(mark, *motion_, result);
    mark.end = *loop_.last;
    mark.used = used_;
    mark.used.wall_s = wall_s();
    write_tape_part(folder_ / step_mark_name, mark);
    marked_at_ = wall_.seconds();
  }

  std::optional<Result> settle(const MotionProblem& problem) {
    const Result result = drive(problem);
    count_driven(result.status == Status::solved);
    return result;
  }

  /// Nothing where the run ends: at a problem that the method does not take, or where no solution is finite.
  std::optional<Result> solve_step(const MotionProblem& problem) {
    counter_.set(loop_.step - sequence_.settle);
    StepRow row = new_row(problem);
    Result result;
    if (row.rows > 0) {
      if (const auto reason = solver_->supports(problem.problem, cell_.model)) {
        unsupported_ = fmt::format("step {}: {}", loop_.step, *reason);
        return std::nullopt;
      }
      result = solve(problem);
      take_result(row, result);
      for (const std::string& note : result.notes)
        if (std::find(notes_.begin(), notes_.end(), note) == notes_.end()) notes_.push_back(note);
    } else {
      result = result_without_rows(before());
      row.native_converged = true;
      for (Crossing& crossing : row.crossings) crossing = {0, 0.0};
    }
    if (driver_ && sequence_.driver.stop.max_iterations > 0 && result.status != Status::solved)
      solve_again(problem, result, row);
    rows_.push_back(std::move(row));
    if (tape_ || result.impulse.allFinite()) return result;
    rows_.back().facts = motion_->facts();
    for (MotionFact& fact : rows_.back().facts) fact.value = unknown_number;  // the step leads nowhere
    if (csv_) csv_->add(rows_.back());
    return std::nullopt;
  }

  void take_step(const Result& result) {
    if (tape_) count_driven(tape_->solved(loop_.step));
    rows_.back().facts = tape_ ? tape_->facts(loop_.step) : motion_->facts();
    if (csv_) csv_->add(rows_.back());
    keep_mark_in_time(result);
  }

  StepRow new_row(const MotionProblem& problem) const {
    StepRow row;
    row.step = loop_.step;
    row.build_s = loop_.build_s;
    row.time_s = static_cast<double>(motion_->step()) * motion_->time_step();
    row.contacts = std::ssize(problem.gaps);
    row.rows = problem.problem.rows();
    row.dofs = problem.problem.dofs();
    return row;
  }

  /// The end of the step before that the solver can start from: not one of the driver, which settles.
  std::optional<StepEnd> before() const { return loop_.step > sequence_.settle ? loop_.last : std::nullopt; }

  Result solve(const MotionProblem& problem) {
    WarmStart start;
    if (const auto last = before(); last && cell_.solver->start_from_previous)
      start = start_of_step(*motion_, problem, *last, *cell_.solver->start_from_previous);
    Judge judge(problem.problem, cell_.model);
    RunMonitor monitor(judge, cell_.stop, cell_.threads);
    if (!folder_.empty()) monitor.clock().set_follower(&instructions_);
    const auto& traced = sequence_.trace_steps;
    std::optional<TraceCsv> trace;
    if (!replayed_.empty()) {
      monitor.replay(replayed_.at(static_cast<std::size_t>(loop_.step - sequence_.settle)).replay());
    } else if (!folder_.empty() && std::binary_search(traced.begin(), traced.end(), static_cast<int>(loop_.step))) {
      trace.emplace(folder_ / unfinished_trace_name);
      monitor.set_trace(&*trace, cell_.trace);
    }
    Result result = solver_->solve(problem.problem, cell_.model, start, monitor);
    if (result.ranks) add_ranks(*result.ranks);
    if (trace) {
      trace->close();
      fs::rename(folder_ / unfinished_trace_name, folder_ / trace_of_step(loop_.step));
    }
    return result;
  }

  void add_ranks(const RankFacts& step) {
    if (!ranks_) ranks_.emplace();
    ranks_->ranks = step.ranks;
    ranks_->messages += step.messages;
    ranks_->bytes_sent += step.bytes_sent;
    ranks_->exchanges += step.exchanges;
    ranks_->reductions += step.reductions;
    ranks_->cut_contacts = std::max(ranks_->cut_contacts, step.cut_contacts);
    ranks_->imbalance = std::max(ranks_->imbalance, step.imbalance);
    ranks_->memory_mb = std::max(ranks_->memory_mb, step.memory_mb);
  }

  /// Lets the driver solve the step, too, and takes the better of both solutions.
  void solve_again(const MotionProblem& problem, Result& result, StepRow& row) {
    Result other = drive(problem);
    row.fallback_s = other.setup_s + other.solve_s;
    const Measure measure = cell_.stop.measure;
    if (!other.impulse.allFinite() ||
        (other.status != Status::solved && left_by(result, measure) <= left_by(other, measure)))
      return;
    row.fallback = true;
    other.carried = result.carried;  // of another method
    other.multiplier.resize(0);
    result = std::move(other);
  }

  /// The solution of the driver, within what is left of its time.
  Result drive(const MotionProblem& problem) {
    std::optional<StepEnd> start;
    if (loop_.last) start = for_another_method(*loop_.last);
    const double limit = sequence_.driver.wall_s, left = limit - used_.driver_s;
    Result result;
    result.status = Status::time_limit;
    if (left > 0.0) result = driver_->solve(*motion_, problem, start, left);
    if (result.status == Status::time_limit)
      throw InputError(fmt::format("the driver used up its {} s at step {}", limit, motion_->step()));
    used_.driver_s += result.setup_s + result.solve_s;
    return result;
  }

  void count_driven(bool solved) {
    ++used_.driven;
    used_.unsolved += solved ? 0 : 1;
  }

  const Cell& cell_;
  const SequenceSpec& sequence_;
  const std::unique_ptr<Solver> solver_;
  const std::unique_ptr<Motion> motion_;
  StepLoop loop_;
  std::optional<TapeReader> tape_;  ///< where the driver has been; nothing on a trajectory of its own
  std::optional<Driver> driver_;    ///< on such a trajectory
  StepCounter& counter_;
  fs::path folder_;                ///< empty: nothing is written
  std::optional<StepsCsv> csv_;    ///< likewise
  std::vector<StepRow> replayed_;  ///< empty: the steps are judged
  EventCounter instructions_{CountedEvent::instructions};
  StepsUsed used_;          ///< by the driver, in this run and in the earlier parts that were interrupted
  double marked_at_ = 0.0;  ///< s, on wall_
  Stopwatch wall_;
  double earlier_s_ = 0.0;
  std::vector<StepRow> rows_;
  std::optional<std::string> unsupported_;
  std::optional<RankFacts> ranks_;  ///< of the steps of this part of the run: sums, and the largest
  bool resumed_ = false;            ///< there were earlier parts
  std::vector<std::string> notes_;
};

/// The record of a run that has ended.
void take_run(const Cell& cell, const SequenceRun& sequence, const fs::path& folder, TimedRun run, CellRecord& record) {
  if (sequence.unsupported()) {
    record.status = Status::unsupported;
    record.reason = *sequence.unsupported();
    fs::remove(folder / steps_name);
    return;
  }
  const std::int64_t asked = cell.spec->sequence->solved_steps();
  Result total = total_of(sequence.rows(), asked);
  total.notes = sequence.notes();
  total.ranks = sequence.ranks();
  record.sequence = facts_of(sequence.rows(), asked);
  record.sequence->driver_unsolved_steps = static_cast<double>(sequence.driver_unsolved());
  if (cell.stop.native) record.native_stop = native_stop_of(sequence.rows(), asked);
  record.problem = problem_facts(cell, *record.sequence);
  record.crossings = total.crossings;
  record.instructions = sequence.instructions();
  add_run(record, total, std::move(run));
  record.take(std::move(total));
}

}  // namespace

int run_sequence(const Cell& cell, const Catalog& catalog, const fs::path& folder, const fs::path& tape,
                 StepCounter& counter, bool pin, std::optional<Repeat> repeat) {
  std::optional<SequenceRun> sequence;
  const auto run = [&](TimedRun& timed) {
    if (pin) timed.cores = pin_to_cores(cell);
    make_pages_resident(resident_heap);
    keep_freed_memory();
    sequence.emplace(cell, catalog, tape, counter);
    if (timed.pass == 2) {
      std::vector<StepRow> steps = read_steps(folder / steps_name);
      if (steps.empty()) throw InputError((folder / steps_name).string(), "", "has no steps to replay");
      sequence->replay(std::move(steps));
    }
    if (!repeat) sequence->write_to(folder);
    const LoadMeter load;
    sequence->run();
    timed.busy = busy_text(load.read(), cell.threads, machine_cores());
  };
  if (repeat)
    return run_repeat(cell, folder, std::move(*repeat), [&](TimedRun& timed) {
      run(timed);
      return total_of(sequence->rows(), cell.spec->sequence->solved_steps());
    });
  return run_first(
      cell, folder,
      [&](CellRecord& record) {
        TimedRun timed;
        run(timed);
        take_run(cell, *sequence, folder, std::move(timed), record);
      },
      [&](CellRecord& record) { recover_steps(folder, cell, record); },
      [&](CellRecord& record) {
        if (sequence) record.wall_s = sequence->wall_s();
      });
}

}  // namespace ccp
