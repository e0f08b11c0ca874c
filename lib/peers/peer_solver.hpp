#pragma once

#include <string>

#include "solvers/solver.hpp"

namespace ccp {

/// What a run notes whose iterates are whole runs of the other program: its iterations are restarts.
inline constexpr const char* note_of_restarts =
    "this solver shows no iterates: each row is a run of its own, ten times as accurate as the one before";

/// The beginnings of what a run notes of a solver of the user that leaves processes behind, or whose clock counts less than
/// passes.
inline constexpr const char* note_of_left_behind = "processes that its solver left behind: ";
inline constexpr const char* note_of_slow_clock = "doubtful times: the clock of the solver counted ";

/// A method of another program, which works in a process of its own, by a clock of its own: its runs cannot be replayed.
class PeerSolver : public Solver {
 public:
  /// Version of the other program, "absent" where there is none. Results of different versions are different results.
  std::string version() const { return do_version(); }
  /// The kind of program it comes from, by which results are grouped.
  std::string school() const { return do_school(); }
  /// The problems it takes, in words.
  std::string takes() const { return do_takes(); }

 private:
  virtual std::string do_version() const = 0;
  virtual std::string do_school() const = 0;
  virtual std::string do_takes() const = 0;
};

/// The peer that a solver is; null for a method of our own.
inline const PeerSolver* as_peer(const Solver& solver) { return dynamic_cast<const PeerSolver*>(&solver); }

/// The school of any solver; that of our own methods is "ours".
inline std::string school_of(const Solver& solver) {
  const PeerSolver* peer = as_peer(solver);
  return peer != nullptr ? peer->school() : "ours";
}

}  // namespace ccp
