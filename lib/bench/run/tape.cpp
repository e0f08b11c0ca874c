#include "bench/run/tape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <optional>
#include <utility>

#include "bench/results/checksum.hpp"
#include "bench/run/driver.hpp"
#include "bench/run/step_loop.hpp"
#include "core/error.hpp"
#include "core/stopwatch.hpp"
#include "core/text.hpp"
#include "io/file.hpp"
#include "io/stored_state.hpp"

namespace ccp {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t states_per_part = 100;
constexpr double seconds_per_write = 30.0;  ///< that a driver which is killed may lose, when its states take long
constexpr const char* driver_seconds_name = "driver_s.txt";

fs::path part_file(const fs::path& folder, std::int64_t number) {
  return folder / fmt::format("tape.{:06}.hdf5", number / states_per_part * states_per_part);
}

std::string missing_part(const fs::path& file) {
  return missing_file(file.string(), "it was made", "makes it again").what();
}

/// How long a tape was, as far as its files say: with all parts before its last one.
std::int64_t length_by_files(const fs::path& folder) {
  std::int64_t length = 0;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    long long first = 0;
    if (std::sscanf(entry.path().filename().c_str(), "tape.%lld.hdf5", &first) == 1)
      length = std::max<std::int64_t>(length, first + states_per_part);
  }
  return length;
}

std::int64_t end_of(const TapePart& part) { return part.first + std::ssize(part.states); }

/// The undamaged beginning of the tape.
struct Found {
  std::optional<TapePart> last;  ///< its last part; nothing when it has none
  std::string damage;            ///< of the part after that, one line; empty: none
};

/// Reads no further than to the part with the state `enough`. made: how long the tape was; where it may end, nothing is
/// missing.
Found find_tape(const fs::path& folder, const std::string& key, std::int64_t enough, std::int64_t made) {
  Found found;
  std::int64_t first = 0;
  do {
    const fs::path file = part_file(folder, first);
    if (!fs::is_regular_file(file)) {
      if (first < made) found.damage = missing_part(file);
      return found;
    }
    try {
      TapePart part = read_tape_part(file);
      if (part.key != key || part.first != first || std::ssize(part.states) > states_per_part)
        throw InputError(file.string(), "", "is not of the sequence");
      found.last = std::move(part);
    } catch (const InputError& error) {
      found.damage = error.what();
      return found;
    }
    first += states_per_part;
  } while (end_of(*found.last) == first && first <= enough);
  return found;
}

/// The part to write to, with the motion where it ends.
TapePart begin_tape(std::optional<TapePart> last, const std::string& key, Motion& motion) {
  if (last) {
    motion.restore({motion.state().scene, last->steps.back(), last->states.back()});
    return std::move(*last);
  }
  TapePart part{key, 0};
  Result start;
  start.status = Status::solved;
  append_state(part, motion, start);
  return part;
}

/// The time of the driver for the states of a tape, s; 0 where it is not known. Beside the tape: its bytes do not
/// depend on time.
double driver_seconds(const fs::path& folder) {
  const std::string text = read_file(folder / driver_seconds_name).value_or("");
  const double seconds = std::strtod(text.c_str(), nullptr);
  return std::isfinite(seconds) && seconds > 0.0 ? seconds : 0.0;
}

}  // namespace

std::unique_ptr<Motion> start_motion(const Cell& cell, const Catalog& catalog) {
  const auto scene = catalog.scenes.make(cell.spec->scene);
  for (const auto& [name, value] : cell.spec->parameters) scene->parameters().set(name, value);
  auto motion = scene->motion(cell.spec->seed);
  if (const std::string& file = cell.spec->sequence->state; !file.empty()) motion->restore(read_stored_state(file).state);
  return motion;
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
  part.fact_names = std::move(names);
  part.facts.push_back(values);
}

std::string record_tape(const Cell& cell, const Catalog& catalog, const fs::path& folder, StepCounter& counter,
                        bool was_made) {
  const SequenceSpec& sequence = *cell.spec->sequence;
  const std::int64_t made = std::max(length_by_files(folder), was_made ? std::int64_t{sequence.steps} + 1 : std::int64_t{0});
  Found found = find_tape(folder, cell.tape_key, sequence.steps, made);
  if (found.last && !fs::exists(folder / driver_seconds_name)) {
    write_file_atomically(folder / driver_seconds_name, format_double(0.0) + "\n");
    if (found.damage.empty()) found.damage = missing_part(folder / driver_seconds_name) + ", with no time so far";
  }
  if (found.last && end_of(*found.last) > sequence.steps) return found.damage;
  const auto motion = start_motion(cell, catalog);
  TapePart part = begin_tape(std::move(found.last), cell.tape_key, *motion);
  std::int64_t written = end_of(part) > 1 ? end_of(part) : 0;  // a tape that goes on is there already
  Stopwatch clock;
  // The time of the driver is shared equally by all states, those that are remade included.
  const double kept = found.damage.empty() ? 1.0 : std::min(1.0, static_cast<double>(written) / static_cast<double>(made));
  clock.add(written > 0 ? kept * driver_seconds(folder) : 0.0);
  clock.start();
  double written_at = clock.seconds();
  const auto write = [&] {
    if (end_of(part) == written) return;
    write_tape_part(part_file(folder, part.first), part);
    written = end_of(part);
    written_at = clock.seconds();
    write_file_atomically(folder / driver_seconds_name, format_double(written_at) + "\n");
  };
  const Driver driver(sequence.driver, sequence.driver.model, cell.threads, catalog);
  StepLoop loop{*motion, end_of(part) - 1};
  if (loop.step > 0) loop.last = part.end;
  const auto solve = [&](const MotionProblem& problem) {
    counter.set(loop.step);
    const double left = sequence.driver.wall_s - clock.seconds();
    std::optional<Result> result;
    if (left > 0.0) result = driver.solve(*motion, problem, loop.last, left);
    if (!result || result->status == Status::time_limit)
      throw InputError(
          fmt::format("the driver came to step {} of {} within {} s", loop.step, sequence.steps, sequence.driver.wall_s));
    return result;
  };
  const auto keep = [&](const Result& result) {
    if (std::ssize(part.states) == states_per_part) {
      write();
      TapePart next{cell.tape_key, end_of(part)};
      next.used = part.used;
      part = std::move(next);
    }
    append_state(part, *motion, result);
    ++part.used.driven;
    part.used.unsolved += 1 - part.solved.back();
    part.end = *loop.last;
    if (clock.seconds() - written_at >= seconds_per_write) write();
  };
  try {
    loop.run(sequence.steps, solve, keep);
  } catch (...) {
    write();
    throw;
  }
  write();
  return found.damage;
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

MotionState TapeReader::state(std::int64_t number) {
  const TapePart& part = part_with(number);
  const auto place = static_cast<std::size_t>(number - part.first);
  return {scene_, part.steps[place], part.states[place]};
}

StepsUsed TapeReader::used(std::int64_t number) {
  const TapePart& part = part_with(number);
  StepsUsed used = part.used;
  const auto later = part.solved.begin() + (number - part.first + 1);
  used.driven -= part.solved.end() - later;
  used.unsolved -= std::count(later, part.solved.end(), 0);
  return used;
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
