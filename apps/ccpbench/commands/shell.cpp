#include <fmt/format.h>

#include "bench/config/config_keys.hpp"
#include "commands/command.hpp"
#include "core/status.hpp"
#include "linalg/linear_solver.hpp"
#include "problems/registry.hpp"
#include "terminal/arguments.hpp"
#include "terminal/completion.hpp"
#include "terminal/manual.hpp"
#include "terminal/terminal.hpp"

/// What a shell and `man` know of this program.
namespace ccp::cli {
namespace {

constexpr const char* completion_footer =
    "Examples\n"
    "  $ ccpbench completion bash > ~/.local/share/bash-completion/completions/ccpbench\n"
    "  $ ccpbench completion zsh > ~/.zfunc/_ccpbench\n"
    "  $ ccpbench completion fish > ~/.config/fish/completions/ccpbench.fish\n"
    "\n"
    "The script completes commands, options and their values, solvers and their settings, scenes and their parameters,\n"
    "configs and folders. It holds all names, so that it is as quick as the shell; make it anew with a new version.\n"
    "The folder of zsh must be in its fpath before compinit.\n"
    "Exit codes: 0 done, 2 bad input.\n";

constexpr const char* man_footer =
    "Examples\n"
    "  $ ccpbench man | man -l -\n"
    "  $ ccpbench man > ccpbench.1\n"
    "\n"
    "The page is made of the same texts as --help.\n"
    "Exit codes: 0 done.\n";

/// All names of the catalogue, and those that `list` takes.
KnownNames known_names() {
  KnownNames names;
  names.solvers = catalog().solver_names;
  names.scenes = scene_names();
  for (const std::string& solver : names.solvers) names.settings[solver] = catalog().make_solver(solver)->settings().names();
  for (const std::string& scene : names.scenes) names.parameters[scene] = make_scene(scene)->parameters().names();
  names.topics = {{"solvers", names.solvers},
                  {"scenes", names.scenes},
                  {"measures", measure_names()},
                  {"configs", {}},
                  {"config", {}},
                  {"linear-solvers", linear_solver_names()},
                  {"statuses", {}}};
  const ConfigKeys keys(catalog());
  for (const Shape& shape : keys.shapes()) names.topics["config"].push_back(shape.name);
  for (const Status status : all_statuses()) names.topics["statuses"].emplace_back(status_name(status));
  return names;
}

struct ShellArguments {
  std::string shell;
};

}  // namespace

void add_completion(CommandLine& program) {
  Subcommand& command =
      program.subcommand("completion", "a script that completes command lines in a shell", completion_footer);
  ShellArguments& options = command.options<ShellArguments>([&program](const ShellArguments& chosen) {
    const auto make = chosen.shell == "bash" ? bash_completion : chosen.shell == "zsh" ? zsh_completion : fish_completion;
    print(make(program.texts(), known_names()));
    return exit_done;
  });
  command.chosen_operand("SHELL", &options.shell, {"bash", "zsh", "fish"}, "bash, zsh or fish");
}

void add_man(CommandLine& program) {
  Subcommand& command = program.subcommand("man", "the manual page of the program, for man", man_footer);
  command.options<ShellArguments>([&program](const ShellArguments&) {
    print(manual_page(program.texts(), program.version()));
    return exit_done;
  });
}

}  // namespace ccp::cli
