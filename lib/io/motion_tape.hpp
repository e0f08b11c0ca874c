#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "problem/contact_match.hpp"

/// States of a motion in HDF5 files of our own: a tape, part by part, or the one state in which a run of its steps has come
/// to. Each file has a checksum of what it says.
namespace ccp {

/// The time used by a run of the steps of a motion, with its earlier parts that were interrupted.
struct StepsUsed {
  double wall_s = 0.0;        ///< wall clock of its processes
  double driver_s = 0.0;      ///< of the clock of a driver that helps out
  std::int64_t driven = 0;    ///< steps that the driver has taken
  std::int64_t unsolved = 0;  ///< those of them that it left unsolved
};

/// Consecutive states of a motion, with how it came to each.
struct TapePart {
  std::string key;                    ///< of the motion, as bench makes it
  std::int64_t first = 0;             ///< number of the first state; state 0 is the start
  std::vector<Vector> states{};       ///< MotionState::values, all of one size
  std::vector<std::int64_t> steps{};  ///< MotionState::step of each
  std::vector<int> solved{},
      iterations{};  ///< of the step that led to each: 1 or 0, and what it took; 1 and 0 for the start
  std::vector<std::string> fact_names{};
  std::vector<Vector> facts{};  ///< of each state, in the order of fact_names
  StepEnd end{};                ///< of the step that led to the last state; empty for the start
  StepsUsed used{};             ///< until the last state, where a run goes on from it
};

/// Writes a part, replacing an older one, completely or not at all. Throws InputError(path, ...) when it cannot.
void write_tape_part(const std::filesystem::path& path, const TapePart& part);

/// Throws InputError(path, place, ...) when the file is missing, damaged or inconsistent, or its checksum is another. Not
/// safe for concurrent use.
TapePart read_tape_part(const std::filesystem::path& path);

}  // namespace ccp
