#include "bench/config/config_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "core/text.hpp"
#include "problem/judge/measure.hpp"

namespace ccp {
namespace {

constexpr double largest_seed = 9007199254740992.0;  // 2^53: whole numbers up to here survive every JSON reader

std::vector<std::string> stoppable_measures() {
  std::vector<std::string> names;
  for (const Measure measure : all_measures())
    if (measure_info(measure).stoppable) names.emplace_back(measure_info(measure).name);
  return names;
}

Shape config_shape() {
  return {"config",
          "One experiment",
          {{"name", KeyType::name, "short name: letters, digits, _ and -; the folder of the results", true},
           {"title", KeyType::text, "one line for tables and plots"},
           {"description", KeyType::text, "what the experiment shows"},
           {"problems", KeyType::objects, "what is solved", true, "", {}, {}, "problem"},
           {"model", KeyType::choices, "contact model or both; default ccp", false, "", {}, {"ccp", "ncp"}},
           {"solvers", KeyType::objects, "what solves it", true, "", {}, {}, "solver"},
           {"stop", KeyType::object, "when a run ends", false, "", {}, {}, "stop"},
           {"limits", KeyType::object, "limits of one cell, enforced from outside", false, "", {}, {}, "limits"},
           {"trace", KeyType::choices, "measures written for every iteration", false, "", {}, measure_names()},
           {"kernels", KeyType::flag,
            "time products and projections, by themselves and between the iterations of the runs; default false"},
           {"sweep", KeyType::table, "JSON pointer -> list of values; lists multiply, those inside \"zip\" are paired"},
           {"sizes", KeyType::object, "changes for --size", false, "", {}, {}, "sizes"},
           {"claims", KeyType::objects, "statements of the paper as bounds on results", false, "", {}, {}, "claim"},
           {"plots", KeyType::objects, "pictures to draw", false, "", {}, {}, "plot"}}};
}

const Range decades = Range::closed(1e-12, 1e-2);

Shape claim_shape() {
  Shape shape{"claim",
              "A statement as a bound on results",
              {{"id", KeyType::name, "name of the claim, unique in the config", true},
               {"must", KeyType::flag, "whether a miss fails the command claims; default false"},
               {"says", KeyType::text, "what the paper says", true},
               {"where", KeyType::text, "where it says so"},
               {"metric", KeyType::choice, "what is bounded", true, "", {}, claim_metrics()},
               {"at", KeyType::number, "a power of ten, for the metrics that end in _to", false, "", decades},
               {"of", KeyType::text, "label of a solver, or a shell pattern", true},
               {"problem", KeyType::text, "label of a problem, or a shell pattern; default: each"},
               {"model", KeyType::choice, "contact model; default: each", false, "", {}, {"ccp", "ncp"}},
               {"over", KeyType::choice, "how several cells are judged; default each", false, "", {}, claim_overs()},
               {"against", KeyType::text, "for the slope: contacts, rows or a swept JSON pointer"},
               {"cells", KeyType::table, "swept JSON pointer -> value or list of values: only these cells"}}};
  for (const std::string& relation : claim_relations())
    shape.keys.push_back(
        {relation, KeyType::bound, "the bound; exactly one of the four is given", false, "", {}, {}, "claim_reference"});
  return shape;
}

Shape claim_reference_shape() {
  return {"claim_reference",
          "A result as the bound; missing keys are those of the claim",
          {{"of", KeyType::text, "label of a solver, or a shell pattern"},
           {"metric", KeyType::choice, "what it is compared with", false, "", {}, claim_metrics()},
           {"at", KeyType::number, "a power of ten, for the metrics that end in _to", false, "", decades},
           {"problem", KeyType::text, "label of a problem, or a shell pattern; default: the same problem"},
           {"times", KeyType::number, "factor on the result; default 1", false, "", Range::positive()}}};
}

/// A text of the config that has to be one of `choices`; unknown ones get the nearest.
void check_choice(const Json& value, const Key& key, const std::string& pointer, const JsonSource& source) {
  if (!value.is_string())
    source.fail(pointer,
                fmt::format("'{}' is {}, expected a text: {}", key.name, json_type_name(value), join(key.choices, ", ")));
  const auto name = value.get<std::string>();
  if (std::find(key.choices.begin(), key.choices.end(), name) == key.choices.end())
    source.fail(pointer, fmt::format("unknown {} '{}'{}", key.name, json_text(value), suggestion(name, key.choices)));
}

void check_choices(const Json& value, const Key& key, const std::string& pointer, const JsonSource& source) {
  if (!value.is_array()) return check_choice(value, key, pointer, source);
  if (value.empty())
    source.fail(pointer,
                fmt::format("'{}' is an empty list, expected at least one of {}", key.name, join(key.choices, ", ")));
  for (std::size_t i = 0; i < value.size(); ++i) {
    check_choice(value[i], key, child_pointer(pointer, i), source);
    for (std::size_t j = 0; j < i; ++j)
      if (value[j] == value[i])
        source.fail(child_pointer(pointer, i), fmt::format("'{}' stands twice in the list", json_text(value[i])));
  }
}

void check_number(const Json& value, const Key& key, const std::string& pointer, const JsonSource& source) {
  const bool whole = key.type == KeyType::integer;
  if (whole ? !value.is_number_integer() : !value.is_number())
    source.fail(pointer, fmt::format("'{}' is {} ({}), expected {}", key.name, json_text(value), json_type_name(value),
                                     whole ? "a whole number" : "a number"));
  const double number = value.get<double>();
  const std::string range = key.range.text();
  if (!std::isfinite(number) || !key.range.contains(number))
    source.fail(pointer, fmt::format("'{}' is {}, expected a value {}{}", key.name, json_text(value), range,
                                     key.unit.empty() ? "" : " " + key.unit));
}

void check_text(const Json& value, const Key& key, const std::string& pointer, const JsonSource& source) {
  if (!value.is_string()) source.fail(pointer, fmt::format("'{}' is {}, expected a text", key.name, json_type_name(value)));
  const auto text = value.get<std::string>();
  if (text.empty()) source.fail(pointer, fmt::format("'{}' is empty", key.name));
  if (std::any_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }))
    source.fail(pointer, fmt::format("'{}' holds a line break or another control character", key.name));
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  if (key.type == KeyType::name && !std::all_of(text.begin(), text.end(), allowed))
    source.fail(pointer, fmt::format("'{}' is '{}', expected letters, digits, _ and - only", key.name, json_text(value)));
  if (key.type == KeyType::name && text.size() > 100)
    source.fail(pointer, fmt::format("'{}' has {} characters, expected at most 100", key.name, text.size()));
}

}  // namespace

