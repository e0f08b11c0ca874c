#pragma once

#include <string>
#include <vector>

namespace ccp {

/// Starts an adapter in Python. The interpreter is the value of the environment variable, else that of the system, for which
/// Debian packages the programs.
std::vector<std::string> python_adapter(const char* interpreter_variable, const char* script);

/// Starts an adapter that is a program of its own, "ccpbench-peer-NAME": in the folder CCPBENCH_PEER_FOLDER, else in `peers`
/// beside this program, else where an installed ccpbench has it.
std::vector<std::string> built_adapter(const char* name);

}  // namespace ccp
