#include "bench/run/sequence_pilot.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "bench/record/csv.hpp"
#include "bench/results/steps_csv.hpp"
#include "bench/run/driver.hpp"
#include "bench/run/pilot.hpp"
#include "bench/run/shared_numbers.hpp"
#include "bench/run/step_costs.hpp"
#include "bench/run/tape.hpp"
#include "core/error.hpp"
#include "core/stopwatch.hpp"
#include "io/motion_tape.hpp"
#include "problem/judge/judge.hpp"
#include "process/process_pool.hpp"
#include "solvers/run_monitor.hpp"

namespace ccp {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_sequences = 40;  // that are looked at
constexpr double good_reach = 0.25;         // of a sequence, that a look should come to
constexpr double longest_share = 0.2;       // of the whole time, for one of several sequences
constexpr double looking_share = 0.7;       // of the time that is left; the rest is for its last step and its sums
constexpr double per_cell = 0.01;           // s: a process, and its files
constexpr double driving_share = 0.4;       // of the time for a sequence
constexpr double shortest_solve = 0.05;     // s, of a step that is looked at

/// What a look counts, s.
class WorkClock {
 public:
  /// elsewhere: a peer computes in a process of its own, whose processor time this one does not know.
  explicit WorkClock(bool elsewhere) : elsewhere_(elsewhere), start_(of_processor()) { wall_.start(); }
  double seconds() const { return elsewhere_ ? wall_.seconds() : std::min(wall_.seconds(), of_processor() - start_); }

 private:
  static double of_processor() {
    std::timespec now{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  }

  bool elsewhere_;
  double start_;
  Stopwatch wall_;
};

/// A method refuses the problem of a step: its cell ends there.
struct Refused {};

/// Solves single steps for a cell.
class StepLooker {
 public:
  StepLooker(const Cell& cell, const Catalog& catalog)
      : cell_(cell), solver_(configured_solver(cell.solver->solver, cell.solver->parameters, catalog)) {}

  bool elsewhere() const { return cell_.solver->peer_version.has_value(); }

  /// What solving takes to its end, s; it is stopped after `look_s`. Throws Refused.
  double solve(const MotionProblem& problem, const WarmStart& start, double look_s, Result& result) const {
    if (solver_->supports(problem.problem, cell_.model)) throw Refused{};
    StopRule stop = cell_.stop;
    stop.time_limit_s = std::min(stop.time_limit_s, look_s);
    const WorkClock clock(elsewhere());
    Stopwatch wall;
    wall.start();
    Judge judge(problem.problem, cell_.model);
    RunMonitor monitor(judge, stop, cell_.threads);
    monitor.interrupt_when([&] { return wall.seconds() > 2.0 * look_s; });
    result = solver_->solve(problem.problem, cell_.model, start, monitor);
    const double took = clock.seconds();
    const bool stopped = result.status == Status::interrupted ||
                         (result.verdict == Status::time_limit && stop.time_limit_s < cell_.stop.time_limit_s);
    if (!stopped) return took;
    const double share = took / std::max(wall.seconds(), 1e-9);  // that the processor had for it
    Result worked = result;
    worked.setup_s *= share;
    worked.solve_s *= share;
    return expected_solve_s(cell_.stop, worked, took);
  }

  /// As StepRunner starts a step of this cell; last: null: there is none.
  WarmStart start(const Motion& motion, const MotionProblem& problem, const StepEnd* last) const {
    if (!cell_.solver->start_from_previous || last == nullptr) return {};
    const bool same = *cell_.solver->start_from_previous == StartMatch::same;
    return {same ? same_impulse(problem, *last) : matched_impulse(problem, *last), motion.velocity(), last->carried};
  }
  bool starts_from_previous() const { return cell_.solver->start_from_previous.has_value(); }

