#include "bench/config/config_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/config/sequence_reader.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "peers/peer_solver.hpp"

namespace ccp {
namespace {

std::string expected_of(const Field& field) {
  switch (field.type) {
    case FieldType::flag: return "true or false";
    case FieldType::integer: return "a whole number";
    case FieldType::real: return "a number";
    case FieldType::choice: break;
  }
  return "one of " + join(field.choices, ", ");
}

FieldValue field_value(const Json& value, const Field& field, const std::string& pointer, const JsonSource& source) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX))
    return value.get<double>();
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (value.is_number()) return value.get<double>();
  source.fail(pointer, fmt::format("'{}' is {}, expected {}{}", field.name, json_type_name(value), expected_of(field),
                                   value.is_array() ? "; a list of values belongs to 'sweep'" : ""));
}

/// What does not fit together, with a word on those of these parameters that the entry does not give.
std::string with_defaults(const std::string& defect, const Json& entry, const FieldTable& table) {
  const Json given = entry.value("parameters", Json::object());
  std::vector<std::string> defaults;
  for (const std::string& name : table.names())
    if (defect.find("'" + name + "'") != std::string::npos && !given.contains(name)) defaults.push_back("'" + name + "'");
  if (defaults.empty()) return defect;
  return fmt::format("{} ({} {} default)", defect, join(defaults, " and "), defaults.size() == 1 ? "has its" : "have their");
}

std::vector<std::string> one_or_list(const Json& value) {
  if (value.is_array()) return value.get<std::vector<std::string>>();
  return {value.get<std::string>()};
}

std::vector<Model> read_models(const Json& value) {
  std::vector<Model> models;
  for (const std::string& name : one_or_list(value)) models.push_back(*model_from_name(name));
  return models;
}

StopRule read_stop(const Json& entry, const Shape& shape) {
  return {*measure_from_name(shape.value<std::string>(entry, "measure")), shape.value<double>(entry, "tolerance"),
          shape.value<bool>(entry, "native"), shape.value<int>(entry, "max_iterations"),
          shape.value<double>(entry, "time_limit_s")};
}

Limits read_limits(const Json& entry, const Shape& shape) {
  return {shape.value<double>(entry, "wall_s"), shape.value<double>(entry, "memory_mb")};
}

Perturbation read_perturbation(const Json& entry, const Shape& shape) {
  return {shape.value<double>(entry, "noise"), shape.value<double>(entry, "friction_factor"),
          shape.value<std::uint64_t>(entry, "seed"), shape.value<double>(entry, "b_noise")};
}

void read_start(const Json& entry, const std::string& pointer, const JsonSource& source, const Shape& shape,
                SolverSpec& spec) {
  const auto from = shape.value<std::string>(entry, "from");
  spec.start_from_reference = from == "reference";
  const auto match = shape.value<std::string>(entry, "match");
  if (from == "previous")
    spec.start_from_previous =
        static_cast<StartMatch>(std::find(start_matches.begin(), start_matches.end(), match) - start_matches.begin());
  else if (entry.is_object() && entry.contains("match"))
    source.fail(child_pointer(pointer, "match"), "'match' belongs to \"from\": \"previous\"");
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

}  // namespace

