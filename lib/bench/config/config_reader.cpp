#include "bench/config/config_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"
#include "core/text.hpp"

namespace ccp {
namespace {

FieldValue field_value(const Json& value, const std::string& name, const std::string& pointer, const JsonSource& source) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX))
    return value.get<double>();
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (value.is_number()) return value.get<double>();
  source.fail(pointer, fmt::format("'{}' is {}, expected a flag, a number or a text", name, json_type_name(value)));
}

/// Puts the JSON object of parameters into the table of a scene or solver and returns all its values.
Parameters read_parameters(const Json& entry, FieldTable& table, const std::string& pointer, const JsonSource& source) {
  if (const auto found = entry.find("parameters"); found != entry.end()) {
    for (const auto& [name, item] : found->items()) {
      const std::string place = child_pointer(child_pointer(pointer, "parameters"), name);
      const FieldValue value = field_value(item, name, place, source);
      if (const auto defect = table.check(name, value)) source.fail(place, *defect);
      table.set(name, value);
    }
  }
  return table.values();
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

StopRule read_stop(const Json& entry) {
  StopRule stop;
  if (entry.contains("measure")) stop.measure = *measure_from_name(entry["measure"].get<std::string>());
  stop.tolerance = entry.value("tolerance", stop.tolerance);
  stop.native = entry.value("native", stop.native);
  stop.max_iterations = entry.value("max_iterations", stop.max_iterations);
  stop.time_limit_s = entry.value("time_limit_s", stop.time_limit_s);
  return stop;
}

Limits read_limits(const Json& entry) {
  Limits limits;
  limits.wall_s = entry.value("wall_s", limits.wall_s);
  limits.memory_mb = entry.value("memory_mb", limits.memory_mb);
  return limits;
}

const std::vector<Measure>& default_trace() {
  static const std::vector<Measure> measures = {
      Measure::velocity_residual,    Measure::relative_residual, Measure::natural_map,    Measure::objective,
      Measure::penetration_velocity, Measure::cone_violation,    Measure::complementarity};
  return measures;
}

/// " (rho=0.1, n=2)" of the swept values below `owner`; with an empty owner of those that belong to no problem and no
/// solver. A swept model shows in the results anyway.
std::string label_suffix(const std::vector<SweptValue>& swept, const std::string& owner) {
  std::vector<std::string> parts;
  for (const SweptValue& value : swept) {
    const bool entry = value.pointer.rfind("/problems/", 0) == 0 || value.pointer.rfind("/solvers/", 0) == 0;
    const bool own = owner.empty() ? !entry && value.pointer.rfind("/model", 0) != 0
                                   : value.pointer == owner || value.pointer.rfind(owner + "/", 0) == 0;
    if (own) parts.push_back(value.pointer.substr(value.pointer.rfind('/') + 1) + "=" + value.text);
  }
  return parts.empty() ? "" : " (" + join(parts, ", ") + ")";
}

/// Refuses two entries with the same label.
template <typename Specs>
void check_labels(const Specs& specs, const std::string& list, const JsonSource& source) {
  std::map<std::string, std::size_t> first;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (specs[i]->label.empty()) continue;
    const auto [position, fresh] = first.emplace(specs[i]->label, i);
    if (!fresh)
      source.fail(child_pointer(child_pointer(list, i), "label"),
                  fmt::format("the label '{}' is that of {} already; give one of them another label", specs[i]->label,
                              child_pointer(list, position->second)));
  }
}

}  // namespace

std::shared_ptr<const ProblemSpec> ConfigReader::read_problem(const Json& entry, const std::string& suffix,
                                                              const std::string& pointer, const JsonSource& source) {
  auto& known = problems_[suffix + "\n" + dump_json(entry)];
  if (known) return known;
  const bool scene = entry.contains("scene");
  if (scene == entry.contains("fclib"))
    source.fail(pointer, scene ? "has both 'scene' and 'fclib', expected one of them"
                               : "expected one of the keys 'scene' and 'fclib'");
  ProblemSpec spec;
  spec.label = entry.value("label", scene ? entry["scene"].get<std::string>() : std::string());
  if (scene) {
    spec.scene = entry["scene"].get<std::string>();
    spec.seed = entry.value("seed", std::uint64_t{0});
    const auto made = catalog_.scenes.make(spec.scene);
    spec.parameters = read_parameters(entry, made->parameters(), pointer, source);
    if (const auto defect = made->check()) source.fail(child_pointer(pointer, "parameters"), *defect);
  } else {
    spec.fclib = entry["fclib"].get<std::string>();
    for (const char* key : {"parameters", "seed"})
      if (entry.contains(key))
        source.fail(child_pointer(pointer, key), fmt::format("'{}' belongs to a scene, not to FCLib files", key));
  }
  if (entry.contains("perturb")) {
    const Json& perturb = entry["perturb"];
    spec.perturbation.noise = perturb.value("noise", 0.0);
    spec.perturbation.b_noise = perturb.value("b_noise", 0.0);
    spec.perturbation.friction_factor = perturb.value("friction_factor", 1.0);
    spec.perturbation.seed = perturb.value("seed", std::uint64_t{0});
  }
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
  spec.version = made->version();
  spec.parameters = read_parameters(entry, made->settings(), pointer, source);
  if (entry.contains("models")) spec.models = read_models(entry["models"]);
  spec.start_from_reference = entry.contains("start") && entry["start"]["from"] == "reference";
  if (entry.contains("threads")) spec.threads = entry["threads"].get<int>();
  spec.base_label = entry.value("label", spec.solver);
  spec.label = spec.base_label + suffix;
  return known = std::make_shared<const SolverSpec>(std::move(spec));
}

ConfigVariant ConfigReader::read_variant(const Json& document, std::vector<SweptValue> swept, const JsonSource& source) {
  for (const char* key : {"problems", "model", "solvers", "stop", "limits", "trace"})
    if (document.contains(key)) keys_.check_value(document[key], keys_.key("config", key), child_pointer("", key), source);

  ConfigVariant variant;
  const Json& problems = document["problems"];
  for (std::size_t i = 0; i < problems.size(); ++i) {
    const std::string pointer = child_pointer("/problems", i);
    variant.problems.push_back(read_problem(problems[i], label_suffix(swept, pointer), pointer, source));
  }
  const Json& solvers = document["solvers"];
  const std::string common = label_suffix(swept, "");
  for (std::size_t i = 0; i < solvers.size(); ++i) {
    const std::string pointer = child_pointer("/solvers", i);
    variant.solvers.push_back(read_solver(solvers[i], label_suffix(swept, pointer) + common, pointer, source));
  }
  check_labels(variant.problems, "/problems", source);
  check_labels(variant.solvers, "/solvers", source);

  variant.models = document.contains("model") ? read_models(document["model"]) : std::vector<Model>{Model::ccp};
  if (document.contains("stop")) variant.stop = read_stop(document["stop"]);
  if (document.contains("limits")) variant.limits = read_limits(document["limits"]);
  variant.trace = default_trace();
  if (document.contains("trace")) {
    variant.trace.clear();
    for (const std::string& name : one_or_list(document["trace"])) variant.trace.push_back(*measure_from_name(name));
  }
  variant.swept = std::move(swept);
  return variant;
}

}  // namespace ccp