 private:
  const Cell& cell_;
  const std::unique_ptr<Solver> solver_;
};

/// The states of a shared sequence that are known: those of its tape, and those to which the driver comes here.
class KnownWay {
 public:
  KnownWay(const Cell& cell, const Catalog& catalog, const fs::path& tape)
      : steps_(cell.spec->sequence->steps),
        motion_(start_motion(cell, catalog)),
        driver_(cell.spec->sequence->driver, cell.spec->sequence->driver.model, cell.threads, catalog),
        elsewhere_(cell.spec->sequence->driver.peer_version.has_value()),
        reader_(tape, cell.tape_key),
        scene_(motion_->state().scene),
        taped_(std::min(tape_length(tape, cell.tape_key), steps_ + 1)) {
    if (taped_ == 0) here_.push_back(motion_->state());
  }

  const Motion& motion() const { return *motion_; }
  /// So many first steps have a problem that is known.
  std::int64_t known() const { return std::min(steps_, states()); }
  bool whole() const { return states() > steps_; }

  /// Moves on for so long, and gives what the driver still takes to the end of the sequence, s.
  double drive(double seconds) {
    StepCosts costs;
    Stopwatch wall;
    wall.start();
    if (!whole()) go_to(states() - 1);
    const std::int64_t first = states() - 1;
    while (!whole() && wall.seconds() < seconds) {
      const WorkClock clock(elsewhere_);
      const std::int64_t step = states() - 1;
      const MotionProblem problem = motion_->problem();
      const Result result = driver_.solve(*motion_, problem, ends_.empty() ? nullptr : &ends_.back(), seconds);
      if (result.status == Status::time_limit) {
        if (costs.empty()) costs.add(step, clock.seconds());
        break;
      }
      ends_.push_back(Driver::take(*motion_, problem, result));
      here_.push_back(motion_->state());
      costs.add(step, clock.seconds());
    }
    return costs.total(first, steps_);
  }

  void go_to(std::int64_t step) {
    motion_->restore(step < taped_ ? reader_.state(step, scene_) : here_[static_cast<std::size_t>(step - taped_)]);
  }

  /// The end of the step that leads to this one, by the driver; null where it is not known.
  const StepEnd* end_before(std::int64_t step) const {
    const std::int64_t place = std::ssize(ends_) - (states() - step);
    return place < 0 ? nullptr : &ends_[static_cast<std::size_t>(place)];
  }

 private:
  std::int64_t states() const { return taped_ + std::ssize(here_); }

