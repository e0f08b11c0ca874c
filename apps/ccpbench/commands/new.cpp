#include <filesystem>

#include "commands/command.hpp"
#include "core/error.hpp"
#include "io/file.hpp"
#include "terminal/arguments.hpp"
#include "terminal/terminal.hpp"
#include "views/study.hpp"

namespace ccp::cli {
namespace {

constexpr const char* new_footer =
    "Examples\n"
    "  $ ccpbench new my-study scene:odd_mass_stack:spheres=40 --solver admm:preconditioner=diagonal --solver nsgs\n"
    "  $ ccpbench new dumps fclib/*.hdf5 --solver nsgs --solver proximal_newton --out configs/dumps.json\n"
    "  $ ccpbench new near dump.hdf5 --perturb noise=0.01,friction_factor=0.9 --solver nsgs\n"
    "  $ ccpbench new tower './fclib/Kaplas*.hdf5' --solver admm --model ccp --model ncp\n"
    "\n"
    "Comments in the file explain its keys and name the others. Paths of dumps are relative to the folder of the file,\n"
    "unless absolute. An existing file is kept.\n"
    "Exit codes: 0 written, 2 bad input.\n";

struct NewArguments {
  Study study;
  std::string out;
};

int write_new(NewArguments options) {
  const std::string out = options.out.empty() ? options.study.name + ".json" : options.out;
  std::error_code error;
  if (std::filesystem::exists(out, error) && !OutputFile(out).passes_through())
    throw InputError(out, "", "is there already and stays as it is, expected another NAME or --out FILE");
  check_output(out);
  if (options.study.solvers.empty()) options.study.solvers = {default_solver};
  write_file_atomically(out, make_study(options.study, out).text);
  print_line("config: " + printable(out));
  return exit_done;
}

}  // namespace

void add_new(CommandLine& program) {
  Subcommand& command =
      program.subcommand("new", "write a config for given problems and solvers, with comments", new_footer);
  NewArguments& options = command.options<NewArguments>(write_new);
  command.operand("NAME", &options.study.name, "name of the config: letters, digits, _ and -", Need::required);
  command.operands("FILE", &options.study.problems,
                   "FCLib dumps, folders or patterns of dumps, scene:NAME, or scene:NAME:PARAMETER=VALUE,...",
                   Need::required);
  command.repeated("--solver", &options.study.solvers, "SOLVER",
                   "a method (see ccpbench list solvers), or NAME:SETTING=VALUE,...; any number of times (default "
                   "proximal_newton). Your own: python:FILE:FUNCTION, command:PROGRAM");
  command.repeated("--model", &options.study.models, "MODEL",
                   "ccp or ncp, or both; ccp where all solvers solve it, else ncp");
  command.text("--perturb", &options.study.perturb, "KEY=VALUE,...",
               "solve neighbours of the problems: noise, friction_factor, seed, ... (ccpbench list config)");
  command.text("--out", &options.out, "FILE", "the file (default NAME.json)");
}

}  // namespace ccp::cli
