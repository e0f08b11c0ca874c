#include "bench/config/config_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/config/config_tables.hpp"
#include "bench/config/external_paths.hpp"
#include "bench/config/field_reader.hpp"
#include "bench/config/sequence_reader.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "peers/external/external_name.hpp"
#include "peers/external/external_solver.hpp"

namespace ccp {
namespace {

/// What does not fit together, with a word on those of these parameters that the entry does not give.
std::string with_defaults(const std::string& defect, const Json& entry, const FieldTable& table) {
  const Json given = entry.value("parameters", Json::object());
  std::vector<std::string> defaults;
  for (const std::string& name : table.names())
    if (defect.find("'" + name + "'") != std::string::npos && !given.contains(name)) defaults.push_back("'" + name + "'");
  if (defaults.empty()) return defect;
  return fmt::format("{} ({} {} default)", defect, join(defaults, " and "), defaults.size() == 1 ? "has its" : "have their");
}

/// " (rho=0.1, n=2)" of the swept values below `owner`; with an empty owner of those that belong to no problem and no
/// solver. A swept model shows in the results anyway.
std::string label_suffix(const std::vector<SweptValue>& swept, const std::string& owner) {
  std::vector<std::string> parts;
  for (const SweptValue& value : swept) {
    const bool entry = value.pointer.rfind("/problems/", 0) == 0 || value.pointer.rfind("/solvers/", 0) == 0;
    const bool own = owner.empty() ? !entry && value.pointer.rfind("/model", 0) != 0 : is_below(value.pointer, owner);
    if (own) parts.push_back(value.pointer.substr(value.pointer.rfind('/') + 1) + "=" + value.text);
  }
  return parts.empty() ? "" : " (" + join(parts, ", ") + ")";
}

/// Whether an entry has this key, with one of these names.
bool named_in(const Json& entry, const char* key, const std::vector<std::string>& names) {
  if (!entry.is_object() || !entry.contains(key) || !entry[key].is_string()) return false;
  return std::find(names.begin(), names.end(), entry[key].get<std::string>()) != names.end();
}

/// The label of an entry that has one, else its solver, scene or files.
std::string name_of(const Json& entry) {
  for (const char* key : {"label", "solver", "scene", "fclib"})
    if (entry.contains(key) && entry[key].is_string()) return entry[key].get<std::string>();
  return "an entry without a name";
}

/// Refuses two entries with the same label. left_out: pointers without their swept values, which make labels of their own.
template <typename Specs>
void check_labels(const Specs& specs, const std::string& list, const std::vector<std::string>& left_out,
                  const JsonSource& source) {
  std::map<std::string, std::size_t> first;
  Checks check(source.mistakes);
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const bool unsure = std::any_of(left_out.begin(), left_out.end(),
                                    [&](const std::string& pointer) { return is_below(pointer, child_pointer(list, i)); });
    if (specs[i]->label.empty() || unsure) continue;
    const auto position = first.emplace(specs[i]->label, i).first;
    if (position->second != i)
      check([&] {
        source.fail(child_pointer(child_pointer(list, i), "label"),
                    fmt::format("the label '{}' is that of {} already, expected another label", specs[i]->label,
                                child_pointer(list, position->second)));
      });
  }
  check.finish();
}

void read_start(const Json& entry, const std::string& pointer, const JsonSource& source, SolverSpec& spec) {
  Start start;
  read_fields(entry, start_fields(start), pointer, source);
  spec.start_from_reference = start.from == "reference";
  if (start.from == "previous")
    spec.start_from_previous = start.match;
  else if (entry.contains("match"))
    source.fail(child_pointer(pointer, "match"), "'match' belongs to \"from\": \"previous\"");
}

void add_suffix(ProblemSpec& spec, const std::string& suffix) {
  spec.base_label = spec.label;
  (spec.label.empty() ? spec.file_suffix : spec.label) += suffix;
}

void add_suffix(SolverSpec& spec, const std::string& suffix) {
  spec.base_label = spec.label;
  if (!spec.label.empty()) spec.label += suffix;
}

}  // namespace

