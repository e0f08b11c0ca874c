#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/config/catalog.hpp"
#include "bench/config/mistakes.hpp"
#include "bench/config/sequence_spec.hpp"
#include "problem/judge/measure.hpp"
#include "problem/model.hpp"
#include "problem/perturbation.hpp"
#include "process/process_pool.hpp"
#include "solvers/run_monitor.hpp"

/// One experiment as a JSON file (comments allowed), read into plain structs. Every mistake in it is named with the file,
/// the JSON pointer and what was expected: InputErrors holds all of them.
namespace ccp {

/// Whether a pattern of FCLib files is absolute ("/dumps/*.hdf5") or relative to the folder of the config ("./…", "../…").
bool names_own_folder(const std::string& pattern);

/// One entry of "problems": either a scene or a pattern of FCLib files.
struct ProblemSpec {
  std::string scene;       ///< empty for FCLib files
  Parameters parameters;   ///< of the scene, all of them
  std::uint64_t seed = 0;  ///< of the scene
  std::string fclib;       ///< pattern below the FCLib folder, or with a folder of its own; empty for a scene
  Perturbation perturbation;
  std::optional<SequenceSpec> sequence;  ///< of a scene that moves
  std::string label;                     ///< with the swept values that touch it; empty: FCLib files named by their path
  std::string file_suffix;               ///< of FCLib files without a label: the swept values that touch them
  std::string base_label;                ///< without swept values
  bool outline = false;                  ///< it has mistakes; its labels and its files are known at most

  bool names_own_folder() const { return ccp::names_own_folder(fclib); }
};

/// One entry of "solvers".
struct SolverSpec {
  std::string solver;
  std::string label;                  ///< with the swept values that touch it
  std::string base_label;             ///< without swept values
  Parameters parameters;              ///< all of them
  std::vector<Model> models;          ///< models it is run on; empty: all of the config
  std::vector<std::string> problems;  ///< shell patterns of the labels of problems it is run on; empty: all
  std::optional<bool> native_stop;    ///< whether it stops on its own criterion; empty: as `stop` of the config says
  std::optional<int> max_iterations;  ///< empty: as `stop` of the config says
  double time_limit_s = 0.0;          ///< 0: as `stop` of the config says
  std::optional<int> threads;         ///< threads it may use; empty: those of the run (--threads)
  std::optional<int> ranks;           ///< processes it runs on; empty: those of the config
  /// It starts from the reference solution of the problem without its perturbation, instead of from nothing.
  bool start_from_reference = false;
  /// It starts each step of a sequence from the step before, instead of from nothing.
  std::optional<StartMatch> start_from_previous;
  std::optional<std::string> peer_version;  ///< PeerSolver::version(); nothing for a method of our own
  std::string school;                       ///< school_of()
  bool outline = false;                     ///< it has mistakes; its labels and its solver are known at most
};

/// One value of a sweep as it was put into the config.
struct SweptValue {
  std::string pointer;  ///< JSON pointer
  std::string text;     ///< the value as compact JSON
};

/// The other side of a claim that compares results with each other: `times` the metric of other cells.
struct ClaimReference {
  std::string of, metric, problem;  ///< problem: empty for the problem of the cell that is compared
  double at = 0.0;
  double times = 1.0;
  std::vector<SweptValue> cells;  ///< only cells with one of these values, for every pointer named; empty: as the claim
};

/// How the cells of a claim become one number; `each`: every one has to hold.
enum class ClaimOver {
  each,
  largest,
  smallest,
  spread,
  slope,
  lower_quartile,
  median,
  upper_quartile,
  mean_ratio,
  affine_slope,
  r_squared,
  mean,
  geometric_mean,
  slope_lower,
  slope_upper
};

/// Whether it is the exponent of a power or a bound of its confidence interval.
inline bool is_exponent(ClaimOver over) {
  return over == ClaimOver::slope || over == ClaimOver::slope_lower || over == ClaimOver::slope_upper;
}

/// Whether a line is fitted through the cells.
inline bool fits_line(ClaimOver over) {
  return is_exponent(over) || over == ClaimOver::affine_slope || over == ClaimOver::r_squared;
}

/// Whether a line of a claim is over a column of sizes instead of a swept value.
inline bool is_size(const std::string& against) { return against == "contacts" || against == "rows" || against == "dofs"; }

/// How a value has to stand to the bound of a claim.
enum class Relation { less_than, at_most, at_least, greater_than };

/// A statement of a paper as a bound on results; judged by the command `claims` (bench/analysis/claims.hpp).
struct Claim {
  std::string id, says;
  std::string where = "ours";  ///< is_claim_source()
  std::string see;             ///< page that tells why it is not met, from the root of the project, with an anchor; or empty
  bool must = false;
  bool set_afterwards = false;  ///< the bound was set after the number was known
  std::string size;             ///< "small" or "paper": judged at this size alone; empty: at each
  std::string metric;           ///< one of claim_metrics()
  double at = 0.0;              ///< a decade 1e-2 … 1e-12; 0 when the metric takes none
  std::string of;               ///< label of a solver, or a shell pattern
  std::string problem;          ///< label of a problem, or a shell pattern; empty: all
  std::optional<Model> model;
  ClaimOver over = ClaimOver::each;
  std::string against;  ///< for slope, affine_slope and r_squared: "contacts", "rows", "dofs" or a swept JSON pointer
  std::vector<SweptValue> cells;  ///< only cells with one of these values, for every pointer named
  Relation relation = Relation::less_than;
  double bound = 0.0;  ///< without a reference
  std::optional<ClaimReference> reference;

