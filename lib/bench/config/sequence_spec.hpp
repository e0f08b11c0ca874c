#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/config/catalog.hpp"
#include "problem/model.hpp"
#include "solvers/run_monitor.hpp"

/// The part of a config on problems in time.
namespace ccp {

/// The solutions that move the world of a sequence.
enum class Trajectory {
  shared,  ///< the driver, once: all solvers meet the same problems
  own      ///< each solver its own, by its solutions
};

/// What a start takes over from the step before, as impulses of contacts with the same keys.
enum class StartMatch {
  contacts,  ///< of each contact that persists
  same       ///< of all, where the lists of contacts agree; else none
};

/// The solver that moves the world, or that solves again what a solver with a trajectory of its own leaves unsolved.
struct DriverSpec {
  std::string solver = "proximal_newton";
  Parameters parameters;                    ///< all of them
  std::optional<std::string> peer_version;  ///< PeerSolver::version(); nothing for a method of our own
  Model model = Model::ccp;                 ///< of a shared trajectory; an own one has the model of its cell
  StopRule stop;                            ///< of a step; its time limit is what is left of wall_s
  double wall_s = 3600.0;                   ///< of all steps together
  bool guarded_start = false;               ///< from the step before only where that lowers the objective
};

/// "sequence" of a problem.
struct SequenceSpec {
  int steps = 1;   ///< of the whole sequence
  int settle = 0;  ///< so many of the first ones are the driver's alone
  Trajectory trajectory = Trajectory::shared;
  DriverSpec driver;
  std::vector<int> trace_steps;    ///< steps whose iterations are traced
  std::string state;               ///< file with the state to start from; empty: the scene's own start
  std::string state_digest;        ///< SHA-256 of that file
  std::vector<std::string> facts;  ///< facts of the motion, which claims can bound

  int solved_steps() const { return steps - settle; }
};

}  // namespace ccp
