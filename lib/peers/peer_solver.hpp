#pragma once

#include <string>

#include "solvers/solver.hpp"

namespace ccp {

/// A method of another program, which works in a process of its own, by a clock of its own: its runs cannot be replayed.
class PeerSolver : public Solver {
 public:
  /// Version of the other program, "absent" where there is none. Results of different versions are different results.
  std::string version() const { return do_version(); }

 private:
  virtual std::string do_version() const = 0;
};

/// The peer that a solver is; null for a method of our own.
inline const PeerSolver* as_peer(const Solver& solver) { return dynamic_cast<const PeerSolver*>(&solver); }

}  // namespace ccp
