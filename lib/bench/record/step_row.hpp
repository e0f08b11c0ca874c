#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/status.hpp"
#include "problem/motion.hpp"
#include "solvers/solver.hpp"

namespace ccp {

/// The result of one step of a sequence.
struct StepRow {
  std::int64_t step = 0;  ///< of the sequence, from 0
  double time_s = 0.0;    ///< of the motion when the step begins, s
  Index contacts = 0, rows = 0, dofs = 0;
  /// How the solver of the cell ended. A step without rows is solved in no iteration.
  Status status = Status::solved;
  std::optional<Status> stopped_by;  ///< why it was told to stop
  std::string reason;
  int iterations = 0;
  double build_s = 0.0;  ///< wall clock of making the problem: collision and assembly
  double setup_s = 0.0, solve_s = 0.0;
  Counters counters;
  Measures measures{};  ///< of the returned point
  bool native_converged = false;
  Crossings crossings;
  bool fallback = false;          ///< the world went on with the driver's solution instead
  double fallback_s = 0.0;        ///< time of the driver where it solved the step too
  std::vector<MotionFact> facts;  ///< of the state that the step ends in

  /// NaN for a fact that the motion does not know.
  double fact(const std::string& name) const;
  /// The work of a replay of the step.
  Replay replay() const { return {iterations, stopped_by, crossings}; }
};

/// Takes status, work, times and measures of a solve.
void take_result(StepRow& row, const Result& result);

/// Sums, means and extremes over steps; numbers() says what each number is. Means are NaN without a step to take
/// them over.
struct SequenceFacts {
  std::int64_t steps = 0, unsolved_steps = 0, steps_at_time_limit = 0;
  double iterations_per_step = 0.0, iterations_per_solved_step = 0.0;
  double contacts_per_step = 0.0, unknowns_per_step = 0.0;
  int iterations_max = 0;
  Index contacts_max = 0, rows_max = 0, dofs = 0;
  double deepest_gap = 0.0, build_s = 0.0, fallback_s = 0.0, energy_gain = 0.0;
  double contact_residual_per_step = 0.0, seconds_per_step = 0.0, step_s_max = 0.0;
  std::int64_t late_steps = 0;
  double driver_unsolved_steps = std::numeric_limits<double>::quiet_NaN();
  std::vector<MotionFact> facts;  ///< of the last state

  /// NaN for a fact that the motion does not know.
  double fact(const std::string& name) const;
};

/// The costs of steps that met the method's own criterion, of a method that stops there. A run without steps is one.
/// Means, most and largest are over those of them that have rows; NaN without one.
struct NativeStop {
  std::int64_t unmet_steps = 0;
  double iterations_per_step = 0.0, iterations_max = 0.0, factorizations_per_step = 0.0, relative_residual = 0.0;
};

/// asked: the number of steps of the sequence.
NativeStop native_stop_of(const std::vector<StepRow>& rows, std::int64_t asked);

/// asked: likewise.
SequenceFacts facts_of(const std::vector<StepRow>& rows, std::int64_t asked);

/// All steps as one: sums of iterations, counters and times; the largest of each measure (of the objective the sum); a
/// decade is reached where each step has. The status is that of the first unsolved step.
Result total_of(const std::vector<StepRow>& rows, std::int64_t asked);

}  // namespace ccp