Parameters read_parameters(const Json& entry, const FieldTable& table, const std::string& pointer,
                           const JsonSource& source) {
  if (const auto found = entry.find("parameters"); found != entry.end() && found->is_object())
    read_fields(*found, table, child_pointer(pointer, "parameters"), source);
  return table.values();
}

Parameters read_settings(const Json& entry, Solver& solver, const std::string& pointer, const JsonSource& source) {
  const bool external = as_external(solver) != nullptr, any = solver.settings().takes_any();
  Parameters values = any ? Parameters() : read_parameters(entry, solver.settings(), pointer, source);
  if (!external) return values;
  values.clear();
  if (const auto found = entry.find("parameters"); found != entry.end() && found->is_object())
    for (const auto& [name, value] : found->items())
      values.emplace_back(name, read_any(value, child_pointer(child_pointer(pointer, "parameters"), name), source));
  std::sort(values.begin(), values.end());
  return values;
}

void check_common_parameter(const Json& document, const std::string& pointer, const Catalog& catalog,
                            const JsonSource& source, const std::string& place) {
  const std::vector<std::string> tokens = pointer_tokens(pointer, source, place);
  if (tokens.size() != 4 || tokens[1] != "*" || tokens[2] != "parameters") return;
  if (!document.contains(tokens[0]) || !document[tokens[0]].is_array()) return;
  std::vector<std::string> lacking, having;
  for (std::size_t i = 0; i < document[tokens[0]].size(); ++i) {
    const Json& entry = document[tokens[0]][i];
    bool known = false;
    const auto look = [&](const FieldTable& table) { known = table.takes_any() || table.find(tokens[3]) != nullptr; };
    if (named_in(entry, "solver", catalog.solver_names) || names_external(entry))
      look(catalog.make_solver(located_solver(entry["solver"].get<std::string>(), true, place, source))->settings());
    else if (named_in(entry, "scene", catalog.scenes.names))
      look(catalog.scenes.make(entry["scene"].get<std::string>())->parameters());
    else if (!entry.is_object() || !entry.contains("fclib"))
      continue;  // another mistake
    if (known)
      having.push_back(fmt::format("/{}/{}/parameters/{}", tokens[0], i, tokens[3]));
    else
      lacking.push_back(name_of(entry));
  }
  if (lacking.empty()) return;
  source.fail(place, fmt::format("'{}' is no parameter of {}, expected one that all {} have{}", tokens[3],
                                 join(lacking, ", "), tokens[0], having.empty() ? "" : "; it is at " + join(having, ", ")));
}

void ConfigReader::read(ProblemSpec& spec, const Json& entry, const std::string& pointer, const JsonSource& source) const {
  Checks check(source.mistakes);
  const bool formed = check([&] { read_fields(entry, problem_fields(spec, catalog_), pointer, source); });
  if (!entry.contains("label")) spec.label = spec.scene;
  const bool scene = !spec.scene.empty();
  if (formed && scene != spec.fclib.empty())
    source.fail(pointer, scene ? "has both 'scene' and 'fclib', expected one of them"
                               : "expected one of the keys 'scene' and 'fclib'");
  if (scene) {
    const auto made = catalog_.scenes.make(spec.scene);
    const bool built = check([&] {
      spec.parameters = read_parameters(entry, made->parameters(), pointer, source);
      if (const auto defect = formed ? made->check() : std::nullopt)
        source.fail(child_pointer(pointer, "parameters"), with_defaults(*defect, entry, made->parameters()));
    });
    if (formed && built && spec.sequence)
      check([&] {
        finish_sequence(*spec.sequence, entry["sequence"], *made, spec.seed, catalog_, child_pointer(pointer, "sequence"),
                        source, of_results_);
      });
  } else if (formed) {
    for (const char* key : {"parameters", "seed", "sequence"})
      if (entry.contains(key))
        check([&] {
          source.fail(child_pointer(pointer, key), fmt::format("'{}' belongs to a scene, not to FCLib files", key));
        });
  }
  if (formed && scene && spec.sequence && entry.contains("perturb"))
    check([&] { source.fail(child_pointer(pointer, "perturb"), "has a 'sequence', whose problems have no neighbours"); });
  check.finish();
}

