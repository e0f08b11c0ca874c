#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "bench/config/external_paths.hpp"
#include "commands/command.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "peers/external/conformance.hpp"
#include "peers/external/external_name.hpp"
#include "terminal/records.hpp"
#include "terminal/table.hpp"
#include "terminal/terminal.hpp"

namespace ccp::cli {
namespace {

constexpr const char* check_solver_footer =
    "Examples\n"
    "  $ ccpbench check-solver python:./mine.py\n"
    "  $ ccpbench check-solver command:./my_solver --patience 60\n"
    "\n"
    "The solver is started some dozen times on problems of up to eight constraints, of each kind and model it declares.\n"
    "Exit codes: 0 no fault found, 1 faults, 2 bad input.\n";

struct CheckSolverArguments {
  std::string solver;
  double patience_s = 10.0;
  FormatOption format;
};

int check_solver(const CheckSolverArguments& options) {
  if (!is_external_name(options.solver)) {
    const std::string near = options.solver.find(".py") != std::string::npos ? "python:" : "command:";
    std::error_code error;
    const bool there = std::filesystem::exists(options.solver.substr(0, options.solver.rfind(':')), error) ||
                       std::filesystem::exists(options.solver, error);
    throw InputError("", options.solver,
                     "is no solver of your own, expected python:FILE:FUNCTION or command:PROGRAM" +
                         (there ? fmt::format("; did you mean {}{}?", near, options.solver) : ""));
  }
  const auto checks = check_external_solver(located_solver(options.solver, false, "", {}), options.patience_s);
  Records records({{"check", "check"}, {"result", "result"}, {"meaning", "meaning"}, {"faults", "faults"}});
  Table table({{"check"}, {"result"}, {"", false, Fit::wrap}});
  std::size_t faults = 0;
  for (const SolverCheck& check : checks) {
    faults += check.faults.size();
    const bool skipped = !check.skipped.empty(), sound = check.faults.empty();
    const std::string result = !sound ? "fault" : skipped ? "skipped" : "passed";
    records.row({check.name, result, check.meaning, join(check.faults, "; ")});
    table.row({check.name,
               Entry(result, !sound    ? Tone::bad
                             : skipped ? Tone::dim
                                       : Tone::good),
               Entry(sound ? (skipped ? check.skipped : check.meaning) : "", Tone::dim)});
    for (const std::string& fault : check.faults) table.row({"", "", printable(fault)});
  }
  if (options.format.text())
    print(table.text(Style::out(), stdout_width()));
  else
    print_records(options.format.format(), records, records.json());
  return faults == 0 ? exit_done : exit_different;
}

}  // namespace

void add_check_solver(CommandLine& program) {
  Subcommand& command = program.subcommand("check-solver", "look for faults of a solver of your own", check_solver_footer);
  CheckSolverArguments& options = command.options<CheckSolverArguments>(check_solver);
  command.operand("SOLVER", &options.solver, "python:FILE:FUNCTION or command:PROGRAM", Need::required);
  command.seconds("--patience", &options.patience_s, "for its greeting, and its time in each run; s without a unit");
  add_format(command, &options.format);
}

}  // namespace ccp::cli