  /// Whether it is judged in a config to which `applied` was applied; without a size that is the paper's.
  bool is_about(const std::string& applied) const { return size.empty() || (size == "small") == (applied == "small"); }
};

/// The config with one combination of swept values in place.
struct ConfigVariant {
  std::vector<SweptValue> swept;                             ///< empty without a sweep
  std::vector<std::shared_ptr<const ProblemSpec>> problems;  ///< shared between variants that do not touch them
  std::vector<Model> models = {Model::ccp};
  std::vector<std::shared_ptr<const SolverSpec>> solvers;  ///< likewise
  StopRule stop;
  int ranks = 0;  ///< processes of the solvers that do not say their own; 0: each runs in one, without MPI
  Limits limits;  ///< of a cell: beyond wall_s it is time_limit, beyond memory_mb out_of_memory
  std::vector<Measure> trace = {Measure::velocity_residual, Measure::relative_residual,    Measure::natural_map,
                                Measure::objective,         Measure::penetration_velocity, Measure::cone_violation,
                                Measure::complementarity};

  bool needs_files() const;  ///< a problem is FCLib files
  /// Whether a method stops on its own criterion.
  bool stops_natively(const SolverSpec& solver) const { return solver.native_stop.value_or(stop.native); }
};

struct Config {
  std::string file;
  std::string name;  ///< letters, digits, _ and -: the folder of its results
  std::string title, description;
  std::string fetch;                    ///< command that fetches FCLib files; with it, cells of files not there are missing
  bool kernels = false;                 ///< time the kernels of each problem
  std::string size;                     ///< the size applied, or empty
  std::vector<ConfigVariant> variants;  ///< at least one
  std::vector<Claim> claims;
  std::string resolved;  ///< the JSON after size and --set, before the sweep
  /// How it differs from the config as it stands in its file and in the last commit of that file, a line each. What is said
  /// of its results is not said of that config.
  std::vector<std::string> changes;

  bool needs_fclib_folder() const;  ///< a problem is FCLib files below the folder of --fclib
};

/// Changes to the JSON before it is read: first the size, then the settings.
struct ConfigOverrides {
  std::string size;              ///< "small", "paper" or empty; a config that does not define it is used as written
  std::vector<std::string> set;  ///< "POINTER=VALUE", VALUE as JSON, or a plain text when it is not JSON
  bool of_results = false;       ///< it has run already: states it starts from may be gone
};

/// Throws InputError when the file cannot be read or anything in it is wrong. Asks git whether the file is as committed;
/// without git, or where the file is in no repository, nothing is known.
Config read_config(const std::string& file, const Catalog& catalog, const ConfigOverrides& overrides = {});

/// The same from memory; `file` is for messages.
Config parse_config(const std::string& text, const std::string& file, const Catalog& catalog,
                    const ConfigOverrides& overrides = {});

/// The same, but the mistakes are added to a list. Where there are some, the config is what could be read, with outlines of
/// problems and solvers: good for further checks, not for a run.
Config read_config(const std::string& file, const Catalog& catalog, const ConfigOverrides& overrides, Mistakes& mistakes);
Config parse_config(const std::string& text, const std::string& file, const Catalog& catalog,
                    const ConfigOverrides& overrides, Mistakes& mistakes);

/// JSON Schema (draft 2020-12) of a config with the solvers, scenes and measures of this program, indented.
std::string config_schema(const Catalog& catalog);

}  // namespace ccp