ConfigKeys::ConfigKeys(const Catalog& catalog) {
  const std::string problem_label = "name in results; default: the scene's name, or the path of the file";
  shapes_ = {
      config_shape(),
      {"problem",
       "A scene, or FCLib files",
       {{"scene", KeyType::choice, "generator of the problem", false, "", {}, catalog.scenes.names},
        {"parameters", KeyType::table, "of the scene"},
        {"seed", KeyType::integer, "of the scene's random numbers; default 0", false, "", Range::closed(0.0, largest_seed)},
        {"fclib", KeyType::text, "pattern of FCLib files below the folder of --fclib; * also matches /"},
        {"perturb", KeyType::object, "solve a neighbour of the problem instead", false, "", {}, {}, "perturb"},
        {"label", KeyType::text, problem_label}}},
      {"perturb",
       "A neighbour: r and b with random noise, every mu scaled",
       {{"noise", KeyType::number, "change of the free velocity, relative to it; default 0", false, "",
         Range::non_negative()},
        {"b_noise", KeyType::number, "largest change of an entry of b, relative to it; default 0", false, "",
         Range::closed(0.0, 1.0)},
        {"friction_factor", KeyType::number, "factor of every friction coefficient; default 1", false, "",
         Range::non_negative()},
        {"seed", KeyType::integer, "of the random direction; default 0", false, "", Range::closed(0.0, largest_seed)}}},
      {"solver",
       "A method with its settings",
       {{"solver", KeyType::choice, "the method", true, "", {}, catalog.solver_names},
        {"label", KeyType::text, "name in results; default: the method's name"},
        {"parameters", KeyType::table, "of the method"},
        {"start", KeyType::object, "where its runs start; default: from nothing", false, "", {}, {}, "start"},
        {"threads", KeyType::integer, "threads it may use; default: those of --threads", false, "",
         Range::closed(1.0, 1024.0)},
        {"models",
         KeyType::choices,
         "contact models it is run on; default: all of the config",
         false,
         "",
         {},
         {"ccp", "ncp"}}}},
      {"start",
       "Where the runs of a method start",
       {{"from",
         KeyType::choice,
         "nothing, or the reference solution of the problem without its 'perturb'",
         true,
         "",
         {},
         {"nothing", "reference"}}}},
      {"stop",
       "When a run ends",
       {{"tolerance", KeyType::number, "bound of the stop measure; default 1e-8", false, "", Range::positive()},
        {"measure", KeyType::choice, "stop measure; default relative_residual", false, "", {}, stoppable_measures()},
        {"native", KeyType::flag, "stop on the method's own criterion instead; default false"},
        {"max_iterations", KeyType::integer, "default 1000", false, "", Range::closed(0.0, 2147483647.0)},
        {"time_limit_s", KeyType::number, "solver clock: set-up and iterations, without judging; default 60", false, "s",
         Range::positive()}}},
      {"limits",
       "Limits of one cell, enforced from outside",
       {{"wall_s", KeyType::number, "wall clock of the process; default 600", false, "s", Range::open_closed(0.0, 1e7)},
        {"memory_mb", KeyType::number, "private memory of the process; default 8192", false, "MiB",
         Range::closed(64.0, 1e8)}}},
      {"sizes",
       "Changes of the config for --size: JSON pointer -> value",
       {{"small", KeyType::table, "seconds on two cores"}, {"paper", KeyType::table, "the size of the paper"}}},
      claim_shape(),
      claim_reference_shape(),
      {"plot",
       "A picture",
       {{"kind", KeyType::choice, "what is drawn", true, "", {}, {"convergence", "sweep"}},
        {"x",
         KeyType::choice,
         "column of the trace; default iteration",
         false,
         "",
         {},
         {"iteration", "elapsed_s", "factorizations", "back_solves", "products", "projections"}},
        {"y", KeyType::text, "a measure or a solver's own column of the trace; default relative_residual"},
        {"against", KeyType::text, "for a sweep: contacts, rows or a swept JSON pointer; default contacts"},
        {"metric", KeyType::choice, "for a sweep: what is drawn; default iterations", false, "", {}, claim_metrics()},
        {"at", KeyType::number, "a power of ten, for the metrics that end in _to", false, "", decades},
        {"times", KeyType::text, "for a sweep: a JSON pointer, by whose value the metric is multiplied"},
        {"axes",
         KeyType::choice,
         "for a sweep: which axes are logarithmic; default log: both",
         false,
         "",
         {},
         {"linear", "log_x", "log_y", "log"}},
        {"x_label", KeyType::text, "for a sweep: text of the horizontal axis"},
        {"y_label", KeyType::text, "for a sweep: text of the vertical axis"}}}};
}

