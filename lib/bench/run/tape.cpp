#include "bench/run/tape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/error.hpp"
#include "core/stopwatch.hpp"
#include "io/stored_state.hpp"
#include "problem/judge/judge.hpp"
#include "solvers/run_monitor.hpp"

namespace ccp {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t states_per_part = 100;

fs::path part_file(const fs::path& folder, std::int64_t number) {
  return folder / fmt::format("tape.{:06}.hdf5", number / states_per_part * states_per_part);
}

/// The part that begins with this state; nothing when it is missing, damaged or of another motion.
std::optional<TapePart> find_part(const fs::path& folder, const std::string& key, std::int64_t first) {
  const fs::path file = part_file(folder, first);
  if (!fs::is_regular_file(file)) return std::nullopt;
  try {
    TapePart part = read_tape_part(file);
    if (part.key == key && part.first == first && std::ssize(part.states) <= states_per_part) return part;
  } catch (const InputError&) {
    // made again
  }
  return std::nullopt;
}

/// The last part of a tape; nothing when it has none.
std::optional<TapePart> last_part(const fs::path& folder, const std::string& key) {
  std::optional<TapePart> last;
  for (std::int64_t first = 0;; first += states_per_part) {
    auto part = find_part(folder, key, first);
    if (!part) return last;
    last = std::move(part);
    if (std::ssize(last->states) < states_per_part) return last;
  }
}

void append_state(TapePart& part, const Motion& motion, const Result& result) {
  const MotionState state = motion.state();
  part.states.push_back(state.values);
  part.steps.push_back(state.step);
  part.solved.push_back(result.status == Status::solved ? 1 : 0);
  part.iterations.push_back(result.iterations);
  const std::vector<MotionFact> facts = motion.facts();
  std::vector<std::string> names;
  Vector values(std::ssize(facts));
  for (std::size_t i = 0; i < facts.size(); ++i) {
    names.push_back(facts[i].name);
    values[static_cast<Index>(i)] = facts[i].value;
  }
  if (!part.facts.empty() && names != part.fact_names)
    throw InputError("the tape of an earlier program has other facts of the scene, expected --fresh");
  part.fact_names = std::move(names);
  part.facts.push_back(values);
}

std::int64_t end_of(const TapePart& part) { return part.first + std::ssize(part.states); }

TapePart new_part(const std::string& key, std::int64_t first) {
  TapePart part;
  part.key = key;
  part.first = first;
  return part;
}

/// The part to write to, with the motion where it ends.
TapePart begin_tape(const fs::path& folder, const std::string& key, Motion& motion) {
  if (auto last = last_part(folder, key)) {
    motion.restore({motion.state().scene, last->steps.back(), last->states.back()});
    return std::move(*last);
  }
  TapePart part = new_part(key, 0);
  Result start;
  start.status = Status::solved;
  append_state(part, motion, start);
  return part;
}

}  // namespace

std::unique_ptr<Motion> start_motion(const Cell& cell, const Catalog& catalog) {
  const auto scene = catalog.scenes.make(cell.spec->scene);
  for (const auto& [name, value] : cell.spec->parameters) scene->parameters().set(name, value);
  auto motion = scene->motion(cell.spec->seed);
  if (const std::string& file = cell.spec->sequence->state; !file.empty()) motion->restore(read_stored_state(file).state);
  return motion;
}

std::unique_ptr<Solver> configured_solver(const std::string& name, const Parameters& parameters, const Catalog& catalog) {
  auto solver = catalog.make_solver(name);
  for (const auto& [parameter, value] : parameters) solver->settings().set(parameter, value);
  return solver;
}

Driver::Driver(const DriverSpec& spec, Model model, int threads, const Catalog& catalog)
    : solver_(configured_solver(spec.solver, spec.parameters, catalog)),
      stop_(spec.stop),
      model_(model),
      threads_(threads) {}

