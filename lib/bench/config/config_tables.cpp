#include "bench/config/config_tables.hpp"

#include <utility>

#include "bench/config/claim_source.hpp"
#include "bench/record/metrics.hpp"
#include "peers/external/external_name.hpp"

namespace ccp {
namespace {

constexpr const char* external_pattern = "^(python|command):.";
constexpr double largest_seed = 9007199254740992.0;  // 2^53: every JSON reader keeps whole numbers up to here
constexpr double most_steps = 999999.0;              // as in the names of `generate --steps`
const Range any_count = Range::closed(0.0, 2147483647.0);
const Range positive_count = Range::closed(1.0, 2147483647.0);

const TextForm name_form = {"name", "^[A-Za-z0-9_-]{1,100}$", [](const std::string& text) -> std::optional<std::string> {
                              const std::string allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
                              if (text.find_first_not_of(allowed) != std::string::npos)
                                return "letters, digits, _ and - only";
                              if (text.size() > 100) return "at most 100 characters";
                              return std::nullopt;
                            }};

const TextForm source_form = {"source", claim_source_pattern, [](const std::string& text) -> std::optional<std::string> {
                                if (is_claim_source(text)) return std::nullopt;
                                return "\"ours\", or a paper and the place in it with a comma between, such as "
                                       "\"Tasora 2021, sec. 8.1\"";
                              }};

Names<Measure> measures_by_name(const std::vector<std::string>& names) {
  Names<Measure> list;
  for (const std::string& name : names) list.emplace_back(name, *measure_from_name(name));
  return list;
}

FieldTable stop_fields(StopRule& stop) {
  FieldTable table("key");
  table.add("tolerance", &stop.tolerance, Range::positive(), "", "bound of the stop measure; default {}")
      .add("measure", &stop.measure, measures_by_name(stoppable_measures()), "stop measure; default {}")
      .of("measure")
      .add("native", &stop.native, "stop on the method's own criterion instead; default {}")
      .add("max_iterations", &stop.max_iterations, any_count, "default {}")
      .add("time_limit_s", &stop.time_limit_s, Range::positive(), "s",
           "solver clock: set-up and iterations, without judging; default {}")
      .add("judge_every", &stop.judge_every, positive_count,
           "iterations between two iterates that are judged and traced; default {}");
  return table;
}

FieldTable limits_fields(Limits& limits) {
  FieldTable table("key");
  table.add("wall_s", &limits.wall_s, Range::open_closed(0.0, 1e7), "s", "wall clock of the process; default {}")
      .add("memory_mb", &limits.memory_mb, Range::closed(64.0, 1e8), "MiB", "private memory of the process; default {}");
  return table;
}

FieldTable driver_fields(DriverSpec& driver, const Catalog& catalog) {
  FieldTable table("key");
  table.add_choice("solver", &driver.solver, catalog.solver_names, "the method; default {}")
      .of("solver")
      .also(is_external_name, external_pattern)
      .add("model", &driver.model, model_choices(), "contact model of a shared trajectory; default {}")
      .of("model")
      .add("parameters", FieldType::object, "", "of the method")
      .add("measure", &driver.stop.measure, measures_by_name(stoppable_measures()), "stop measure; default {}")
      .of("measure")
      .add("tolerance", &driver.stop.tolerance, Range::positive(), "", "bound of the stop measure; default {}")
      .add("max_iterations", &driver.stop.max_iterations, any_count,
           "of a step; 0: an own trajectory goes on with what its solver has; default {}")
      .add("judge_every", &driver.stop.judge_every, positive_count,
           "iterations between two iterates that are judged; default {}")
      .add("wall_s", &driver.wall_s, Range::open_closed(0.0, 1e7), "s", "wall clock of all its steps; default {}")
      .add("guarded_start", &driver.guarded_start,
           "a step starts from the one before only where that has a lower objective than no impulses; default {}");
  return table;
}

FieldTable sequence_fields(SequenceSpec& sequence, const Catalog& catalog) {
  FieldTable table("key");
  table.add("steps", &sequence.steps, Range::closed(1.0, most_steps), "steps of time from the start on")
      .required()
      .add("settle", &sequence.settle, Range::closed(0.0, most_steps),
           "so many of the first steps are the driver's alone; default {}")
      .add("trajectory", &sequence.trajectory, in_order<Trajectory>(trajectories),
           "shared: the driver moves the scene, own: each solver does, by its solutions; default {}")
      .add("driver", FieldType::object, "driver",
           "solver that moves the scene, and solves the steps that an own trajectory left unsolved",
           [&sequence, &catalog] { return driver_fields(sequence.driver, catalog); })
      .add("trace_steps", &sequence.trace_steps, Range::closed(0.0, most_steps),
           "steps whose iterations are traced; default: none")
      .add("state", &sequence.state, "file of `generate --steps` to start from, by its path from the folder of the config");
  return table;
}

/// In the order of ClaimOver.
const std::vector<std::string> claim_overs = {"each",           "largest", "smallest",       "spread",      "slope",
                                              "lower_quartile", "median",  "upper_quartile", "mean_ratio",  "affine_slope",
                                              "r_squared",      "mean",    "geometric_mean", "slope_lower", "slope_upper"};

FieldTable& add_decade(FieldTable& table, double& at) {
  return table.add("at", &at, Range::closed(1e-12, 1e-2), "", "a power of ten, for the metrics that end in _to")
      .without_default();
}

FieldTable& add_metric(FieldTable& table, std::string& metric, std::string meaning) {
  return table.add_choice("metric", &metric, claim_metrics(), std::move(meaning)).open().of("metric");
}

FieldTable reference_fields(ClaimReference& reference) {
  FieldTable table("key");
  table.add("of", &reference.of, "label of a solver, or a shell pattern");
  add_metric(table, reference.metric, "what it is compared with, likewise");
  add_decade(table, reference.at)
      .add("problem", &reference.problem, "likewise; default: the same problem")
      .add("cells", FieldType::object, "", "its swept values; default: the same")
      .add("times", &reference.times, Range::positive(), "", "factor on it; default {}");
  return table;
}

}  // namespace

FieldTable config_fields(Config& config, ConfigVariant& variant) {
  FieldTable table("key");
  table.add("name", &config.name, "short name: letters, digits, _ and -; the folder of the results", &name_form)
      .required()
      .add("title", &config.title, "one line for tables and plots")
      .add("description", &config.description, "what the experiment shows")
      .add("fetch", &config.fetch,
           "the command that fetches FCLib files; with it, cells whose file is not there are missing, which is no error")
      .add("problems", FieldType::objects, "problem", "what is solved")
      .required()
      .add("model", &variant.models, model_choices(), "contact model or both; default {}")
      .of("model")
      .add("solvers", FieldType::objects, "solver", "what solves it")
      .required()
      .add("stop", FieldType::object, "stop", "when a run ends", [&variant] { return stop_fields(variant.stop); })
      .add("limits", FieldType::object, "limits", "limits of one cell, enforced from outside",
           [&variant] { return limits_fields(variant.limits); })
      .add("trace", &variant.trace, measures_by_name(measure_names()), "measures written for every iteration")
      .of("measure")
      .add("ranks", &variant.ranks, Range::closed(0.0, 64.0),
           "processes, by MPI, of each solver that does not say its own; 0: one without MPI; default {}")
      .add("kernels", &config.kernels,
           "time products and projections, by themselves and between the iterations of the runs; default {}")
      .add("sweep", FieldType::object, "",
           "JSON pointer -> list of values; lists multiply, those inside \"zip\" are paired, and /solvers/*/... means all "
           "solvers")
      .add("sizes", FieldType::object, "sizes", "changes for --size", sizes_fields)
      .add("claims", FieldType::objects, "claim", "statements of the paper as bounds on results")
      .add("plots", FieldType::objects, "plot", "pictures and tables to draw");
  return table;
}

FieldTable perturb_fields(Perturbation& perturbation) {
  FieldTable table("key");
  table
      .add("noise", &perturbation.noise, Range::non_negative(), "",
           "change of the free velocity, relative to it; default {}")
      .add("b_noise", &perturbation.b_noise, Range::closed(0.0, 1.0), "",
           "largest change of an entry of b, relative to it; default {}")
      .add("compliance", &perturbation.compliance, Range::non_negative(), "",
           "compliance added to every row, in units of the mean diagonal of its N_ii; default {}")
      .add("friction_factor", &perturbation.friction_factor, Range::non_negative(), "",
           "factor of every friction coefficient; default {}")
      .add("seed", &perturbation.seed, Range::closed(0.0, largest_seed), "of the random direction; default {}");
  return table;
}

FieldTable problem_fields(ProblemSpec& problem, const Catalog& catalog) {
  FieldTable table("key");
  table.add_choice("scene", &problem.scene, catalog.scenes.names, "generator of the problem")
      .of("scene")
      .add("parameters", FieldType::object, "", "of the scene")
      .add("seed", &problem.seed, Range::closed(0.0, largest_seed), "of the scene's random numbers; default {}")
      .add(
          "fclib", &problem.fclib,
          "pattern of FCLib files below the folder of --fclib, absolute, or with ./ or ../ from the config's folder; * also "
          "matches /")
      .add("perturb", FieldType::object, "perturb", "solve a neighbour of the problem instead",
           [&problem] { return perturb_fields(problem.perturbation); })
      .add("sequence", FieldType::object, "sequence", "solve the steps of a scene that moves, one after the other",
           [&problem, &catalog] { return sequence_fields(problem.sequence.emplace(), catalog); })
      .add("label", &problem.label, "name in results; default: the scene's name, or the path of the file");
  return table;
}

FieldTable solver_fields(SolverSpec& solver, const Catalog& catalog) {
  FieldTable table("key");
  table
      .add_choice("solver", &solver.solver, catalog.solver_names,
                  "the method, or your own: python:FILE:FUNCTION or command:PROGRAM")
      .of("solver")
      .also(is_external_name, external_pattern)
      .required()
      .add("label", &solver.label, "name in results; default: the method's name")
      .add("parameters", FieldType::object, "", "of the method")
      .add("start", FieldType::object, "start", "where its runs start; default: from nothing")
      .add("native_stop", &solver.native_stop, "stop it on its own criterion, or not; default: as 'native' of 'stop'")
      .add("max_iterations", &solver.max_iterations, any_count, "its own limit; default: that of 'stop'")
      .add("time_limit_s", &solver.time_limit_s, Range::positive(), "s", "likewise")
      .without_default()
      .add("threads", &solver.threads, Range::closed(1.0, 1024.0), "threads it may use; default: those of --threads")
      .add("ranks", &solver.ranks, Range::closed(0.0, 64.0),
           "processes it runs on, by MPI; 0: one without MPI; default: 'ranks' of the config")
      .add("models", &solver.models, model_choices(), "contact models it is run on; default: all of the config")
      .of("model")
      .add_choices("problems", &solver.problems, {},
                   "labels of the problems it is run on, or shell patterns; default: all of the config")
      .open();
  return table;
}

FieldTable start_fields(Start& start) {
  FieldTable table("key");
  table
      .add_choice("from", &start.from, {"nothing", "reference", "previous"},
                  "nothing, the reference solution of the problem without its 'perturb', or the previous step of a sequence")
      .required()
      .add("match", &start.match, in_order<StartMatch>(start_matches),
           "for previous: the impulses of contacts that persist, or of all where they are the same; default {}");
  return table;
}

FieldTable sizes_fields() {
  FieldTable table("key");
  table.add("small", FieldType::object, "", "seconds on two cores")
      .add("paper", FieldType::object, "", "the size of the paper");
  return table;
}

FieldTable claim_fields(Claim& claim) {
  FieldTable table("key");
  table.add("id", &claim.id, "name of the claim, unique in the config", &name_form)
      .required()
      .add("must", &claim.must, "whether a miss fails the command claims; default {}")
      .add_choice("size", &claim.size, {"small", "paper"}, "judged at this size alone; default: at each")
      .add("says", &claim.says, "what the paper says")
      .required()
      .add("where", &claim.where, "where it says so: a paper and the place in it, or ours; default {}", &source_form)
      .add("set_afterwards", &claim.set_afterwards, "whether the bound was set after the number was known; default {}")
      .add("see", &claim.see, "page on a miss");
  add_metric(table, claim.metric, "what is bounded, or a number that the scene of a sequence knows of itself").required();
  add_decade(table, claim.at)
      .add("of", &claim.of, "label of a solver, or a shell pattern")
      .required()
      .add("problem", &claim.problem, "label of a problem, or a shell pattern; default: each")
      .add("model", &claim.model, model_choices(), "contact model; default: each")
      .of("model")
      .add("over", &claim.over, in_order<ClaimOver>(claim_overs), "how several cells are judged; default {}")
      .add("against", &claim.against, "for slopes and r_squared: contacts, rows, dofs or a swept JSON pointer")
      .add("cells", FieldType::object, "", "swept JSON pointer -> value or list of values: only these cells");
  for (const auto& [name, relation] : in_order<Relation>(claim_relations)) {
    Field bound{name, FieldType::bound, "the bound; exactly one of the four is given"};
    bound.section = "claim_reference";
    bound.store = [&claim, relation = relation](const FieldValue& value) {
      claim.relation = relation;
      claim.bound = std::get<double>(value);
    };
    bound.inside = [&claim, relation = relation] {
      claim.relation = relation;
      return reference_fields(claim.reference.emplace());
    };
    table.add(std::move(bound));
  }
  return table;
}

FieldTable plot_fields(Plot& plot) {
  FieldTable table("key");
  table
      .add_choice("kind", &plot.kind, {"convergence", "sweep", "ensemble", "sequence", "map", "mean", "scaling", "table"},
                  "what is drawn")
      .required()
      .add_choice("x", &plot.x, {"iteration", "elapsed_s", "factorizations", "back_solves", "products", "projections"},
                  "column of the trace; default {}")
      .of_kinds({"convergence"})
      .add("y", &plot.y, "a measure, or, of runs, a solver's own column of the trace; default {}")
      .of_kinds({"convergence", "sequence", "mean", "scaling"})
      .add("against", &plot.against, "contacts, rows, dofs or a swept JSON pointer; of a map a swept one; default {}")
      .of_kinds({"sweep", "map", "scaling"})
      .add_choice("metric", &plot.metric, claim_metrics(), "what is drawn; default {}, of scaling solver time")
      .open()
      .of("metric")
      .of_kinds({"sweep", "ensemble", "map", "scaling"});
  add_decade(table, plot.at)
      .of_kinds({"sweep", "ensemble", "map", "scaling", "table"})
      .add("problem", &plot.problem, "label of a problem, or a shell pattern; default: each")
      .of_kinds({"sweep", "mean", "scaling", "table"})
      .add("times", &plot.times, "a swept JSON pointer, by whose value the metric is multiplied")
      .of_kinds({"sweep"})
      .add_choice("axes", &plot.axes, {"linear", "log_x", "log_y", "log"},
                  "which axes are logarithmic; default {}: both; of curves the vertical one with log_y and log, the "
                  "horizontal one with log_x and log where curves would be squeezed together")
      .of_kinds({"convergence", "sweep"})
      .add("x_label", &plot.x_label, "text of the horizontal axis")
      .of_kinds({"convergence", "sweep", "ensemble", "map", "scaling"})
      .add("y_label", &plot.y_label, "text of the vertical axis")
      .of_kinds({"convergence", "sweep", "map"})
      .add_choices("of", &plot.of, {}, "labels of solvers, or shell patterns, in order; default: all")
      .of_kinds({"sweep", "mean", "scaling", "table"})
      .add_choices("by", &plot.by, {}, "swept JSON pointers, whose values are told apart")
      .of_kinds({"mean", "scaling", "table"})
      .add_choices("metrics", &plot.metrics, claim_metrics(), "a row each; default {}")
      .open()
      .of("metric")
      .of_kinds({"table"})
      .add_choice("over", &plot.over, {"mean", "median", "smallest", "largest"},
                  "of all problems, or of all steps; default {}")
      .of_kinds({"table"})
      .add("paper", FieldType::object, "",
           "metric -> list of the paper's values, one for each solver of 'of', or null; or case -> such a list")
      .of_kinds({"table"})
      .add("where", &plot.where, "which figure or table of which paper it is, such as \"Tasora 2021, Fig. 3\"");
  return table;
}

std::vector<ConfigSection> config_sections(const Catalog& catalog) {
  struct Parts {
    Config config;
    ConfigVariant variant;
    ProblemSpec problem;
    SequenceSpec sequence;
    SolverSpec solver;
    Start start;
    Claim claim;
    ClaimReference reference;
    Plot plot;
  };
  const auto parts = std::make_shared<Parts>();
  return {{"config", "One experiment", config_fields(parts->config, parts->variant), parts},
          {"problem", "A scene, or FCLib files", problem_fields(parts->problem, catalog), parts},
          {"perturb", "A neighbour: r and b with random noise, every mu scaled", perturb_fields(parts->problem.perturbation),
           parts},
          {"sequence", "The problems of a scene in time; a cell is a solver on all of them",
           sequence_fields(parts->sequence, catalog), parts},
          {"driver", "A method, and when its steps end; an unsolved step is taken as it is",
           driver_fields(parts->sequence.driver, catalog), parts},
          {"solver", "A method with its settings", solver_fields(parts->solver, catalog), parts},
          {"start", "Where the runs of a method start", start_fields(parts->start), parts},
          {"stop", "When a run ends", stop_fields(parts->variant.stop), parts},
          {"limits", "Limits of one cell, enforced from outside", limits_fields(parts->variant.limits), parts},
          {"sizes", "Changes of the config for --size: JSON pointer -> value", sizes_fields(), parts},
          {"claim", "A statement as a bound on results", claim_fields(parts->claim), parts},
          {"claim_reference", "A result as the bound; missing keys are those of the claim",
           reference_fields(parts->reference), parts},
          {"plot", "A picture or a table", plot_fields(parts->plot), parts}};
}

std::vector<std::string> stoppable_measures() {
  std::vector<std::string> names;
  for (const Measure measure : all_measures())
    if (measure_info(measure).stoppable) names.emplace_back(measure_info(measure).name);
  return names;
}

}  // namespace ccp
