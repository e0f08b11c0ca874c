#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>

#include "commands/command.hpp"
#include "core/error.hpp"
#include "terminal/command_line.hpp"
#include "terminal/completion.hpp"
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
    "  1    compare, publish --verify: different; claims: one that must hold does not; check-solver: faults\n"
    "  2    bad input: one line on stderr says what, where, and what was expected\n"
    "  3    some cells failed (the others are written); solve: not solved; merge, publish: damage was left out\n"
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

int run_program(int argc, char** argv) {
  CommandLine program("ccpbench", "benchmark suite for complementarity problems with friction", CCPBENCH_VERSION,
                      program_footer);
  for (const auto add :
       {add_run,     add_solve,    add_new,     add_check, add_new_solver, add_check_solver, add_list,    add_inspect,
        add_generate, add_convert, add_rank,    add_tune,  add_merge,      add_report,       add_publish, add_claims,
        add_compare, add_history,  add_profile, add_plot,  add_cite,       add_completion,   add_man})
    add(program);
  if (std::getenv(completion_variable) != nullptr) {
    complete_line(program, {argv + std::min(argc, 1), argv + argc});
    return exit_done;
  }
  return program.run(argc, argv);
}

}  // namespace
}  // namespace ccp::cli

int main(int argc, char** argv) {
  using namespace ccp::cli;
  if (std::getenv(completion_variable) == nullptr) fix_library_settings(argv);
  try {
    return flushed(run_program(argc, argv));
  } catch (const ccp::InputError& error) {
    report_error(error);
    return exit_bad_input;
  } catch (const std::bad_alloc&) {
    report_error("out of memory");
    return exit_internal_error;
  } catch (const std::exception& error) {
    report_error(fmt::format("internal error: {}", error.what()));
    return exit_internal_error;
  }
}
