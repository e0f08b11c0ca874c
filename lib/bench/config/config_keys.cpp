#include "bench/config/config_keys.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "bench/config/sequence_spec.hpp"
#include "bench/record/metrics.hpp"
#include "core/text.hpp"
#include "problem/judge/measure.hpp"
#include "problem/model.hpp"
#include "problem/perturbation.hpp"
#include "process/process_pool.hpp"
#include "solvers/run_monitor.hpp"

namespace ccp {
namespace {

constexpr double largest_seed = 9007199254740992.0;  // 2^53: every JSON reader keeps whole numbers up to here
constexpr double most_steps = 999999.0;              // as in the names of `generate --steps`

Key text(std::string name, std::string meaning, Json default_value = {}) {
  return {std::move(name), KeyType::text, std::move(meaning), std::move(default_value)};
}

Key name(std::string key, std::string meaning) { return {std::move(key), KeyType::name, std::move(meaning)}; }

Key flag(std::string name, std::string meaning, Json default_value = {}) {
  return {std::move(name), KeyType::flag, std::move(meaning), std::move(default_value)};
}

Key number(std::string name, std::string meaning, Range range, Json default_value = {}, std::string unit = "") {
  return {std::move(name), KeyType::number, std::move(meaning), std::move(default_value), false, std::move(unit), range};
}

Key integer(std::string name, std::string meaning, Range range, Json default_value = {}) {
  return {std::move(name), KeyType::integer, std::move(meaning), std::move(default_value), false, "", range};
}

Key integers(std::string name, std::string meaning, Range range) {
  return {std::move(name), KeyType::integers, std::move(meaning), {}, false, "", range};
}

Key choice(std::string name, std::string meaning, std::vector<std::string> choices, Json default_value = {}) {
  return {std::move(name), KeyType::choice, std::move(meaning), std::move(default_value), false, "", {}, std::move(choices)};
}

/// One of them or several.
Key choices(std::string name, std::string meaning, std::vector<std::string> list, Json default_value = {}) {
  return {std::move(name), KeyType::choices, std::move(meaning), std::move(default_value), false, "", {}, std::move(list)};
}

/// Any text or several.
Key texts(std::string name, std::string meaning) {
  Key key = choices(std::move(name), std::move(meaning), {});
  key.open = true;
  return key;
}

/// A table with keys of its own, checked by its reader.
Key table(std::string name, std::string meaning) { return {std::move(name), KeyType::table, std::move(meaning)}; }

/// An object, a list of objects, or a number or an object: of a shape.
Key shaped(KeyType type, std::string name, std::string meaning, std::string shape) {
  return {std::move(name), type, std::move(meaning), {}, false, "", {}, {}, std::move(shape)};
}

/// One of them, or a number that a scene of the config knows of itself.
Key metric_or_fact(std::string name, std::string meaning) {
  Key key = choice(std::move(name), std::move(meaning), claim_metrics());
  key.open = true;
  return key;
}

Key required(Key key) {
  key.required = true;
  return key;
}

/// As a person writes it: 1e-8, not 1e-08.
std::string default_text(const Json& value) {
  std::string text = value.is_number_float() ? format_double(value.get<double>()) : json_text(value);
  if (const auto zero = text.find("e-0"); value.is_number_float() && zero != std::string::npos) text.erase(zero + 2, 1);
  return text;
}

Shape config_shape() {
  const std::vector<Measure> trace = {Measure::velocity_residual, Measure::relative_residual,    Measure::natural_map,
                                      Measure::objective,         Measure::penetration_velocity, Measure::cone_violation,
                                      Measure::complementarity};
  return {
      "config",
      "One experiment",
      {required(name("name", "short name: letters, digits, _ and -; the folder of the results")),
       text("title", "one line for tables and plots"), text("description", "what the experiment shows"),
       required(shaped(KeyType::objects, "problems", "what is solved", "problem")),
       choices("model", "contact model or both; default {}", model_names(), "ccp"),
       required(shaped(KeyType::objects, "solvers", "what solves it", "solver")),
       shaped(KeyType::object, "stop", "when a run ends", "stop"),
       shaped(KeyType::object, "limits", "limits of one cell, enforced from outside", "limits"),
       choices("trace", "measures written for every iteration", measure_names(), names_json(trace)),
       flag("kernels", "time products and projections, by themselves and between the iterations of the runs; default {}",
            false),
       table("sweep",
             "JSON pointer -> list of values; lists multiply, those inside \"zip\" are paired, and /solvers/*/... means all "
             "solvers"),
       shaped(KeyType::object, "sizes", "changes for --size", "sizes"),
       shaped(KeyType::objects, "claims", "statements of the paper as bounds on results", "claim"),
       shaped(KeyType::objects, "plots", "pictures and tables to draw", "plot")}};
}

Shape problem_shape(const Catalog& catalog) {
  return {"problem",
          "A scene, or FCLib files",
          {choice("scene", "generator of the problem", catalog.scenes.names), table("parameters", "of the scene"),
           integer("seed", "of the scene's random numbers; default {}", Range::closed(0.0, largest_seed), 0),
           text("fclib",
                "pattern of FCLib files below the folder of --fclib, absolute, or with ./ or ../ from the config's folder; "
                "* also "
                "matches /"),
           shaped(KeyType::object, "perturb", "solve a neighbour of the problem instead", "perturb"),
           shaped(KeyType::object, "sequence", "solve the steps of a scene that moves, one after the other", "sequence"),
           text("label", "name in results; default: the scene's name, or the path of the file")}};
}

Shape sequence_shape() {
  const SequenceSpec usual;
  return {"sequence",
          "The problems of a scene in time; a cell is a solver on all of them",
          {required(integer("steps", "steps of time from the start on", Range::closed(1.0, most_steps))),
           integer("settle", "so many of the first steps are the driver's alone; default {}", Range::closed(0.0, most_steps),
                   usual.settle),
           choice("trajectory", "shared: the driver moves the scene, own: each solver does, by its solutions; default {}",
                  trajectories, "shared"),
           shaped(KeyType::object, "driver", "what moves the scene, and solves again what an own trajectory left unsolved",
                  "driver"),
           integers("trace_steps", "steps whose iterations are traced; default: none", Range::closed(0.0, most_steps)),
           text("state", "file of `generate --steps` to start from, by its path from the folder of the config")}};
}

Shape driver_shape(const Catalog& catalog) {
  const DriverSpec usual;
  return {"driver",
          "A method, and when its steps end; an unsolved step is taken as it is",
          {choice("solver", "the method; default {}", catalog.solver_names, "proximal_newton"),
           choice("model", "contact model of a shared trajectory; default {}", model_names(), "ccp"),
           table("parameters", "of the method"),
           choice("measure", "stop measure; default {}", stoppable_measures(), measure_info(usual.stop.measure).name),
           number("tolerance", "bound of the stop measure; default {}", Range::positive(), usual.stop.tolerance),
           integer("max_iterations", "of a step; default {}", Range::closed(0.0, 2147483647.0), usual.stop.max_iterations),
           number("wall_s", "wall clock of all its steps; default {}", Range::open_closed(0.0, 1e7), usual.wall_s, "s")}};
}

Shape perturb_shape() {
  const Perturbation none;
  return {"perturb",
          "A neighbour: r and b with random noise, every mu scaled",
          {number("noise", "change of the free velocity, relative to it; default {}", Range::non_negative(), none.noise),
           number("b_noise", "largest change of an entry of b, relative to it; default {}", Range::closed(0.0, 1.0),
                  none.b_noise),
           number("friction_factor", "factor of every friction coefficient; default {}", Range::non_negative(),
                  none.friction_factor),
           integer("seed", "of the random direction; default {}", Range::closed(0.0, largest_seed), none.seed)}};
}

Shape solver_shape(const Catalog& catalog) {
  return {"solver",
          "A method with its settings",
          {required(choice("solver", "the method", catalog.solver_names)),
           text("label", "name in results; default: the method's name"), table("parameters", "of the method"),
           shaped(KeyType::object, "start", "where its runs start; default: from nothing", "start"),
           flag("native_stop", "stop it on its own criterion, or not; default: as 'native' of 'stop'"),
           integer("threads", "threads it may use; default: those of --threads", Range::closed(1.0, 1024.0)),
           choices("models", "contact models it is run on; default: all of the config", model_names())}};
}

Shape start_shape() {
  return {
      "start",
      "Where the runs of a method start",
      {required(choice("from",
                       "nothing, the reference solution of the problem without its 'perturb', or the previous step of a "
                       "sequence",
                       {"nothing", "reference", "previous"})),
       choice("match",
              "for previous: the impulses of contacts that are there again, or of all where they are the same; default {}",
              start_matches, "contacts")}};
}

Shape stop_shape() {
  const StopRule usual;
  return {"stop",
          "When a run ends",
          {number("tolerance", "bound of the stop measure; default {}", Range::positive(), usual.tolerance),
           choice("measure", "stop measure; default {}", stoppable_measures(), measure_info(usual.measure).name),
           flag("native", "stop on the method's own criterion instead; default {}", usual.native),
           integer("max_iterations", "default {}", Range::closed(0.0, 2147483647.0), usual.max_iterations),
           number("time_limit_s", "solver clock: set-up and iterations, without judging; default {}", Range::positive(),
                  usual.time_limit_s, "s")}};
}

Shape limits_shape() {
  const Limits usual;
  return {
      "limits",
      "Limits of one cell, enforced from outside",
      {number("wall_s", "wall clock of the process; default {}", Range::open_closed(0.0, 1e7), usual.wall_s, "s"),
       number("memory_mb", "private memory of the process; default {}", Range::closed(64.0, 1e8), usual.memory_mb, "MiB")}};
}

Shape sizes_shape() {
  return {"sizes",
          "Changes of the config for --size: JSON pointer -> value",
          {table("small", "seconds on two cores"), table("paper", "the size of the paper")}};
}

Key decade() { return number("at", "a power of ten, for the metrics that end in _to", Range::closed(1e-12, 1e-2)); }

Shape claim_shape() {
  Shape shape{
      "claim",
      "A statement as a bound on results",
      {required(name("id", "name of the claim, unique in the config")),
       flag("must", "whether a miss fails the command claims; default {}", false),
       choice("size", "judged at this size alone; default: at each", {"small", "paper"}),
       required(text("says", "what the paper says")), text("where", "where it says so"), text("see", "page on a miss"),
       required(metric_or_fact("metric", "what is bounded, or a number that the scene of a sequence knows of itself")),
       decade(), required(text("of", "label of a solver, or a shell pattern")),
       text("problem", "label of a problem, or a shell pattern; default: each"),
       choice("model", "contact model; default: each", model_names()),
       choice("over", "how several cells are judged; default {}", claim_overs, "each"),
       text("against", "for slope, affine_slope and r_squared: contacts, rows or a swept JSON pointer"),
       table("cells", "swept JSON pointer -> value or list of values: only these cells")}};
  for (const std::string& relation : claim_relations)
    shape.keys.push_back(shaped(KeyType::bound, relation, "the bound; exactly one of the four is given", "claim_reference"));
  return shape;
}

Shape claim_reference_shape() {
  return {"claim_reference",
          "A result as the bound; missing keys are those of the claim",
          {text("of", "label of a solver, or a shell pattern"),
           metric_or_fact("metric", "what it is compared with, likewise"), decade(),
           text("problem", "likewise; default: the same problem"), table("cells", "its swept values; default: the same"),
           number("times", "factor on it; default {}", Range::positive(), 1.0)}};
}

Shape plot_shape() {
  return {
      "plot",
      "A picture or a table",
      {required(choice("kind", "what is drawn; a sequence with another residual: y",
                       {"convergence", "sweep", "ensemble", "sequence", "map", "mean", "scaling", "table"})),
       choice("x", "column of the trace; default {}",
              {"iteration", "elapsed_s", "factorizations", "back_solves", "products", "projections"}, "iteration"),
       text("y", "a measure or a solver's own column of the trace; default {}", "relative_residual"),
       text("against",
            "for a sweep or scaling: contacts, rows, dofs or a swept JSON pointer; for a map: a swept one; default {}",
            "contacts"),
       choice("metric", "for a sweep, an ensemble or a map: what is drawn; default {}; for scaling: seconds_per_iteration",
              claim_metrics(), "iterations"),
       decade(), text("times", "for a sweep: a JSON pointer, by whose value the metric is multiplied"),
       choice("axes", "for a sweep: which axes are logarithmic; default {}: both", {"linear", "log_x", "log_y", "log"},
              "log"),
       text("x_label", "for a sweep, an ensemble, scaling or a map: text of the horizontal axis"),
       text("y_label", "for a sweep or a map: text of the vertical axis"),
       texts("of", "for a mean, scaling or a table: labels of solvers, or shell patterns, in order; default: all"),
       texts("by", "for a mean, scaling or a table: swept JSON pointers, whose values are told apart"),
       choices("metrics", "of a table, a row each", claim_metrics()),
       choice("over", "for a table: of all problems, or of all steps; default {}", plot_overs, "mean"),
       table(
           "paper",
           "for a table: metric -> list of the paper's values, one for each label of 'of', or null; or case -> such a list"),
       text("where", "for a table: which one of which paper")}};
}

}  // namespace

ConfigKeys::ConfigKeys(const Catalog& catalog)
    : shapes_({config_shape(), problem_shape(catalog), perturb_shape(), sequence_shape(), driver_shape(catalog),
               solver_shape(catalog), start_shape(), stop_shape(), limits_shape(), sizes_shape(), claim_shape(),
               claim_reference_shape(), plot_shape()}) {
  for (Shape& shape : shapes_)
    for (Key& key : shape.keys)
      if (const auto place = key.meaning.find("{}"); place != std::string::npos)
        key.meaning.replace(place, 2, default_text(key.default_value));
}

const Key& Shape::key(const std::string& key_name) const {
  for (const Key& key : keys)
    if (key.name == key_name) return key;
  throw std::logic_error("no key " + key_name);
}

const Shape& ConfigKeys::shape(const std::string& name) const {
  for (const Shape& shape : shapes_)
    if (shape.name == name) return shape;
  throw std::logic_error("no shape " + name);
}

std::vector<std::string> stoppable_measures() {
  std::vector<std::string> names;
  for (const Measure measure : all_measures())
    if (measure_info(measure).stoppable) names.emplace_back(measure_info(measure).name);
  return names;
}

}  // namespace ccp
