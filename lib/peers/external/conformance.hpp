#pragma once

#include <string>
#include <vector>

namespace ccp {

/// One check of a solver of the user.
struct SolverCheck {
  std::string name;     ///< "warm start"
  std::string meaning;  ///< what it asks of the solver
  std::vector<std::string> faults;
  std::string skipped{};  ///< why it says nothing, or empty
};

/// Runs a solver (external_name.hpp, with absolute paths) on small problems of the kinds and models that it takes, and looks
/// for breaches of the protocol and of the description of the solver. patience_s: for its greeting, and the time limit of
/// each run. A solver that does not greet has no other checks.
std::vector<SolverCheck> check_external_solver(const std::string& name, double patience_s);

}  // namespace ccp
