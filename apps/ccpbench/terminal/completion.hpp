#pragma once

#include <map>
#include <string>
#include <vector>

#include "terminal/command_line.hpp"

/// Scripts that complete command lines in a shell. They hold all names and need neither this program nor any other.
namespace ccp::cli {

/// Names that commands take, beside their options.
struct KnownNames {
  std::vector<std::string> solvers, scenes;
  std::map<std::string, std::vector<std::string>> settings;    ///< by solver
  std::map<std::string, std::vector<std::string>> parameters;  ///< by scene
  std::map<std::string, std::vector<std::string>> topics;  ///< of `list`, with the names that each takes; none for configs
};

/// What completes an argument.
enum class Completes { nothing, choices, file, folder, config, dump, solver, scene, setting, parameter, topic, listed };

/// By the name that an argument gives its value. of: the command it belongs to.
Completes what_completes(const CommandText& of, const ArgumentText& argument);

/// texts: CommandLine::texts().
std::string bash_completion(const std::vector<CommandText>& texts, const KnownNames& names);
std::string zsh_completion(const std::vector<CommandText>& texts, const KnownNames& names);
std::string fish_completion(const std::vector<CommandText>& texts, const KnownNames& names);

}  // namespace ccp::cli
