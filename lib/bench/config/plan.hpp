#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/config/config.hpp"

namespace ccp {

/// Raised whenever a change of the library changes iterates or measures. Results of another version are run again.
inline constexpr const char* solver_version = "9";

/// One run: a problem, a model, a solver with all its settings, and when to stop.
struct Cell {
  std::string problem;      ///< label of the problem, with swept values
  std::string problem_key;  ///< SHA-256 of the definition of the problem; cells with the same key share one built problem
  std::string tape_key;     ///< of a shared sequence: SHA-256 of the inputs of its driver but the number of steps
  std::string file;         ///< FCLib file; empty for a scene
  std::string missing{};    ///< the FCLib file that is not there, so that it cannot be run; empty: nothing is missing
  std::shared_ptr<const ProblemSpec> spec;
  Model model = Model::ccp;
  std::shared_ptr<const SolverSpec> solver;
  std::string label;  ///< label of the solver, with swept values
  StopRule stop;
  Limits limits;
  std::vector<Measure> trace;
  int threads = 1;
  int ranks = 0;         ///< processes of its solver; 0: one, without MPI
  bool kernels = false;  ///< the kernels of the problem are timed, too
  std::string hash;      ///< 16 hex digits; folder of the result

  /// "problem/model/label", what --only matches.
  std::string id() const;
};

/// All cells of a config, sorted by problem, model, solver, sweep. Cells may share a hash when a config names the same run
/// twice.
struct Plan {
  std::string config_name;
  std::vector<Cell> cells;
};

struct PlanOptions {
  std::string fclib_dir;  ///< where patterns are resolved; empty: environment variable CCPBENCH_FCLIB_DIR
  int threads = 1;
};

/// Multiplies problems, models, solvers and sweep. Resolves FCLib patterns below the folder, recursively and sorted: a
/// pattern without '/' is matched with file names, one with '/' with the path below the folder; in a folder without folders
/// its last part with file names. Throws InputError when a
/// pattern matches nothing or no folder is given, unless the config has 'fetch', when a file cannot be opened, or a
/// restriction of models or problems leaves a solver without a cell.
Plan make_plan(const Config& config, const PlanOptions& options = {});

/// Adds to the list what is wrong with the FCLib patterns of a config that may have other mistakes; those below a folder
/// that was not named are skipped.
void look_for_files(const Config& config, const PlanOptions& options, Mistakes& mistakes);

/// Reads a config and plans it. Throws InputErrors with the mistakes of both together.
std::pair<Config, Plan> read_and_plan(const std::string& file, const Catalog& catalog, const ConfigOverrides& overrides,
                                      const PlanOptions& options);

/// Shard `index` of `count`, index from 1.
struct Shard {
  int index = 1;
  int count = 1;
};

/// Whether --only names a cell: by its id(), or a shell pattern on it, whose '*' also matches '/'.
bool is_selected(const Cell& cell, const std::string& only);

/// Indices of the cells to run: those that one of `only` names (none: all), then the shard. Throws InputError when no cell
/// is named.
std::vector<std::size_t> select_cells(const Plan& plan, const std::vector<std::string>& only, Shard shard);

}  // namespace ccp
