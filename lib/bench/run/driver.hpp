#pragma once

#include <memory>
#include <optional>
#include <string>

#include "bench/config/catalog.hpp"
#include "bench/config/plan.hpp"
#include "bench/config/sequence_spec.hpp"
#include "problem/contact_match.hpp"
#include "problem/motion.hpp"
#include "problem/scene_in_parts.hpp"
#include "solvers/solver.hpp"

namespace ccp {

/// A solver with the parameters of a config.
std::unique_ptr<Solver> configured_solver(const std::string& name, const Parameters& parameters, const Catalog& catalog);
/// That of a cell, on its ranks. origin, they_judge: on_ranks().
std::unique_ptr<Solver> solver_of(const Cell& cell, const Catalog& catalog, std::optional<SceneOrigin> origin = {},
                                  bool they_judge = false);

/// The start of a step of a motion from the end of the one before: the impulses and multipliers that belong to its blocks,
/// the velocity of the motion, and what the method carried.
WarmStart start_of_step(const Motion& motion, const MotionProblem& problem, const StepEnd& last, StartMatch match);

/// The result of a step without rows.
Result result_without_rows(const std::optional<StepEnd>& last);

/// Solves the steps of a scene: for tapes, for solvers that need help on a trajectory of their own, and for series of files.
/// Each step starts from the end of the one before.
class Driver {
 public:
  /// stop: of a step; its time limit is that of each call.
  Driver(std::unique_ptr<Solver> solver, const StopRule& stop, Model model, int threads);
  Driver(const DriverSpec& spec, Model model, int threads, const Catalog& catalog);

  /// Solves `problem`, the present step of the motion. last: the end of the step before; nothing: there is none. seconds:
  /// the most of its clock. A step without rows is solved. Throws InputError when the method does not take the problem.
  Result solve(const Motion& motion, const MotionProblem& problem, const std::optional<StepEnd>& last, double seconds) const;

 private:
  std::unique_ptr<Solver> solver_;
  StopRule stop_;
  Model model_;
  int threads_;
  bool guarded_start_ = false;
};

}  // namespace ccp