Result Driver::solve(const MotionProblem& problem, const Vector& velocity, const StepEnd* last, double seconds) const {
  if (const auto refusal = solver_->supports(problem.problem, model_)) throw InputError("the driver: " + *refusal);
  StopRule stop = stop_;
  stop.time_limit_s = seconds;
  Judge judge(problem.problem, model_);
  RunMonitor monitor(judge, stop, threads_);
  WarmStart start;
  if (last != nullptr) start = {matched_impulse(problem, *last), velocity, last->carried};
  return solver_->solve(problem.problem, model_, start, monitor);
}

std::int64_t tape_length(const fs::path& folder, const std::string& key) {
  const auto last = last_part(folder, key);
  return last ? end_of(*last) : 0;
}

void record_tape(const Cell& cell, const Catalog& catalog, const fs::path& folder, StepCounter& counter) {
  const SequenceSpec& sequence = *cell.spec->sequence;
  const Driver driver(sequence.driver, sequence.driver.model, cell.threads, catalog);
  const auto motion = start_motion(cell, catalog);
  TapePart part = begin_tape(folder, cell.tape_key, *motion);
  std::int64_t written = end_of(part) > 1 ? end_of(part) : 0;  // a tape that goes on is there already
  const auto write = [&] {
    if (end_of(part) > written) write_tape_part(part_file(folder, part.first), part);
    written = end_of(part);
  };
  Stopwatch clock;
  clock.start();
  try {
    while (end_of(part) <= sequence.steps) {
      const std::int64_t step = end_of(part) - 1;
      counter.set(step);
      const double left = sequence.driver.wall_s - clock.seconds();
      if (left <= 0.0)
        throw InputError(
            fmt::format("the driver came to step {} of {} within {} s", step, sequence.steps, sequence.driver.wall_s));
      const MotionProblem problem = motion->problem();
      Result result;
      result.status = Status::solved;
      result.carried = part.end.carried;
      if (problem.problem.rows() > 0)
        result = driver.solve(problem, motion->velocity(), step > 0 ? &part.end : nullptr, left);
      if (result.status == Status::time_limit) continue;  // said at the top of the loop
      if (!result.impulse.allFinite())
        throw InputError(fmt::format("the driver found no finite impulses for step {}: {}", step, result.reason));
      motion->advance(end_velocity(problem.problem, result.impulse), result.impulse);
      StepEnd end = step_end(problem, result.impulse, result.carried);
      if (std::ssize(part.states) == states_per_part) {
        write();
        part = new_part(cell.tape_key, end_of(part));
      }
      append_state(part, *motion, result);
      part.end = std::move(end);
    }
  } catch (...) {
    write();
    throw;
  }
  write();
}

const TapePart& TapeReader::part_with(std::int64_t number) {
  const std::int64_t first = number / states_per_part * states_per_part;
  if (part_.states.empty() || part_.first != first) {
    part_ = read_tape_part(part_file(folder_, number));
    if (part_.key != key_ || part_.first != first)
      throw InputError(part_file(folder_, number).string(), "/key", "is not that of the sequence");
  }
  if (number >= end_of(part_))
    throw InputError(part_file(folder_, number).string(), "", fmt::format("lacks state {}", number));
  return part_;
}

MotionState TapeReader::state(std::int64_t number, const std::string& scene) {
  const TapePart& part = part_with(number);
  const auto place = static_cast<std::size_t>(number - part.first);
  return {scene, part.steps[place], part.states[place]};
}

bool TapeReader::solved(std::int64_t number) {
  const TapePart& part = part_with(number);
  return part.solved[static_cast<std::size_t>(number - part.first)] != 0;
}

std::vector<MotionFact> TapeReader::facts(std::int64_t number) {
  const TapePart& part = part_with(number);
  const auto place = static_cast<std::size_t>(number - part.first);
  std::vector<MotionFact> facts;
  for (std::size_t i = 0; i < part.fact_names.size(); ++i)
    facts.push_back({part.fact_names[i], part.facts[place][static_cast<Index>(i)]});
  return facts;
}

}  // namespace ccp
