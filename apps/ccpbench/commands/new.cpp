#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "bench/config/config_json.hpp"
#include "commands/command.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "io/file.hpp"
#include "problem/model.hpp"
#include "problems/registry.hpp"
#include "terminal/arguments.hpp"
#include "terminal/terminal.hpp"

namespace ccp::cli {
namespace {

constexpr const char* new_footer =
    "Examples\n"
    "  $ ccpbench new my-study scene:odd_mass_stack:spheres=40 --solver admm:preconditioner=diagonal --solver nsgs\n"
    "  $ ccpbench new dumps fclib/*.hdf5 --solver nsgs --solver proximal_newton --out configs/dumps.json\n"
    "  $ ccpbench new tower './fclib/Kaplas*.hdf5' --solver admm --model ccp --model ncp\n"
    "\n"
    "The file says in comments what its keys mean and which others there are. Dumps are named from the folder of the file,\n"
    "absolute ones as they are. A file that is there already stays as it is.\n"
    "Exit codes: 0 written, 2 bad input.\n";

struct NewArguments {
  std::string name, out;
  std::vector<std::string> problems, solvers, models;
};

/// "name:a=1,b=2" → name, and the values in the table of `make(name)` that are not its defaults.
template <typename Make>
std::pair<std::string, Json> with_values(const std::string& text, const Make& make) {
  const std::size_t colon = text.find(':');
  const std::string name = text.substr(0, colon);
  FieldTable& table = make(name);
  std::vector<std::string> assignments;
  if (colon != std::string::npos) {
    std::istringstream list(text.substr(colon + 1));
    for (std::string one; std::getline(list, one, ',');) assignments.push_back(one);
  }
  set_fields(table, assignments, text);
  Json values = Json::object();
  for (const Field& field : table.fields())
    if (field_text(field.get()) != field_text(field.default_value)) values[field.name] = field_json(field.get());
  return {name, values};
}

/// A dump or a pattern of dumps as the config at `out` names it.
std::string dump_pattern(const std::string& source, const std::filesystem::path& out) {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::path path = source;
  if (fs::is_directory(path, error))
    path /= "*.hdf5";
  else if (source.find_first_of("*?[") == std::string::npos && !fs::is_regular_file(path, error))
    throw InputError(source, "", "no such file, expected an FCLib dump, a folder of dumps or scene:NAME");
  if (path.is_absolute()) return path.lexically_normal().string();
  const fs::path folder = fs::absolute(out).parent_path();
  const std::string from_config =
      fs::absolute(path).lexically_normal().lexically_relative(folder.lexically_normal()).string();
  return from_config.starts_with("../") ? from_config : "./" + from_config;
}

std::string problem_entry(const std::string& source, const std::filesystem::path& out) {
  const std::string prefix = "scene:";
  if (!source.starts_with(prefix)) return fmt::format("    {{ \"fclib\": {} }}", dump_json(dump_pattern(source, out)));
  std::unique_ptr<Scene> scene;
  const auto [name, values] = with_values(source.substr(prefix.size()), [&](const std::string& scene_name) -> FieldTable& {
    scene = make_scene(scene_name);
    return scene->parameters();
  });
  return fmt::format(
      "    // {}\n    // its other parameters: ccpbench list scenes {}\n    {{ \"scene\": \"{}\", \"parameters\": {} }}",
      scene->info().title, name, name, dump_json(values));
}

struct SolverEntry {
  std::string text;
  std::vector<Model> models;  ///< native
};

SolverEntry solver_entry(const std::string& source) {
  std::unique_ptr<Solver> solver;
  const auto [name, values] = with_values(source, [&](const std::string& solver_name) -> FieldTable& {
    solver = catalog().make_solver(solver_name);
    return solver->settings();
  });
  std::vector<std::string> given;
  for (const auto& [setting, value] : values.items()) given.push_back(setting + "=" + json_text(value));
  const std::string label = given.empty() ? name : fmt::format("{} {}", name, join(given, " "));
  return {fmt::format("    // {}\n    {{ \"solver\": \"{}\", \"label\": {}, \"parameters\": {} }}", solver->info().title,
                      name, dump_json(label), dump_json(values)),
          solver->info().models};
}

/// Those asked for; else ccp where all solvers solve it themselves, else ncp.
std::vector<std::string> chosen_models(const NewArguments& options, const std::vector<SolverEntry>& solvers) {
  if (!options.models.empty()) return options.models;
  const bool convex = std::all_of(solvers.begin(), solvers.end(), [](const SolverEntry& solver) {
    return std::find(solver.models.begin(), solver.models.end(), Model::ccp) != solver.models.end();
  });
  return {convex ? "ccp" : "ncp"};
}

std::string config_text(const NewArguments& options, const std::string& out) {
  std::vector<std::string> problems, entries;
  std::vector<SolverEntry> solvers;
  for (const std::string& source : options.problems) problems.push_back(problem_entry(source, out));
  for (const std::string& source : options.solvers) {
    solvers.push_back(solver_entry(source));
    entries.push_back(solvers.back().text);
  }
  const bool dumps = std::any_of(options.problems.begin(), options.problems.end(),
                                 [](const std::string& source) { return !source.starts_with("scene:"); });
  const StopRule stop;
  std::string text = fmt::format("// Check it: ccpbench check {0}    Run it: ccpbench run {0}\n", out);
  text += "// All keys: ccpbench list config    All settings of a solver: ccpbench list solvers NAME\n{\n";
  text += fmt::format("  \"name\": {},  // the folder of its results is results/{}\n  \"title\": {},\n",
                      dump_json(options.name), options.name, dump_json(options.name));
  text += "  \"problems\": [\n";
  if (dumps)
    text +=
        "    // FCLib dumps, or patterns of dumps such as \"./dumps/*.hdf5\": absolute, with ./ or ../ from the folder of "
        "this\n"
        "    // file, or else below the folder of --fclib\n";
  text += join(problems, ",\n") + "\n  ],\n";
  text += "  // ccp: convex, associated friction; ncp: Signorini and Coulomb. Solvers of ccp reach ncp by a fixed point.\n";
  text += fmt::format("  \"model\": {},\n", dump_json(Json(chosen_models(options, solvers))));
  text += "  \"solvers\": [\n" + join(entries, ",\n") + "\n  ],\n";
  text += "  // Solved when the measure is at or below the tolerance; measures: ccpbench list measures. Times in s.\n";
  text += fmt::format(
      "  \"stop\": {{ \"measure\": \"{}\", \"tolerance\": {}, \"max_iterations\": {}, \"time_limit_s\": {} }}\n",
      measure_info(stop.measure).name, format_double(stop.tolerance), stop.max_iterations, format_double(stop.time_limit_s));
  text += "  // A sweep runs all combinations of values; lists under \"zip\" go hand in hand:\n";
  text += "  //   , \"sweep\": { \"/stop/tolerance\": [ 1e-4, 1e-8 ] }\n";
  return text + "}\n";
}

int write_new(const NewArguments& options) {
  const std::string out = options.out.empty() ? options.name + ".json" : options.out;
  std::error_code error;
  if (std::filesystem::exists(std::filesystem::symlink_status(out, error)))
    throw InputError(out, "", "is there already and stays as it is, expected another NAME or --out FILE");
  const std::string text = config_text(options, out);
  const Config config = parse_config(text, out, catalog());
  make_plan(config, {"", 1});
  write_file_atomically(out, text);
  print_line("config: " + printable(out));
  return exit_done;
}

}  // namespace

void add_new(CommandLine& program) {
  Subcommand& command =
      program.subcommand("new", "write a config for given problems and solvers, with comments", new_footer);
  NewArguments& options = command.options<NewArguments>(write_new);
  command.operand("NAME", &options.name, "name of the config: letters, digits, _ and -", Need::required);
  command.operands("FILE", &options.problems,
                   "FCLib dumps, folders or patterns of dumps, scene:NAME, or scene:NAME:PARAMETER=VALUE,...",
                   Need::required);
  command.repeated("--solver", &options.solvers, "SOLVER",
                   "a method (see ccpbench list solvers), or NAME:SETTING=VALUE,...; any number of times", Need::required);
  command.repeated("--model", &options.models, "MODEL", "ccp or ncp, or both; ccp where all solvers solve it, else ncp");
  command.text("--out", &options.out, "FILE", "the file (default NAME.json)");
}

}  // namespace ccp::cli
