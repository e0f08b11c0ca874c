#pragma once

#include <memory>
#include <string>

#include "bench/config/catalog.hpp"
#include "bench/config/sequence_spec.hpp"
#include "problem/contact_match.hpp"
#include "problem/motion.hpp"
#include "solvers/solver.hpp"

namespace ccp {

/// A solver with the parameters of a config.
std::unique_ptr<Solver> configured_solver(const std::string& name, const Parameters& parameters, const Catalog& catalog);

/// Moves a scene by the solutions of a solver: for tapes, for solvers that need help on a trajectory of their own, and for
/// series of files. Each step starts from the end of the one before.
class Driver {
 public:
  /// stop: of a step; its time limit is that of each call.
  Driver(std::unique_ptr<Solver> solver, const StopRule& stop, Model model, int threads);
  Driver(const DriverSpec& spec, Model model, int threads, const Catalog& catalog);

  /// Solves `problem`, the present step of the motion. last: the end of the step before; null: there is none. seconds: the
  /// most of its clock. A step without rows is solved. Throws InputError when the method does not take the problem.
  Result solve(const Motion& motion, const MotionProblem& problem, const StepEnd* last, double seconds) const;

  /// Takes the step with this result, solved or not, and gives its end. Throws InputError for impulses that are not finite.
  static StepEnd take(Motion& motion, const MotionProblem& problem, const Result& result);

 private:
  std::unique_ptr<Solver> solver_;
  StopRule stop_;
  Model model_;
  int threads_;
};

}  // namespace ccp
