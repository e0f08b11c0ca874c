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

/// A solver with the parameters of a config.
std::unique_ptr<Solver> configured_solver(const std::string& name, const Parameters& parameters, const Catalog& catalog);

/// Takes steps with a driver; each starts from the end of the one before.
class Driver {
 public:
  /// stop: of a step.
  Driver(const DriverSpec& spec, Model model, int threads, const Catalog& catalog);

  /// Solves a step that has rows. seconds: the most of its clock. Throws InputError when the method does not take the
  /// problem.
  Result solve(const MotionProblem& problem, const Vector& velocity, const StepEnd* last, double seconds) const;

 private:
  std::unique_ptr<Solver> solver_;
  StopRule stop_;
  Model model_;
  int threads_;
};

/// The number of states a tape has.
std::int64_t tape_length(const std::filesystem::path& folder, const std::string& key);

/// Moves the scene of a cell until its tape has a state for the start and the end of each step, going on where it ends. A
/// step that the driver leaves unsolved is taken as it is, and marked. Writes every hundred steps and at the end. Throws
/// InputError when the driver takes longer than its wall_s, does not take a problem, or moves a body to infinity: the tape
/// then has the states up to there.
void record_tape(const Cell& cell, const Catalog& catalog, const std::filesystem::path& folder, StepCounter& counter);

/// Reads a tape, one part at a time.
class TapeReader {
 public:
  TapeReader(std::filesystem::path folder, std::string key) : folder_(std::move(folder)), key_(std::move(key)) {}

  /// The state with this number. Throws InputError when the tape does not have it.
  MotionState state(std::int64_t number, const std::string& scene);
  std::vector<MotionFact> facts(std::int64_t number);
  /// Whether the driver solved the step that ends in this state.
  bool solved(std::int64_t number);

 private:
  const TapePart& part_with(std::int64_t number);

  std::filesystem::path folder_;
  std::string key_;
  TapePart part_;
};

}  // namespace ccp
