#pragma once

#include <string>

#include "process/child_program.hpp"

namespace ccp {

/// The description that a solver gives of itself before it gets a problem.
struct Greeting {
  std::string description;  ///< JSON, as it was sent
  std::string defect;       ///< why it cannot be used, or empty
  bool died = false;        ///< there is no process left
};

/// Reads the greeting of `program`, as messages call it, within `longest_s`.
Greeting read_greeting(ChildProgram& process, const std::string& program, double longest_s);

}  // namespace ccp
