#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "bench/config/config_json.hpp"
#include "bench/config/config_keys.hpp"
#include "bench/config/plan.hpp"
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

/// Calls `make` and says in an error which argument it is about.
template <typename Make>
auto make_of(const std::string& said, const Make& make) {
  try {
    return make();
  } catch (const InputError& error) {
    throw InputError("", said, error.message());
  }
}

/// "name:a=1,b=2" → name, and the values in the table of `make(name)` that are not its defaults. said: the whole argument.
template <typename Make>
std::pair<std::string, Json> with_values(const std::string& text, const std::string& said, const Make& make) {
  const std::size_t colon = text.find(':');
  const std::string name = text.substr(0, colon);
  FieldTable& table = make(name);
  std::vector<std::string> assignments;
  if (colon != std::string::npos) {
    std::istringstream list(text.substr(colon + 1));
    for (std::string one; std::getline(list, one, ',');) assignments.push_back(one);
  }
  set_fields(table, assignments, said);
  Json values = Json::object();
  for (const Field& field : table.fields())
    if (field_text(field.get()) != field_text(field.default_value)) values[field.name] = field_json(field.get());
  return {name, values};
}

/// For the name of a scene that was given as a file.
std::string as_scene(const std::string& source) {
  const std::string name = source.substr(0, source.find(':'));
  const std::vector<std::string> scenes = catalog().scenes.names;
  const std::string near = name.find_first_of("./") == std::string::npos ? nearest_name(name, scenes) : "";
  return near.empty() ? "" : fmt::format("; did you mean scene:{}?", near);
}

/// A dump or a pattern of dumps as the config at `out` names it.
std::string dump_pattern(const std::string& source, const std::filesystem::path& out) {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::path path = source;
  if (fs::is_directory(path, error))
    path /= "*.hdf5";
  else if (source.find_first_of("*?[") == std::string::npos && !fs::is_regular_file(path, error))
    throw InputError(source, "", "no such file, expected an FCLib dump, a folder of dumps or scene:NAME" + as_scene(source));
  if (path.is_absolute()) return path.lexically_normal().string();
  const fs::path folder = fs::absolute(out).parent_path();
  const std::string from_config =
      fs::absolute(path).lexically_normal().lexically_relative(folder.lexically_normal()).string();
  return from_config.starts_with("../") ? from_config : "./" + from_config;
}

/// "admm rho=0.5"
std::string label_of(const std::string& name, const Json& values) {
  std::vector<std::string> parts = {name};
  for (const auto& [setting, value] : values.items()) parts.push_back(setting + "=" + json_text(value));
  return join(parts, " ");
}

/// labelled: with the values that are not its defaults as a label, for a scene that stands there several times.
std::string problem_entry(const std::string& source, const std::filesystem::path& out, bool labelled) {
  const std::string prefix = "scene:";
  if (!source.starts_with(prefix)) return fmt::format("    {{ \"fclib\": {} }}", dump_json(dump_pattern(source, out)));
  std::unique_ptr<Scene> scene;
  const auto [name, values] =
      with_values(source.substr(prefix.size()), source, [&](const std::string& scene_name) -> FieldTable& {
        scene = make_of(source, [&] { return make_scene(scene_name); });
        return scene->parameters();
      });
  if (const auto defect = scene->check()) throw InputError("", source, *defect);
  const std::string label = labelled ? fmt::format(" \"label\": {},", dump_json(label_of(name, values))) : "";
  return fmt::format(
      "    // {}\n    // its other parameters: ccpbench list scenes {}\n    {{ \"scene\": \"{}\",{} \"parameters\": {} }}",
      scene->info().title, name, name, label, dump_json(values));
}

struct SolverEntry {
  std::string text;
  std::vector<Model> models;  ///< native
};

SolverEntry solver_entry(const std::string& source) {
  std::unique_ptr<Solver> solver;
  const std::string said = "--solver " + source;
  const auto [name, values] = with_values(source, said, [&](const std::string& solver_name) -> FieldTable& {
    solver = make_of(said, [&] { return catalog().make_solver(solver_name); });
    return solver->settings();
  });
  const std::string label = label_of(name, values);
  return {fmt::format("    // {}\n    {{ \"solver\": \"{}\", \"label\": {}, \"parameters\": {} }}", solver->info().title,
                      name, dump_json(label), dump_json(values)),
          solver->info().models};
}

