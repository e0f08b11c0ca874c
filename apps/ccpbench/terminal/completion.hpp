#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "terminal/command_line.hpp"

/// Completion of command lines in shells: a small script in each asks this program what completes the last word.
namespace ccp::cli {

/// The environment variable by which a script asks: the arguments are then the line up to the cursor.
inline constexpr const char* completion_variable = "CCPBENCH_COMPLETE";

/// Names that commands take, beside their options.
struct KnownNames {
  using List = std::function<std::vector<std::string>(const std::string&)>;
  std::vector<std::string> solvers, scenes;
  List settings;                                           ///< of a solver; empty for an unknown one
  List parameters;                                         ///< of a scene
  std::map<std::string, std::vector<std::string>> topics;  ///< of `list`, with the names that each takes
};

/// What completes the last word of a line, one a line, with a tab and its meaning where there is one to tell. The words
/// follow the name of the program. What ends with ':', '=' or '/' can go on. texts: CommandLine::texts().
std::string completions(const std::vector<CommandText>& texts, const KnownNames& names,
                        const std::vector<std::string>& words);

/// The script of bash, zsh or fish.
std::string completion_script(const std::string& shell);

}  // namespace ccp::cli
