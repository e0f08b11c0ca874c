#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "bench/config/config_tables.hpp"
#include "commands/command.hpp"
#include "core/error.hpp"
#include "io/file.hpp"
#include "peers/external/skeletons.hpp"
#include "terminal/terminal.hpp"

namespace ccp::cli {
namespace {

constexpr const char* new_solver_footer =
    "Examples\n"
    "  $ ccpbench new-solver mine\n"
    "  $ ccpbench new-solver mine --language cpp\n"
    "\n"
    "The solver that is written runs: projected Gauss–Seidel, to be replaced by yours. Files that are there already stay.\n"
    "Exit codes: 0 written, 2 bad input; then nothing is written.\n";

struct NewSolverArguments {
  std::string name, language = "python";
};

int write_solver(const NewSolverArguments& options) {
  namespace fs = std::filesystem;
  const auto fits = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  const std::string& name = options.name;
  if (!std::all_of(name.begin(), name.end(), fits) || std::isdigit(static_cast<unsigned char>(name[0])) != 0)
    throw InputError("", "NAME", fmt::format("is '{}', expected letters, digits and _, a letter first", name));
  const Skeleton skeleton = make_skeleton(options.language, name);
  std::error_code error;
  for (const SkeletonFile& file : skeleton.files) {
    const bool common = file.name.ends_with(".h");  // of all solvers here
    if (fs::exists(file.name, error) && !(common && read_file(file.name) == file.text))
      throw InputError(file.name, "", "is there already and stays as it is, expected another NAME");
    check_output(file.name);
  }
  for (const SkeletonFile& file : skeleton.files) {
    write_file_atomically(file.name, file.text);
    if (file.program) fs::permissions(file.name, fs::perms::owner_exec, fs::perm_options::add, error);
    print_line("written: " + file.name);
  }
  if (!skeleton.build.empty()) print_line("build it: " + skeleton.build);
  print_line("check it: ccpbench check-solver " + skeleton.solver);
  print_line("run it:   ccpbench solve scene:odd_mass_stack --solver nsgs --solver " + skeleton.solver);
  return exit_done;
}

}  // namespace

void add_new_solver(CommandLine& program) {
  Subcommand& command = program.subcommand("new-solver", "write a solver of your own to begin with", new_solver_footer);
  NewSolverArguments& options = command.options<NewSolverArguments>(write_solver);
  command.operand("NAME", &options.name, "name of the solver and its files: letters, digits and _", Need::required);
  command.choice("--language", &options.language, skeleton_languages(), "what it is written in");
}

}  // namespace ccp::cli
