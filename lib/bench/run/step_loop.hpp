#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "problem/contact_match.hpp"
#include "problem/motion.hpp"
#include "solvers/solver.hpp"

namespace ccp {

/// The steps of a motion, one after the other: problem, solution, next state. Cells with a sequence, tapes and series of
/// files run on it.
struct StepLoop {
  /// Solves the present step; nothing ends the loop there.
  using Solve = std::function<std::optional<Result>(const MotionProblem&)>;
  using OnStep = std::function<void(const Result&)>;

  Motion& motion;
  std::int64_t step = 0;            ///< number of the present step
  std::optional<StepEnd> last{};    ///< end of the step before; nothing: there is none
  double build_s = 0.0;             ///< wall clock of making the present problem
  std::function<void()> advance{};  ///< moves on where the solution does not lead; empty: the motion takes the solution

  /// Runs the steps before `end`. on_step: gets the solution of each after it is taken, when `step` and `last` are those of
  /// the next one. Throws InputError for impulses that are not finite where the motion takes them.
  void run(std::int64_t end, const Solve& solve, const OnStep& on_step = {});
};

}  // namespace ccp
