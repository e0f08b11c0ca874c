#include "views/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

#include "bench/config/config_json.hpp"
#include "bench/config/config_tables.hpp"
#include "bench/config/field_reader.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "peers/external/external_name.hpp"
#include "problem/model.hpp"
#include "problems/registry.hpp"
#include "terminal/arguments.hpp"
#include "views/user_solvers.hpp"

namespace ccp::cli {
namespace {

/// Calls `make` and says in an error which argument it is about.
template <typename Make>
auto make_of(const std::string& said, const Make& make) {
  try {
    return make();
  } catch (const InputError& error) {
    throw InputError("", said, error.message());
  }
}

/// "a=1,b=2" → these values, and the others in the table that are not its defaults. said: the whole argument.
Json changed_values(FieldTable& table, const std::string& text, const std::string& said) {
  std::vector<std::string> assignments;
  std::set<std::string> names;
  std::istringstream list(text);
  for (std::string one; std::getline(list, one, ',');) {
    if (!names.insert(one.substr(0, one.find('='))).second)
      throw InputError("", said,
                       fmt::format("'{}' is given twice, expected one value", *names.find(one.substr(0, one.find('=')))));
    assignments.push_back(one);
  }
  set_fields(table, assignments, said);
  Json values = Json::object();
  for (const Field& field : table.fields())
    if (names.count(field.name) > 0 || field_text(field.get()) != field_text(field.default_value)) values[field.name] = field_json(field.get());
  return values;
}

/// "name:a=1,b=2" → name, and the changed values in the table of `make(name)`.
template <typename Make>
std::pair<std::string, Json> with_values(const std::string& text, const std::string& said, const Make& make) {
  const auto [name, given] = split_settings(text);
  return {name, changed_values(make(name), given, said)};
}

/// For the name of a scene that was given as a file.
std::string as_scene(const std::string& source) {
  const std::string name = source.substr(0, source.find(':'));
  const std::vector<std::string> scenes = catalog().scenes.names;
  const std::string near = name.find_first_of("./") == std::string::npos ? nearest_name(name, scenes) : "";
  return near.empty() ? "" : fmt::format("; did you mean scene:{}?", near);
}

/// A path as the config at `out` names it.
std::string named_from(const std::filesystem::path& out, const std::filesystem::path& path) {
  namespace fs = std::filesystem;
  if (path.is_absolute()) return path.lexically_normal().string();
  const fs::path folder = fs::absolute(out).parent_path();
  const std::string from_config =
      fs::absolute(path).lexically_normal().lexically_relative(folder.lexically_normal()).string();
  return from_config.starts_with("../") ? from_config : "./" + from_config;
}

/// A dump or patterns of dumps as the config at `out` names them: of a folder those of each ending that it holds.
std::vector<std::string> dump_patterns(const std::string& source, const std::filesystem::path& out) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path path = source;
  const auto holds = [&](const char* ending) {
    return std::any_of(fs::directory_iterator(path, error), fs::directory_iterator(),
                       [=](const fs::directory_entry& entry) { return entry.path().extension() == ending; });
  };
  if (fs::is_directory(path, error)) {
    std::vector<std::string> patterns;
    for (const char* ending : {".hdf5", ".dat"})
      if (holds(ending)) patterns.push_back(named_from(out, path / (std::string("*") + ending)));
    if (patterns.empty()) throw InputError(source, "", "has no dumps, expected files *.hdf5 or *.dat in it");
    for (const auto& entry : fs::directory_iterator(path, error))
      if (entry.path().extension() == ".dat" && fs::exists(fs::path(entry.path()).replace_extension(".hdf5"), error))
        throw InputError(source, "",
                         fmt::format("holds '{0}' as .hdf5 and as .dat, expected one of them, or a pattern such as '*.hdf5'",
                                     entry.path().stem().string()));
    return patterns;
  }
  if (path.extension() == ".json")
    throw InputError(source, "", "is a config, expected problems; ccpbench run takes it, then profile compares its solvers");
  if (source.find_first_of("*?[") == std::string::npos && !fs::is_regular_file(path, error))
    throw InputError(source, "", "no such file, expected an FCLib dump, a folder of dumps or scene:NAME" + as_scene(source));
  return {named_from(out, path)};
}

/// "admm rho=0.5"
std::string label_of(const std::string& name, const Json& values) {
  std::vector<std::string> parts = {name};
  for (const auto& [setting, value] : values.items()) parts.push_back(setting + "=" + json_text(value));
  return join(parts, " ");
}

/// ", \"perturb\": {…}" of the values of --perturb that are not the defaults; empty without it.
std::string perturb_member(const std::string& text) {
  if (text.empty()) return "";
  Perturbation perturbation;
  FieldTable table = perturb_fields(perturbation);
  return fmt::format(", \"perturb\": {}", dump_json(changed_values(table, text, "--perturb")));
}

/// One, or of a folder up to two. labelled: with the values that are not its defaults as a label, for a scene that stands
/// there several times. perturb: perturb_member().
std::vector<std::string> problem_entries(const std::string& source, const std::filesystem::path& out, bool labelled,
                                         const std::string& perturb) {
  const std::string prefix = "scene:";
  if (!source.starts_with(prefix)) {
    std::vector<std::string> entries;
    for (const std::string& pattern : dump_patterns(source, out))
      entries.push_back(fmt::format("    {{ \"fclib\": {}{} }}", dump_json(pattern), perturb));
    return entries;
  }
  std::unique_ptr<Scene> scene;
  const auto [name, values] =
      with_values(source.substr(prefix.size()), source, [&](const std::string& scene_name) -> FieldTable& {
        scene = make_of(source, [&] { return make_scene(scene_name); });
        return scene->parameters();
      });
  if (const auto defect = scene->check()) throw InputError("", source, *defect);
  const std::string label = labelled ? fmt::format(" \"label\": {},", dump_json(label_of(name, values))) : "";
  return {fmt::format(
      "    // {}\n    // its other parameters: ccpbench list scenes {}\n    {{ \"scene\": \"{}\",{} \"parameters\": {}{} }}",
      scene->info().title, name, name, label, dump_json(values), perturb)};
}

struct SolverEntry {
  std::string text;
  std::vector<Model> models;  ///< native
};

SolverEntry solver_entry(const std::string& source, const std::string& out) {
  std::unique_ptr<Solver> solver;
  const std::string said = "--solver " + source;
  const auto [name, values] = with_values(source, said, [&](const std::string& solver_name) -> FieldTable& {
    solver = make_of(said, [&] { return solver_named(solver_name); });
    return solver->settings();
  });
  const bool own = is_external_name(name);
  const std::string label = label_of(own ? external_label(name) : name, values);
  const std::string written = own ? relative_external(name, std::filesystem::absolute(out).parent_path().string()) : name;
  return {fmt::format("    // {}\n    {{ \"solver\": {}, \"label\": {}, \"parameters\": {} }}", solver->info().title,
                      dump_json(written), dump_json(label), dump_json(values)),
          solver->info().models};
}

/// Whether two sources are problems of the same scene.
bool same_scene(const std::string& a, const std::string& b) {
  const std::size_t name = std::string("scene:").size();
  return a.starts_with("scene:") && a.substr(0, a.find(':', name)) == b.substr(0, b.find(':', name));
}

struct Entries {
  std::vector<std::string> problems;
  std::vector<std::string> sources;  ///< of each problem
  std::vector<SolverEntry> solvers;
};

/// Lists all that is wrong with the arguments.
Entries read_entries(const Study& study, const std::string& out, Mistakes& mistakes) {
  Entries entries;
  Checks check(&mistakes);
  Config config;
  ConfigVariant variant;
  const FieldTable keys = config_fields(config, variant);
  const JsonSource source{"", "", &mistakes};
  check([&] { read_field(study.name, *keys.find("name"), "NAME", source); });
  for (const std::string& model : study.models) check([&] { read_field(model, *keys.find("model"), "--model", source); });
  const auto once = [](const std::vector<std::string>& all, std::size_t i, const std::string& said) {
    if (std::find(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(i), all[i]) !=
        all.begin() + static_cast<std::ptrdiff_t>(i))
      throw InputError("", said, "is given twice, expected another one or other values");
  };
  std::string perturb;
  check([&] { perturb = perturb_member(study.perturb); });
  const auto& problems = study.problems;
  for (std::size_t i = 0; i < problems.size(); ++i)
    check([&] {
      once(problems, i, problems[i]);
      const auto same = [&](const std::string& other) { return same_scene(problems[i], other); };
      const bool labelled = std::count_if(problems.begin(), problems.end(), same) > 1;
      for (std::string& entry : problem_entries(problems[i], out, labelled, perturb)) {
        entries.problems.push_back(std::move(entry));
        entries.sources.push_back(problems[i]);
      }
    });
  for (std::size_t i = 0; i < study.solvers.size(); ++i)
    check([&] {
      once(study.solvers, i, "--solver " + study.solvers[i]);
      entries.solvers.push_back(solver_entry(study.solvers[i], out));
    });
  return entries;
}

/// What is wrong with the config that was made, said of the arguments that it was made of.
void add_of_arguments(const Mistakes& found, const Study& study, const Entries& entries, Mistakes& mistakes) {
  try {
    found.raise();
  } catch (const InputError& error) {
    for (const InputError& mistake : mistakes_of_error(error)) {
      std::string said = mistake.place();
      for (std::size_t i = 0; i < entries.sources.size(); ++i)
        if (is_below(mistake.place(), child_pointer("/problems", i))) said = entries.sources[i];
      for (std::size_t i = 0; i < study.solvers.size(); ++i)
        if (is_below(mistake.place(), child_pointer("/solvers", i))) said = "--solver " + study.solvers[i];
      mistakes.add(InputError("", said, mistake.message()));
    }
  }
}

/// Those asked for; else ccp where all solvers solve it themselves, else ncp.
std::vector<std::string> chosen_models(const Study& study, const std::vector<SolverEntry>& solvers) {
  if (!study.models.empty()) return study.models;
  const bool convex = std::all_of(solvers.begin(), solvers.end(), [](const SolverEntry& solver) {
    return std::find(solver.models.begin(), solver.models.end(), Model::ccp) != solver.models.end();
  });
  return {convex ? "ccp" : "ncp"};
}

std::string config_text(const Study& study, const Entries& made, const std::string& out) {
  std::vector<std::string> entries;
  for (const SolverEntry& solver : made.solvers) entries.push_back(solver.text);
  const bool dumps = std::any_of(study.problems.begin(), study.problems.end(),
                                 [](const std::string& source) { return !source.starts_with("scene:"); });
  const StopRule& stop = study.stop;
  std::string text = fmt::format("// Check it: ccpbench check {0}    Run it: ccpbench run {0}\n", out);
  text += "// All keys: ccpbench list config    All settings of a solver: ccpbench list solvers NAME\n{\n";
  text += fmt::format("  \"name\": {},  // the folder of its results is results/{}\n  \"title\": {},\n",
                      dump_json(study.name), study.name, dump_json(study.name));
  text += "  \"problems\": [\n";
  if (dumps)
    text +=
        "    // FCLib dumps, or patterns of dumps such as \"./dumps/*.hdf5\": absolute, with ./ or ../ from the folder of "
        "this\n"
        "    // file, or else below the folder of --fclib\n";
  text += join(made.problems, ",\n") + "\n  ],\n";
  text += "  // ccp: convex, associated friction; ncp: Signorini and Coulomb. Solvers of ccp reach ncp by a fixed point.\n";
  text += fmt::format("  \"model\": {},\n", dump_json(Json(chosen_models(study, made.solvers))));
  text += "  \"solvers\": [\n" + join(entries, ",\n") + "\n  ],\n";
  text += "  // Solved when the measure is at or below the tolerance; measures: ccpbench list measures. Times in s.\n";
  text += fmt::format(
      "  \"stop\": {{ \"measure\": \"{}\", \"tolerance\": {}, \"max_iterations\": {}, \"time_limit_s\": {} }}\n",
      measure_info(stop.measure).name, format_double(stop.tolerance), stop.max_iterations, format_double(stop.time_limit_s));
  if (study.wall_s) text += fmt::format("  , \"limits\": {{ \"wall_s\": {} }}\n", format_double(*study.wall_s));
  text += "  // A sweep runs all combinations of values; lists under \"zip\" go hand in hand:\n";
  text += study.perturb.empty() ? "  //   , \"sweep\": { \"/stop/tolerance\": [ 1e-4, 1e-8 ] }\n"
                                : "  //   , \"sweep\": { \"/problems/0/perturb/seed\": [ 1, 2, 3 ] }\n";
  return text + "}\n";
}

}  // namespace

StudyConfig make_study(const Study& study, const std::string& out) {
  Mistakes mistakes, of_config;
  const Entries entries = read_entries(study, out, mistakes);
  mistakes.raise();
  StudyConfig made{config_text(study, entries, out), {}, {}};
  made.config = parse_config(made.text, out, catalog(), {}, of_config);
  look_for_files(made.config, {}, of_config);
  add_of_arguments(of_config, study, entries, mistakes);
  mistakes.raise();
  made.plan = make_plan(made.config, {"", 1});
  return made;
}

}  // namespace ccp::cli