/// Whether two sources are problems of the same scene.
bool same_scene(const std::string& a, const std::string& b) {
  const std::size_t name = std::string("scene:").size();
  return a.starts_with("scene:") && a.substr(0, a.find(':', name)) == b.substr(0, b.find(':', name));
}

struct Entries {
  std::vector<std::string> problems;
  std::vector<SolverEntry> solvers;
};

/// Lists all that is wrong with the arguments.
Entries read_entries(const NewArguments& options, const std::string& out, Mistakes& mistakes) {
  Entries entries;
  Checks check(&mistakes);
  const ConfigKeys keys(catalog());
  const JsonSource source{"", "", &mistakes};
  check([&] { keys.check_value(options.name, keys.shape("config").key("name"), "NAME", source); });
  for (const std::string& model : options.models)
    check([&] { keys.check_value(model, keys.shape("config").key("model"), "--model", source); });
  const auto once = [](const std::vector<std::string>& all, std::size_t i, const std::string& said) {
    if (std::find(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(i), all[i]) !=
        all.begin() + static_cast<std::ptrdiff_t>(i))
      throw InputError("", said, "is given twice, expected another one or other values");
  };
  const auto& problems = options.problems;
  for (std::size_t i = 0; i < problems.size(); ++i)
    check([&] {
      once(problems, i, problems[i]);
      const auto same = [&](const std::string& other) { return same_scene(problems[i], other); };
      const bool labelled = std::count_if(problems.begin(), problems.end(), same) > 1;
      entries.problems.push_back(problem_entry(problems[i], out, labelled));
    });
  for (std::size_t i = 0; i < options.solvers.size(); ++i)
    check([&] {
      once(options.solvers, i, "--solver " + options.solvers[i]);
      entries.solvers.push_back(solver_entry(options.solvers[i]));
    });
  return entries;
}

/// What is wrong with the config that was made, said of the arguments that it was made of.
void add_of_arguments(const Mistakes& found, const NewArguments& options, Mistakes& mistakes) {
  try {
    found.raise();
  } catch (const InputError& error) {
    for (const InputError& mistake : mistakes_of_error(error)) {
      std::string said = mistake.place();
      for (std::size_t i = 0; i < options.problems.size(); ++i)
        if (is_below(mistake.place(), child_pointer("/problems", i))) said = options.problems[i];
      for (std::size_t i = 0; i < options.solvers.size(); ++i)
        if (is_below(mistake.place(), child_pointer("/solvers", i))) said = "--solver " + options.solvers[i];
      mistakes.add(InputError("", said, mistake.message()));
    }
  }
}

/// Those asked for; else ccp where all solvers solve it themselves, else ncp.
std::vector<std::string> chosen_models(const NewArguments& options, const std::vector<SolverEntry>& solvers) {
  if (!options.models.empty()) return options.models;
  const bool convex = std::all_of(solvers.begin(), solvers.end(), [](const SolverEntry& solver) {
    return std::find(solver.models.begin(), solver.models.end(), Model::ccp) != solver.models.end();
  });
  return {convex ? "ccp" : "ncp"};
}

std::string config_text(const NewArguments& options, const Entries& made, const std::string& out) {
  std::vector<std::string> entries;
  for (const SolverEntry& solver : made.solvers) entries.push_back(solver.text);
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
  text += join(made.problems, ",\n") + "\n  ],\n";
  text += "  // ccp: convex, associated friction; ncp: Signorini and Coulomb. Solvers of ccp reach ncp by a fixed point.\n";
  text += fmt::format("  \"model\": {},\n", dump_json(Json(chosen_models(options, made.solvers))));
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
  if (std::filesystem::exists(out, error) && !OutputFile(out).passes_through())
    throw InputError(out, "", "is there already and stays as it is, expected another NAME or --out FILE");
  check_output(out);
  Mistakes mistakes, of_config;
  const Entries entries = read_entries(options, out, mistakes);
  mistakes.raise();
  const std::string text = config_text(options, entries, out);
  const Config config = parse_config(text, out, catalog(), {}, of_config);
  look_for_files(config, {}, of_config);
  add_of_arguments(of_config, options, mistakes);
  mistakes.raise();
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