Parameters read_parameters(const Json& entry, FieldTable& table, const std::string& pointer, const JsonSource& source) {
  if (const auto found = entry.find("parameters"); found != entry.end()) {
    Checks check(source.mistakes);
    for (const auto& item : found->items())
      check([&] {
        const std::string place = child_pointer(child_pointer(pointer, "parameters"), item.key());
        const Field* field = table.find(item.key());
        if (field == nullptr) source.fail(place, *table.check(item.key(), false));
        const FieldValue value = field_value(item.value(), *field, place, source);
        if (const auto defect = table.check(item.key(), value)) source.fail(place, *defect);
        table.set(item.key(), value);
      });
    check.finish();
  }
  return table.values();
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
    const auto look = [&](const FieldTable& table) { known = table.find(tokens[3]) != nullptr; };
    if (named_in(entry, "solver", catalog.solver_names))
      look(catalog.make_solver(entry["solver"].get<std::string>())->settings());
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

std::shared_ptr<const ProblemSpec> ConfigReader::read_problem(const Json& entry, const std::string& suffix,
                                                              const std::string& pointer, const JsonSource& source) {
  auto& known = problems_[suffix + "\n" + dump_json(entry)];
  if (known) return known;
  const bool scene = entry.contains("scene");
  if (scene == entry.contains("fclib"))
    source.fail(pointer, scene ? "has both 'scene' and 'fclib', expected one of them"
                               : "expected one of the keys 'scene' and 'fclib'");
  Checks check(source.mistakes);
  ProblemSpec spec;
  spec.label = entry.value("label", scene ? entry["scene"].get<std::string>() : std::string());
  if (scene) {
    spec.scene = entry["scene"].get<std::string>();
    spec.seed = keys_.shape("problem").value<std::uint64_t>(entry, "seed");
    const auto made = catalog_.scenes.make(spec.scene);
    const bool built = check([&] {
      spec.parameters = read_parameters(entry, made->parameters(), pointer, source);
      if (const auto defect = made->check())
        source.fail(child_pointer(pointer, "parameters"), with_defaults(*defect, entry, made->parameters()));
    });
    if (built && entry.contains("sequence"))
      check([&] {
        spec.sequence = read_sequence(entry["sequence"], *made, spec.seed, catalog_, keys_,
                                      child_pointer(pointer, "sequence"), source, of_results_);
      });
  } else {
    spec.fclib = entry["fclib"].get<std::string>();
    for (const char* key : {"parameters", "seed", "sequence"})
      if (entry.contains(key))
        check([&] {
          source.fail(child_pointer(pointer, key), fmt::format("'{}' belongs to a scene, not to FCLib files", key));
        });
  }
  spec.perturbation = read_perturbation(entry.value("perturb", Json()), keys_.shape("perturb"));
  if (spec.sequence && entry.contains("perturb"))
    check([&] { source.fail(child_pointer(pointer, "perturb"), "has a 'sequence', whose problems have no neighbours"); });
  check.finish();
  spec.base_label = spec.label;
  (spec.label.empty() ? spec.file_suffix : spec.label) += suffix;
  return known = std::make_shared<const ProblemSpec>(std::move(spec));
}

std::shared_ptr<const SolverSpec> ConfigReader::read_solver(const Json& entry, const std::string& suffix,
                                                            const std::string& pointer, const JsonSource& source) {
  auto& known = solvers_[suffix + "\n" + dump_json(entry)];
  if (known) return known;
  SolverSpec spec;
  spec.solver = entry["solver"].get<std::string>();
  const auto made = catalog_.make_solver(spec.solver);
  if (const PeerSolver* peer = as_peer(*made)) spec.peer_version = peer->version();
  spec.school = school_of(*made);
  Checks check(source.mistakes);
  check([&] { spec.parameters = read_parameters(entry, made->settings(), pointer, source); });
  if (entry.contains("models")) spec.models = read_models(entry["models"]);
  check([&] {
    read_start(entry.value("start", Json()), child_pointer(pointer, "start"), source, keys_.shape("start"), spec);
  });
  check.finish();
  if (entry.contains("native_stop")) spec.native_stop = entry["native_stop"].get<bool>();
  if (entry.contains("threads")) spec.threads = entry["threads"].get<int>();
  spec.base_label = entry.value("label", spec.solver);
  spec.label = spec.base_label + suffix;
  return known = std::make_shared<const SolverSpec>(std::move(spec));
}

void ConfigReader::check_parameters(const Json& entry, const std::string& pointer, const JsonSource& source) const {
  if (!entry.is_object() || !entry.value("parameters", Json()).is_object()) return;
  if (named_in(entry, "scene", catalog_.scenes.names))
    read_parameters(entry, catalog_.scenes.make(entry["scene"].get<std::string>())->parameters(), pointer, source);
  if (named_in(entry, "solver", catalog_.solver_names))
    read_parameters(entry, catalog_.make_solver(entry["solver"].get<std::string>())->settings(), pointer, source);
}

std::shared_ptr<const ProblemSpec> ConfigReader::outline_problem(const Json& entry, const std::string& suffix) {
  ProblemSpec spec;
  spec.outline = true;
  const auto text = [&entry](const char* key) {
    return entry.is_object() && entry.contains(key) && entry[key].is_string() ? entry[key].get<std::string>() : "";
  };
  spec.base_label = text("label");
  spec.fclib = text("fclib");
  if (spec.base_label.empty() && named_in(entry, "scene", catalog_.scenes.names)) spec.base_label = text("scene");
  known_.problems = known_.problems && !(spec.base_label.empty() && spec.fclib.empty());
  known_.facts = known_.facts && entry.is_object() && !entry.contains("sequence");
  spec.label = spec.base_label.empty() ? "" : spec.base_label + suffix;
  return std::make_shared<const ProblemSpec>(std::move(spec));
}

std::shared_ptr<const SolverSpec> ConfigReader::outline_solver(const Json& entry, const std::string& suffix) {
  SolverSpec spec;
  spec.outline = true;
  if (named_in(entry, "solver", catalog_.solver_names)) spec.solver = entry["solver"].get<std::string>();
  const bool named = entry.is_object() && entry.contains("label") && entry["label"].is_string();
  spec.base_label = named ? entry["label"].get<std::string>() : spec.solver;
  known_.solvers = known_.solvers && !spec.base_label.empty();
  known_.columns = known_.columns && !spec.solver.empty();
  spec.label = spec.base_label.empty() ? "" : spec.base_label + suffix;
  return std::make_shared<const SolverSpec>(std::move(spec));
}

void ConfigReader::read_entries(const Json& document, bool formed, ConfigVariant& variant, const JsonSource& source) {
  Checks check(source.mistakes);
  const auto each = [&](const char* list, const char* entry_shape, const auto& read, const auto& outline) {
    if (!document.contains(list) || !document[list].is_array()) return false;
    for (std::size_t i = 0; i < document[list].size(); ++i) {
      const Json& entry = document[list][i];
      const std::string pointer = child_pointer(child_pointer("", list), i);
      const bool entry_formed = formed || keys_.is_sound(entry, entry_shape);
      const bool sound = check([&] {
        if (entry_formed)
          read(entry, pointer);
        else
          check_parameters(entry, pointer, source);
      });
      if (!sound || !entry_formed) outline(entry, pointer);
    }
    return !document[list].empty();
  };
  const bool problems = each(
      "problems", "problem",
      [&](const Json& entry, const std::string& pointer) {
        variant.problems.push_back(read_problem(entry, label_suffix(variant.swept, pointer), pointer, source));
      },
      [&](const Json& entry, const std::string& pointer) {
        variant.problems.push_back(outline_problem(entry, label_suffix(variant.swept, pointer)));
      });
  const std::string common = label_suffix(variant.swept, "");
  const bool solvers = each(
      "solvers", "solver",
      [&](const Json& entry, const std::string& pointer) {
        variant.solvers.push_back(read_solver(entry, label_suffix(variant.swept, pointer) + common, pointer, source));
      },
      [&](const Json& entry, const std::string& pointer) {
        variant.solvers.push_back(outline_solver(entry, label_suffix(variant.swept, pointer) + common));
      });
  if (!problems) known_.problems = known_.facts = false;
  if (!solvers) known_.solvers = known_.columns = false;
  check.finish();
}

void ConfigReader::read_variant(const Json& document, std::vector<SweptValue> swept,
                                const std::vector<std::string>& left_out, const JsonSource& source,
                                std::vector<ConfigVariant>& variants) {
  ConfigVariant& variant = variants.emplace_back();
  variant.swept = std::move(swept);
  const Shape& shape = keys_.shape("config");
  Checks check(source.mistakes);
  for (const std::string& key : swept_keys)
    if (document.contains(key))
      check([&] { keys_.check_value(document[key], shape.key(key), child_pointer("", key), source); });
  const bool formed = check.sound();
  check([&] { read_entries(document, formed, variant, source); });
  check([&] { check_labels(variant.problems, "/problems", left_out, source); });
  check([&] { check_labels(variant.solvers, "/solvers", left_out, source); });
  if (formed) {
    variant.models = read_models(shape.value<Json>(document, "model"));
    variant.stop = read_stop(shape.value<Json>(document, "stop"), keys_.shape("stop"));
    variant.limits = read_limits(shape.value<Json>(document, "limits"), keys_.shape("limits"));
    for (const std::string& name : one_or_list(shape.value<Json>(document, "trace")))
      variant.trace.push_back(*measure_from_name(name));
  }
  check([&] { check_sequences(variant, catalog_, source); });
  check.finish();
}

}  // namespace ccp