const Shape& ConfigKeys::shape(const std::string& name) const {
  for (const Shape& shape : shapes_)
    if (shape.name == name) return shape;
  throw std::logic_error("no shape " + name);
}

const Key& ConfigKeys::key(const std::string& shape_name, const std::string& name) const {
  for (const Key& key : shape(shape_name).keys)
    if (key.name == name) return key;
  throw std::logic_error("no key " + name);
}

void ConfigKeys::check_object(const Json& value, const std::string& shape_name, const std::string& pointer,
                              const JsonSource& source) const {
  const Shape& expected = shape(shape_name);
  if (!value.is_object())
    source.fail(pointer, fmt::format("is {}, expected an object ({})", json_type_name(value), expected.meaning));
  std::vector<std::string> known;
  for (const Key& key : expected.keys) known.push_back(key.name);
  for (const auto& [name, item] : value.items()) {
    const auto position = std::find(known.begin(), known.end(), name);
    if (position == known.end())
      source.fail(child_pointer(pointer, name), fmt::format("unknown key '{}'{}", json_text(name), suggestion(name, known)));
    check_value(item, expected.keys[static_cast<std::size_t>(position - known.begin())], child_pointer(pointer, name),
                source);
  }
  for (const Key& key : expected.keys)
    if (key.required && !value.contains(key.name))
      source.fail(pointer, fmt::format("the key '{}' is missing: {}", key.name, key.meaning));
}

