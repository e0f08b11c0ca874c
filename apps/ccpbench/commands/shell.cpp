#include <algorithm>

#include "bench/config/config_tables.hpp"
#include "bench/record/metrics.hpp"
#include "commands/command.hpp"
#include "core/status.hpp"
#include "linalg/linear_solver.hpp"
#include "problems/registry.hpp"
#include "terminal/arguments.hpp"
#include "terminal/completion.hpp"
#include "terminal/manual.hpp"
#include "terminal/terminal.hpp"

/// Completion for shells and the manual page.
namespace ccp::cli {
namespace {

constexpr const char* completion_footer =
    "Examples\n"
    "  $ ccpbench completion bash > ~/.local/share/bash-completion/completions/ccpbench\n"
    "  $ ccpbench completion zsh > ~/.zfunc/_ccpbench\n"
    "  $ ccpbench completion fish > ~/.config/fish/completions/ccpbench.fish\n"
    "\n"
    "The script completes commands, options and their values, solvers and their settings, scenes and their parameters,\n"
    "configs and folders. It asks the program that stands on the command line, so it never needs to be made anew.\n"
    "The folder of zsh must be in its fpath before compinit.\n"
    "Exit codes: 0 done, 2 bad input.\n";

constexpr const char* man_footer =
    "Examples\n"
    "  $ ccpbench man | man -l -\n"
    "  $ ccpbench man > ccpbench.1\n"
    "\n"
    "The page is made of the same texts as --help.\n"
    "Exit codes: 0 done.\n";

bool knows(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// All names of the catalogue, and those that `list` takes.
KnownNames known_names() {
  KnownNames names;
  names.solvers = catalog().solver_names;
  names.scenes = scene_names();
  names.settings = [](const std::string& solver) {
    return knows(catalog().solver_names, solver) ? catalog().make_solver(solver)->settings().names()
                                                 : std::vector<std::string>();
  };
  names.parameters = [](const std::string& scene) {
    return knows(scene_names(), scene) ? make_scene(scene)->parameters().names() : std::vector<std::string>();
  };
  names.topics = {{"solvers", names.solvers},
                  {"scenes", names.scenes},
                  {"measures", measure_names()},
                  {"metrics", {}},
                  {"configs", {}},
                  {"config", {}},
                  {"linear-solvers", linear_solver_names()},
                  {"statuses", {}}};
  for (const ConfigSection& section : config_sections(catalog())) names.topics["config"].push_back(section.name);
  for (const Metric& metric : metrics()) names.topics["metrics"].push_back(metric.name);
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
  ShellArguments& options = command.options<ShellArguments>([](const ShellArguments& chosen) {
    print(completion_script(chosen.shell));
    return exit_done;
  });
  command.chosen_operand("SHELL", &options.shell, {"bash", "zsh", "fish"}, "bash, zsh or fish");
}

void complete_line(const CommandLine& program, const std::vector<std::string>& words) {
  print(completions(program.texts(), known_names(), words));
}

void add_man(CommandLine& program) {
  Subcommand& command = program.subcommand("man", "the manual page of the program, for man", man_footer);
  command.options<ShellArguments>([&program](const ShellArguments&) {
    print(manual_page(program.texts(), program.version()));
    return exit_done;
  });
}

}  // namespace ccp::cli
