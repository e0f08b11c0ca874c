#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/config/config.hpp"
#include "core/fields.hpp"

/// The keys that a config may hold: tables of fields, each bound to the struct that the part of the config is read into.
namespace ccp {

/// One entry of "plots"; scripts draw them.
struct Plot {
  std::string kind, x = "iteration", y = "relative_residual", against = "contacts", metric = "iterations";
  double at = 0.0;
  std::string problem, times, axes = "log", x_label, y_label;
  std::vector<std::string> of, by, metrics = {"iterations"};
  std::string over = "mean", where;
};

/// "start" of a solver.
struct Start {
  std::string from;
  StartMatch match = StartMatch::contacts;
};

/// The whole file. Those of swept_keys are read into the variant, the others into the config.
FieldTable config_fields(Config& config, ConfigVariant& variant);
FieldTable perturb_fields(Perturbation& perturbation);
FieldTable problem_fields(ProblemSpec& problem, const Catalog& catalog);
FieldTable solver_fields(SolverSpec& solver, const Catalog& catalog);
FieldTable start_fields(Start& start);
FieldTable claim_fields(Claim& claim);
FieldTable plot_fields(Plot& plot);
FieldTable sizes_fields();

/// A part of a config for help and schema.
struct ConfigSection {
  std::string name, meaning;
  FieldTable fields;
  std::shared_ptr<const void> owner;  ///< of what the fields are bound to
};

/// All parts; the first is the whole file, "config".
std::vector<ConfigSection> config_sections(const Catalog& catalog);

/// Names of the measures that a run can stop by.
std::vector<std::string> stoppable_measures();
/// Keys of the config whose values a sweep can change.
inline const std::vector<std::string> swept_keys = {"problems", "model", "solvers", "stop", "limits", "trace", "ranks"};
/// The names of Relation, in its order.
inline const std::vector<std::string> claim_relations = {"less_than", "at_most", "at_least", "greater_than"};
/// The names of Trajectory, in its order.
inline const std::vector<std::string> trajectories = {"shared", "own"};
/// The names of StartMatch, in its order.
inline const std::vector<std::string> start_matches = {"contacts", "same"};

}  // namespace ccp
