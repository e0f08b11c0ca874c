#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "commands/command.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "terminal/arguments.hpp"
#include "terminal/terminal.hpp"
#include "views/written_dump.hpp"

namespace ccp::cli {
namespace {

constexpr const char* convert_footer =
    "Examples\n"
    "  $ ccpbench convert dump.hdf5\n"
    "  $ ccpbench convert dumps/*.hdf5 --out local --solution\n"
    "  $ ccpbench convert spheres.local.hdf5 --form global --out global\n"
    "  $ ccpbench convert siconos/*.dat --out dumps\n"
    "\n"
    "Writes NAME.FORM.hdf5, NAME being that of the file without its ending, and without .local or .global before it. A\n"
    "dump in global form (M, H, w) becomes one in local form with N formed, which spares every solver that work. The\n"
    "other way M and H follow from factors of N, whose antisymmetric and negative parts are left out. Guesses are kept. A\n"
    "solution of the file is not, since most real ones solve nothing: --solution looks for one, by the solver\n"
    "'reference', and stores it where the measures certify it.\n"
    "\n"
    "Exit codes: 0 written, 2 a file could not be converted (the others are written).\n";

struct ConvertArguments {
  std::vector<std::string> files;
  std::string form = "local", model = "ncp", out = ".";
  bool solution = false;
  double time_limit_s = 60.0;
};

/// The file to write for a source. Throws InputError where that is the source itself.
std::filesystem::path target(const std::string& source, const ConvertArguments& options) {
  std::filesystem::path name = std::filesystem::path(source).filename();
  if (name.extension() == ".hdf5" || name.extension() == ".h5" || name.extension() == ".dat") name.replace_extension();
  if (name.extension() == ".local" || name.extension() == ".global") name.replace_extension();
  const auto path = std::filesystem::path(options.out) / (name.string() + "." + options.form + ".hdf5");
  std::error_code unknown;
  if (std::filesystem::equivalent(path, source, unknown))
    throw InputError(source, "", "would be written over, expected another folder in --out");
  return path.lexically_normal();
}

/// Refuses two sources of one name, and places that cannot be written, before anything is written.
void check_names(const ConvertArguments& options) {
  std::map<std::filesystem::path, std::string> sources;
  for (const std::string& file : options.files)
    if (const auto [other, added] = sources.emplace(target(file, options), file); !added)
      throw InputError(file, "", fmt::format("would be written to {}, as {} would", other->first.string(), other->second));
  for (const auto& [path, file] : sources) check_output(path.string());
}

void convert_file(const std::string& file, const ConvertArguments& options) {
  const NamedProblem named = load_problem(file, 0);
  const Model model = *model_from_name(options.model);
  FclibImpulses impulses;
  for (const FclibVectors& guess : named.file->guesses)
    if (auto impulse = named.file->impulse(guess))
      impulses.guesses.push_back(named.problem.own_impulse(std::move(*impulse)));
  if (options.solution)
    impulses.solution =
        reference_point(named.problem, model, options.time_limit_s, "without --solution the problem is written alone");
  write_dump(target(file, options), options.form == "local" ? FclibForm::local : FclibForm::global, named,
             std::move(impulses), model);
}

int convert(const ConvertArguments& options) {
  if (!std::filesystem::is_directory(options.out)) throw InputError(options.out, "", "is no folder, expected one in --out");
  check_names(options);
  return for_each_file(options.files, [&](const std::string& file) { convert_file(file, options); });
}

}  // namespace

void add_convert(CommandLine& program) {
  Subcommand& command = program.subcommand("convert", "write FCLib dumps in local or in global form", convert_footer);
  ConvertArguments& options = command.options<ConvertArguments>(convert);
  command.operands("FILE", &options.files, "FCLib files (HDF5), or text files of Siconos (.dat)", Need::required);
  command.choice("--form", &options.form, {"local", "global"}, "the form to write");
  command.text("--out", &options.out, "DIR", "the folder to write to (default the current folder)");
  command.flag("--solution", &options.solution, "look for a solution, and store it where it is certified");
  command.choice("--model", &options.model, model_names(), "model of the stored solution; FCLib's own is ncp");
  command.seconds("--time-limit", &options.time_limit_s,
                  "limit of the search for a solution, such as 10m; s without a unit");
}

}  // namespace ccp::cli
