#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "process/exit_status.hpp"

namespace ccp {

/// Exit code of a child whose program cannot be started.
constexpr int exit_no_program = 127;

/// A program to start in a process of its own.
struct Program {
  std::vector<std::string> arguments;    ///< the program (looked up in PATH) and its arguments
  std::vector<std::string> environment;  ///< "NAME=value": replaces or adds to ours
  int input = -1, output = -1;           ///< descriptors for standard input, and for output and errors; −1: ours
  /// It dies with this process, starts with the handlers of the system and without any other descriptor of ours, and says on
  /// its output why it cannot be started.
  bool bound = false;
  int errors = -1;  ///< descriptor for errors, where they go elsewhere than output
};

/// Starts it and does not wait; the child. Throws std::system_error when no process can be made.
pid_t start(const Program& program);

}  // namespace ccp
