#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/config/catalog.hpp"
#include "bench/config/plan.hpp"
#include "bench/run/step_counter.hpp"
#include "io/motion_tape.hpp"
#include "problem/motion.hpp"

/// The states of a scene that a driver moves, kept in the folder of the results. The problems of its steps are built from
/// them again, to the last byte.
namespace ccp {

/// The motion of a cell with a sequence at its start: that of the scene, or the state it names. Throws InputError when that
/// cannot be read or does not fit.
std::unique_ptr<Motion> start_motion(const Cell& cell, const Catalog& catalog);

/// Moves the scene of a cell until its tape has a state for the start and the end of each step, going on where it ends. A
/// step that the driver leaves unsolved is taken as it is, and marked. Writes every hundred steps and at the end. A part
/// that is missing or not as it was written is made again, with all after it; returns what is wrong with it, one line, or
/// nothing. was_made: the tape once was as long as the cell needs it.
/// Throws InputError when the driver takes longer than its wall_s, with what it took for the states that are there already,
/// does not take a problem, or moves a body to infinity: the tape then has the states up to there.
std::string record_tape(const Cell& cell, const Catalog& catalog, const std::filesystem::path& folder, StepCounter& counter,
                        bool was_made = false);

/// Adds the present state of a motion to a part. result: of the step that led there.
void append_state(TapePart& part, const Motion& motion, const Result& result);

/// Reads a tape, one part at a time.
class TapeReader {
 public:
  TapeReader(std::filesystem::path folder, std::string key, std::string scene)
      : folder_(std::move(folder)), key_(std::move(key)), scene_(std::move(scene)) {}

  /// The state with this number. Throws InputError when the tape does not have it.
  MotionState state(std::int64_t number);
  std::vector<MotionFact> facts(std::int64_t number);
  /// By the driver, until this state.
  StepsUsed used(std::int64_t number);
  /// Whether the driver solved the step that ends in this state.
  bool solved(std::int64_t number);

 private:
  const TapePart& part_with(std::int64_t number);

  std::filesystem::path folder_;
  std::string key_, scene_;
  TapePart part_;
};

}  // namespace ccp