  std::int64_t steps_;
  std::unique_ptr<Motion> motion_;
  Driver driver_;
  bool elsewhere_;
  TapeReader reader_;
  std::string scene_;
  std::int64_t taped_;
  std::vector<MotionState> here_;  ///< after those of the tape
  std::vector<StepEnd> ends_;      ///< of the steps to the last of these
};

/// The numbers below n: the last, one in the middle, and so on, always in the largest gaps.
std::vector<std::int64_t> spread(std::int64_t n) {
  std::vector<std::int64_t> order;
  std::set<std::int64_t> seen;
  for (std::int64_t i = 0; i < 2 * n; ++i) {
    double inverse = 0.0, digit = 0.5;  // the radical inverse of i: 0, 1/2, 1/4, 3/4, …
    for (std::int64_t rest = i; rest > 0; rest /= 2, digit /= 2.0) inverse += static_cast<double>(rest % 2) * digit;
    const auto place = static_cast<std::int64_t>(std::floor((1.0 - inverse) * static_cast<double>(n - 1)));
    if (seen.insert(place).second) order.push_back(place);
  }
  return order;
}

/// A look at one cell.
struct CellLook {
  double wall_s = unknown_number;
  std::int64_t steps = 0;  ///< that are known
  double reach = 0.0;      ///< as SequencePilot::reach
};

/// What is left of a run that was broken off; nothing where none was.
std::optional<CellLook> look_at_unfinished(const Cell& cell, const fs::path& folder) try {
  const SequenceSpec& sequence = *cell.spec->sequence;
  if (!fs::is_regular_file(folder / step_mark_name)) return std::nullopt;
  const StepMark mark = read_step_mark(folder / step_mark_name);
  StepCosts costs;
  double until_mark = 0.0;
  CellLook look;
  for (const StepRow& row : read_steps(folder / steps_name)) {
    const double cost = row.build_s + row.setup_s + row.solve_s;
    costs.add(row.step, cost);
    if (row.step < mark.step) until_mark += cost;
    look.reach = static_cast<double>(row.step + 1) / sequence.steps;
    ++look.steps;
  }
  if (costs.empty() || mark.step <= sequence.settle) return std::nullopt;
  // What is off these clocks: judging, and moving the world. An own trajectory has settled in this time, too.
  const bool settled = !cell.tape_key.empty() || sequence.settle == 0;
  const double off = settled ? std::max(1.0, mark.used.wall_s / until_mark) : 1.0;
  look.wall_s = off * costs.total(mark.step, sequence.steps);
  return look;
} catch (const InputError&) {
  return std::nullopt;
}

CellLook look_along(const Cell& cell, KnownWay& way, const Catalog& catalog, double look_s) {
  const StepLooker looker(cell, catalog);
  const SequenceSpec& sequence = *cell.spec->sequence;
  const std::int64_t known = way.known(), first = known > sequence.settle ? sequence.settle : known / 2;
  StepCosts costs;
  CellLook look;
  look.reach = static_cast<double>(known) / sequence.steps;
  Stopwatch wall;
  wall.start();
  try {
    for (const std::int64_t place : spread(known - first)) {
      const double left = look_s - wall.seconds();
      if (left <= 0.0 && !costs.empty()) break;
      const double solve_s = std::max(left, shortest_solve);
      const std::int64_t step = first + place;
      std::optional<StepEnd> last;
      if (looker.starts_from_previous() && step > sequence.settle) {
        if (const StepEnd* end = way.end_before(step)) {
          last = *end;
          last->carried = 0.0;  // of another method
        } else {
          way.go_to(step - 1);
          const MotionProblem before = way.motion().problem();
          Result result;
          if (before.problem.rows() > 0) looker.solve(before, {}, solve_s, result);
          if (result.impulse.allFinite() && result.impulse.size() == before.problem.rows())
            last = step_end(before, result.impulse, result.carried);
        }
      }
      way.go_to(step);
      const WorkClock clock(looker.elsewhere());
      const MotionProblem problem = way.motion().problem();
      double cost = clock.seconds();
      Result result;
      if (problem.problem.rows() > 0)
        cost += looker.solve(problem, looker.start(way.motion(), problem, last ? &*last : nullptr), solve_s, result);
      costs.add(step, cost);
      ++look.steps;
    }
    look.wall_s = per_cell + costs.total(sequence.settle, sequence.steps);
  } catch (const Refused&) {
    look.wall_s = per_cell + costs.total(sequence.settle, sequence.settle + 1);
  }
  return look;
}

/// Begins a trajectory of its own.
CellLook look_at_own(const Cell& cell, const Catalog& catalog, double look_s) {
  const StepLooker looker(cell, catalog);
  const SequenceSpec& sequence = *cell.spec->sequence;
  const Driver driver(sequence.driver, cell.model, cell.threads, catalog);
  const auto motion = start_motion(cell, catalog);
  const bool elsewhere = looker.elsewhere() || sequence.driver.peer_version.has_value();
  StepCosts settling, costs;
  CellLook look;
  std::optional<StepEnd> last;
  Stopwatch wall;
  wall.start();
  const auto drive = [&](const MotionProblem& problem) {
    StepEnd start = last.value_or(StepEnd{});
    start.carried = 0.0;
    return driver.solve(*motion, problem, last ? &start : nullptr, std::max(look_s, shortest_solve));
  };
  try {
    for (std::int64_t step = 0; step < sequence.steps; ++step) {
      const double left = look_s - wall.seconds();
      const bool settles = step < sequence.settle && left > 0.0;
      if (left <= 0.0 && !costs.empty()) break;
      const WorkClock clock(elsewhere);
      const MotionProblem problem = motion->problem();
      Result result;
      double expected = 0.0;  // beyond what the clock sees
      if (settles) {
        result = drive(problem);
      } else if (problem.problem.rows() > 0) {
        const double before = clock.seconds();
        const WarmStart start = looker.start(*motion, problem, step > sequence.settle && last ? &*last : nullptr);
        expected = looker.solve(problem, start, std::max(left, shortest_solve), result) - (clock.seconds() - before);
        if (result.status != Status::solved && left > 0.0) result = drive(problem);
      } else {
        result.status = Status::solved;
      }
      const bool goes_on = result.impulse.allFinite() && result.impulse.size() == problem.problem.rows();
      if (goes_on) last = Driver::take(*motion, problem, result);
      (settles ? settling : costs).add(step, clock.seconds() + std::max(0.0, expected));
      ++look.steps;
      look.reach = static_cast<double>(step + 1) / sequence.steps;
      if (!goes_on) break;
    }
    look.wall_s = per_cell + settling.total(0, sequence.settle) + costs.total(sequence.settle, sequence.steps);
  } catch (const Refused&) {
    look.wall_s = per_cell + settling.total(0, sequence.settle);
  }
  return look;
}

/// Numbers of a sequence, and then of each of its cells.
enum : std::size_t { drive_at, cells_at };
enum : std::size_t { wall_at, steps_at, reach_at, numbers_of_cell };

/// Cells of one sequence, one after the other in the same worker.
void look_at_group(const Plan& plan, const std::vector<std::size_t>& cells, const Catalog& catalog, const fs::path& folder,
                   double look_s, SharedNumbers& numbers) {
  Stopwatch wall;
  wall.start();
  const Cell& first = plan.cells[cells.front()];
  std::optional<KnownWay> way;
  if (!first.tape_key.empty()) {
    way.emplace(first, catalog, folder / "sequences" / first.tape_key);
    numbers[drive_at] = way->drive(driving_share * look_s);
  }
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Cell& cell = plan.cells[cells[i]];
    const double share = (look_s - wall.seconds()) / static_cast<double>(cells.size() - i);
    CellLook look;
    try {
      const auto unfinished = look_at_unfinished(cell, folder / "cells" / cell.hash);
      look = unfinished ? *unfinished : way ? look_along(cell, *way, catalog, share) : look_at_own(cell, catalog, share);
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception&) {
      look.wall_s = per_cell;  // it fails as quickly in the run
    }
    double* of_cell = &numbers[cells_at + numbers_of_cell * i];
    of_cell[steps_at] = static_cast<double>(look.steps);
    of_cell[reach_at] = look.reach;
    of_cell[wall_at] = std::min(look.wall_s, cell.limits.wall_s);
  }
}

/// Means of a step, for the cells of sequences that were not looked at.
class StepMeans {
 public:
  void add(const std::string& key, double seconds, double steps) {
    seconds_[key] += seconds;
    steps_[key] += steps;
  }
  std::optional<double> of(const std::string& key) const {
    const auto steps = steps_.find(key);
    if (steps == steps_.end()) return std::nullopt;
    return seconds_.at(key) / steps->second;
  }