void ConfigReader::read(SolverSpec& spec, const Json& entry, const std::string& pointer, const JsonSource& source) const {
  Checks check(source.mistakes);
  check([&] { read_fields(entry, solver_fields(spec, catalog_), pointer, source); });
  const bool located =
      check([&] { spec.solver = located_solver(spec.solver, of_results_, child_pointer(pointer, "solver"), source); });
  if (!entry.contains("label")) spec.label = is_external_name(spec.solver) ? external_label(spec.solver) : spec.solver;
  if (located && !spec.solver.empty()) {
    const auto made = catalog_.make_solver(spec.solver);
    if (const PeerSolver* peer = as_peer(*made)) spec.peer_version = peer->version();
    spec.school = school_of(*made);
    check([&] { spec.parameters = read_settings(entry, *made, pointer, source); });
  }
  if (entry.is_object() && entry.contains("start") && entry["start"].is_object())
    check([&] { read_start(entry["start"], child_pointer(pointer, "start"), source, spec); });
  check.finish();
}

template <typename Spec>
std::vector<std::shared_ptr<const Spec>> ConfigReader::read_entries(const Json& document, const std::string& list,
                                                                    Entries<Spec>& entries,
                                                                    const std::vector<SweptValue>& swept,
                                                                    const std::string& common, const JsonSource& source) {
  std::vector<std::shared_ptr<const Spec>> specs;
  if (!document.contains(list) || !document[list].is_array()) return specs;
  for (std::size_t i = 0; i < document[list].size(); ++i) {
    const Json& entry = document[list][i];
    const std::string pointer = child_pointer("/" + list, i), key = pointer + "\n" + dump_json(entry);
    const auto [found, fresh] = entries.read.try_emplace(key);
    Spec& spec = found->second;
    if (fresh) spec.outline = !Checks(source.mistakes)([&] { read(spec, entry, pointer, source); });
    const std::string suffix = label_suffix(swept, pointer) + common;
    auto& labelled = entries.labelled[key + "\n" + suffix];
    if (!labelled) {
      Spec own = spec;
      add_suffix(own, suffix);
      labelled = std::make_shared<const Spec>(std::move(own));
    }
    specs.push_back(labelled);
  }
  return specs;
}

void ConfigReader::read_variant(const Json& document, std::vector<SweptValue> swept,
                                const std::vector<std::string>& left_out, const JsonSource& source,
                                std::vector<ConfigVariant>& variants) {
  ConfigVariant& variant = variants.emplace_back();
  variant.swept = std::move(swept);
  Config unused;
  const FieldTable fields = config_fields(unused, variant);
  Checks check(source.mistakes);
  for (const std::string& key : swept_keys)
    if (document.contains(key)) check([&] { read_field(document[key], *fields.find(key), "/" + key, source); });
  variant.problems = read_entries(document, "problems", problems_, variant.swept, "", source);
  variant.solvers = read_entries(document, "solvers", solvers_, variant.swept, label_suffix(variant.swept, ""), source);
  JsonSource whole = source;
  whole.varied.clear();
  check([&] { check_labels(variant.problems, "/problems", left_out, whole); });
  check([&] { check_labels(variant.solvers, "/solvers", left_out, whole); });
  check([&] { check_sequences(variant, catalog_, whole); });
  check.finish();
}

Known known_of(const std::vector<ConfigVariant>& variants) {
  Known known;
  known.problems = known.solvers = known.columns = known.facts = !variants.empty();
  for (const ConfigVariant& variant : variants) {
    if (variant.problems.empty()) known.problems = known.facts = false;
    if (variant.solvers.empty()) known.solvers = known.columns = false;
    for (const auto& spec : variant.problems) {
      if (!spec->outline) continue;
      const bool named = !spec->label.empty() || !spec->fclib.empty();
      known.problems = known.problems && named;
      known.facts = known.facts && named && !spec->sequence;
    }
    for (const auto& spec : variant.solvers) {
      if (!spec->outline) continue;
      known.solvers = known.solvers && !spec->label.empty();
      known.columns = known.columns && !spec->solver.empty();
    }
  }
  return known;
}

}  // namespace ccp
