#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <new>
#include <vector>

#include "commands/command.hpp"
#include "core/error.hpp"
#include "terminal/arguments.hpp"
#include "terminal/help.hpp"
#include "terminal/library_settings.hpp"
#include "terminal/terminal.hpp"

namespace ccp::cli {
namespace {

constexpr const char* program_footer =
    "Examples\n"
    "  $ ccpbench run configs/test1a.json\n"
    "  $ ccpbench solve dump.hdf5 --solver admm --set rho=0.5\n"
    "  $ ccpbench list solvers admm\n"
    "\n"
    "Exit codes\n"
    "  0    done\n"
    "  1    compare: different; claims: one that must hold does not\n"
    "  2    bad input: one line on stderr says what, where, and what was expected\n"
    "  3    some cells failed (the others are written); solve: not solved\n"
    "  70   a defect of this program\n"
    "  130  interrupted; what was finished is kept\n"
    "\n"
    "Colours appear on terminals only, and not where NO_COLOR is set.\n";

/// Everything went to stdout, or there was no place for it.
int flushed(int code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  report_error("standard output cannot be written");
  return exit_bad_input;
}

int parse_and_act(CLI::App& program, const std::vector<Command>& commands, int argc, char** argv) {
  try {
    program.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    const auto chosen = program.get_subcommands();
    print(chosen.empty() ? program.help() : chosen.front()->help());
    return exit_done;
  } catch (const CLI::CallForVersion&) {
    print_line("ccpbench " CCPBENCH_VERSION);
    return exit_done;
  } catch (const CLI::ParseError& error) {
    report_error(parse_message(program, error));
    return exit_bad_input;
  }
  for (const Command& command : commands)
    if (command.app->parsed()) return command.action();
  report_error("no command given (see ccpbench --help)");
  return exit_bad_input;
}

int run_program(int argc, char** argv) {
  CLI::App program("benchmark suite for complementarity problems with friction", "ccpbench");
  program.formatter(std::make_shared<HelpPage>());
  program.set_help_flag("-h,--help", "this page");
  program.set_version_flag("--version", std::string(CCPBENCH_VERSION), "the version");
  program.footer(program_footer);
  program.require_subcommand(0, 1);
  const std::vector<Command> commands = {
      add_run(program),      add_solve(program),  add_check(program),  add_list(program),    add_inspect(program),
      add_generate(program), add_report(program), add_claims(program), add_compare(program), add_profile(program)};
  return parse_and_act(program, commands, argc, argv);
}

}  // namespace
}  // namespace ccp::cli

int main(int argc, char** argv) {
  using namespace ccp::cli;
  fix_library_settings(argv);
  try {
    return flushed(run_program(argc, argv));
  } catch (const ccp::InputError& error) {
    report_error(error.what());
    return exit_bad_input;
  } catch (const std::bad_alloc&) {
    report_error("out of memory");
    return exit_internal_error;
  } catch (const std::exception& error) {
    report_error(fmt::format("internal error: {}", error.what()));
    return exit_internal_error;
  }
}