 private:
  std::map<std::string, double> seconds_, steps_;
};

/// Cells by the sequence that they share; one with a trajectory of its own is alone.
using Groups = std::map<std::string, std::vector<std::size_t>>;

/// A look at the cells of one group.
struct GroupLook {
  double drive_s = unknown_number;  ///< as SequencePilot
  std::vector<CellLook> cells;      ///< those that took too long have no wall_s

  double reach() const {
    double least = 1.0;
    for (const CellLook& cell : cells)
      if (cell.steps > 0) least = std::min(least, cell.reach);
    return least;
  }
};

/// A look of `look_s`; its process ends at the latest after `left_s`, and what it has not said by then is unknown.
GroupLook look_in_worker(const Plan& plan, const std::vector<std::size_t>& members, const Catalog& catalog,
                         const fs::path& folder, double look_s, double left_s) {
  look_s = std::min(look_s, looking_share * left_s);
  SharedNumbers numbers(cells_at + numbers_of_cell * members.size());
  ProcessPool pool;
  pool.spawn(0, {std::min(left_s, 3.0 * look_s), plan.cells[members.front()].limits.memory_mb}, "/dev/null", [&] {
    look_at_group(plan, members, catalog, folder, look_s, numbers);
    return exit_came_through;
  });
  while (!pool.wait(std::chrono::milliseconds(200))) {
  }
  GroupLook look;
  look.drive_s = numbers[drive_at];
  for (std::size_t i = 0; i < members.size(); ++i) {
    const double* of_cell = &numbers[cells_at + numbers_of_cell * i];
    if (std::isfinite(of_cell[wall_at]))
      look.cells.push_back({of_cell[wall_at], static_cast<std::int64_t>(of_cell[steps_at]), of_cell[reach_at]});
    else
      look.cells.emplace_back();
  }
  return look;
}

/// What is known from looks, by place in `order`, and the same of the cells without one, by means.
void add_looks(const Plan& plan, const Groups& groups, const std::vector<const std::vector<std::size_t>*>& order,
               const std::map<std::size_t, GroupLook>& looks, SequencePilot& pilot) {
  StepMeans means;
  std::map<std::string, double> tapes;  // what is left of each, s
  for (const auto& [place, look] : looks) {
    const std::vector<std::size_t>& members = *order[place];
    const Cell& first = plan.cells[members.front()];
    if (std::isfinite(look.drive_s)) {
      tapes[first.tape_key] = std::max(tapes[first.tape_key], look.drive_s);
      means.add("", look.drive_s, first.spec->sequence->steps);
    }
    for (std::size_t i = 0; i < members.size(); ++i) {
      const CellLook& of_cell = look.cells[i];
      if (!std::isfinite(of_cell.wall_s)) continue;
      pilot.cells[members[i]] = of_cell.wall_s;
      pilot.looked_steps += of_cell.steps;
      means.add(plan.cells[members[i]].solver->solver, of_cell.wall_s, first.spec->sequence->solved_steps());
    }
    pilot.reach = std::min(pilot.reach, look.reach());
  }
  for (const auto& [key, members] : groups)
    for (const std::size_t index : members) {
      const Cell& cell = plan.cells[index];
      const auto mean = means.of(cell.solver->solver), drive = means.of("");
      if (mean) pilot.cells.try_emplace(index, std::min(*mean * cell.spec->sequence->solved_steps(), cell.limits.wall_s));
      if (drive && !cell.tape_key.empty()) tapes.try_emplace(cell.tape_key, *drive * cell.spec->sequence->steps);
    }
  for (const auto& [key, seconds] : tapes) pilot.drive_s += seconds;
}

}  // namespace