void ConfigKeys::check_value(const Json& value, const Key& key, const std::string& pointer, const JsonSource& source) const {
  switch (key.type) {
    case KeyType::text:
    case KeyType::name: return check_text(value, key, pointer, source);
    case KeyType::flag:
      if (!value.is_boolean())
        source.fail(pointer, fmt::format("'{}' is {}, expected true or false", key.name, json_text(value)));
      return;
    case KeyType::number:
    case KeyType::integer: return check_number(value, key, pointer, source);
    case KeyType::choice: return check_choice(value, key, pointer, source);
    case KeyType::choices: return check_choices(value, key, pointer, source);
    case KeyType::object: return check_object(value, key.shape, pointer, source);
    case KeyType::bound:
      return value.is_object() ? check_object(value, key.shape, pointer, source) : check_number(value, key, pointer, source);
    case KeyType::objects:
      if (!value.is_array())
        source.fail(pointer, fmt::format("'{}' is {}, expected a list", key.name, json_type_name(value)));
      if (value.empty()) source.fail(pointer, fmt::format("'{}' is an empty list, expected at least one entry", key.name));
      for (std::size_t i = 0; i < value.size(); ++i) check_object(value[i], key.shape, child_pointer(pointer, i), source);
      return;
    case KeyType::table:
      if (!value.is_object())
        source.fail(pointer, fmt::format("'{}' is {}, expected an object", key.name, json_type_name(value)));
      if (value.empty() && key.name == "sweep")
        source.fail(pointer, "'sweep' is empty, expected JSON pointers with lists of values");
      return;
  }
}

bool metric_takes_decade(const std::string& metric) {
  return metric.size() > 3 && metric.compare(metric.size() - 3, 3, "_to") == 0;
}

const std::vector<std::string>& claim_metrics() {
  static const std::vector<std::string> metrics = [] {
    std::vector<std::string> names = {"iterations_to",
                                      "time_to",
                                      "factorizations_to",
                                      "back_solves_to",
                                      "products_to",
                                      "iterations",
                                      "setup_s",
                                      "solve_s",
                                      "solve_s_min",
                                      "wall_s",
                                      "seconds_per_iteration",
                                      "factorizations",
                                      "back_solves",
                                      "products",
                                      "projections",
                                      "analyses",
                                      "analysis_s",
                                      "factorization_s",
                                      "back_solve_s",
                                      "linear_solver_s",
                                      "objective_gap",
                                      "peak_memory_mb",
                                      "contacts",
                                      "rows",
                                      "kernel_product_s",
                                      "kernel_projection_s",
                                      "kernel_work_s",
                                      "kernel_ratio",
                                      "kernel_block_product_s",
                                      "bytes_per_contact",
                                      "kernel_csr_product_s",
                                      "symmetry_defect",
                                      "kernel_factors_product_s",
                                      "native_converged",
                                      "failures"};
    for (const std::string& measure : measure_names()) names.push_back(measure);
    return names;
  }();
  return metrics;
}

const std::vector<std::string>& claim_relations() {
  static const std::vector<std::string> relations = {"less_than", "at_most", "at_least", "greater_than"};
  return relations;
}

const std::vector<std::string>& claim_overs() {
  static const std::vector<std::string> overs = {"each", "largest", "smallest", "spread", "slope"};
  return overs;
}

}  // namespace ccp