double deeper_look_s(double look_s, double reach, double budget_s) {
  if (reach >= good_reach) return look_s;
  return std::max(look_s, std::min(look_s * good_reach / std::max(reach, 1e-9), longest_share * budget_s));
}

SequencePilot look_at_sequences(const Plan& plan, const std::vector<std::size_t>& cells, const Catalog& catalog,
                                const fs::path& folder, double budget_s) {
  Groups groups;
  std::vector<const std::vector<std::size_t>*> order;
  for (const std::size_t index : cells)
    if (const Cell& cell = plan.cells[index]; cell.spec->sequence) {
      const auto [group, added] = groups.try_emplace(cell.tape_key.empty() ? cell.hash : cell.problem_key);
      if (added) order.push_back(&group->second);
      group->second.push_back(index);
    }
  const std::size_t stride = std::max<std::size_t>(1, (order.size() + most_sequences - 1) / most_sequences);
  std::vector<std::size_t> places;
  for (const std::int64_t turn : spread(static_cast<std::int64_t>((order.size() + stride - 1) / stride)))
    places.push_back(stride * static_cast<std::size_t>(turn));
  Stopwatch watch;
  watch.start();
  std::map<std::size_t, GroupLook> looks;  // by place
  double deep_s = 0.0;
  for (std::size_t k = 0; k < places.size(); ++k) {
    const double left = budget_s - watch.seconds();
    if (left <= 0.0) break;
    const double look_s = std::max(left / static_cast<double>(places.size() - k), std::min(left, deep_s));
    const auto look = [&](double seconds) {
      looks.insert_or_assign(places[k], look_in_worker(plan, *order[places[k]], catalog, folder, seconds, left));
    };
    look(look_s);
    if (k > 0) continue;
    deep_s = deeper_look_s(look_s, looks.begin()->second.reach(), budget_s);
    if (deep_s > 2.0 * look_s) look(deep_s);  // the first one saw little
  }
  SequencePilot pilot;
  add_looks(plan, groups, order, looks, pilot);
  return pilot;
}

}  // namespace ccp
