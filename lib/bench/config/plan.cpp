#include "bench/config/plan.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <map>
#include <utility>

#include "bench/config/config_json.hpp"
#include "bench/config/config_tables.hpp"
#include "core/error.hpp"
#include "core/sha256.hpp"
#include "core/text.hpp"
#include "io/file.hpp"
#include "peers/external/external_name.hpp"

namespace ccp {
namespace {

namespace fs = std::filesystem;

bool matches(const std::string& pattern, const std::string& text) {
  return ::fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
}

std::string file_digest(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw InputError(path.string(), "", fmt::format("cannot be opened ({})", std::strerror(errno)));
  Sha256 hash;
  std::vector<char> buffer(std::size_t{1} << 16);
  while (stream.read(buffer.data(), static_cast<std::streamsize>(buffer.size())), stream.gcount() > 0)
    hash.update({buffer.data(), static_cast<std::size_t>(stream.gcount())});
  if (stream.bad()) throw InputError(path.string(), "", "cannot be read");
  return hash.hex_digest();
}

/// The name of a solver wherever its files are.
std::string known_as(const std::string& solver) { return is_external_name(solver) ? external_identity(solver) : solver; }

/// The key of the motion of a scene by a driver, however long.
std::string tape_key(const Json& scene, const SequenceSpec& sequence) {
  const DriverSpec& driver = sequence.driver;
  Json identity = {{"solver_version", solver_version},
                   {"scene", scene},
                   {"state", sequence.state_digest},
                   {"driver",
                    {{"solver", known_as(driver.solver)},
                     {"parameters", parameters_json(driver.parameters)},
                     {"model", model_name(driver.model)},
                     {"measure", measure_info(driver.stop.measure).name},
                     {"tolerance", driver.stop.tolerance},
                     {"max_iterations", driver.stop.max_iterations}}}};
  if (driver.peer_version) identity["driver"]["peer_version"] = *driver.peer_version;
  if (driver.stop.judge_every != 1) identity["driver"]["judge_every"] = driver.stop.judge_every;
  if (driver.guarded_start) identity["driver"]["guarded_start"] = true;
  return sha256_hex(dump_json(identity));
}

/// One problem of a plan: a spec, or one file of it.
struct PlannedProblem {
  std::string label, key, file;
  std::shared_ptr<const ProblemSpec> spec;
  std::string tape_key{}, missing{};
};

/// Resolves problem specs, each once.
class ProblemResolver {
 public:
  ProblemResolver(const Config& config, const PlanOptions& options) : config_(config) {
    const char* variable = std::getenv("CCPBENCH_FCLIB_DIR");
    folder_ = !options.fclib_dir.empty() ? options.fclib_dir : variable != nullptr ? variable : "";
  }

  const std::vector<PlannedProblem>& resolve(const std::shared_ptr<const ProblemSpec>& spec, std::size_t position) {
    auto [found, fresh] = resolved_.try_emplace(spec.get());
    if (fresh) found->second = spec->fclib.empty() ? std::vector{scene_problem(spec)} : files(spec, position);
    return found->second;
  }

  bool folder_named() const { return !folder_.empty(); }

  /// The files are looked for, not read: they have no digests.
  void find_only() { reading_ = false; }

  /// Throws InputError where files of the spec are below a folder that is not there; KnownMistakes from the second on.
  void need_folder(const ProblemSpec& spec, std::size_t position) {
    if (spec.fclib.empty() || spec.names_own_folder() || folder_listed_) return;
    std::error_code error;
    if (!config_.fetch.empty() && !fs::is_directory(folder_, error)) return;
    if (std::exchange(folder_missed_, true)) throw KnownMistakes();
    list_fclib_folder(child_pointer(child_pointer("/problems", position), "fclib"));
    folder_listed_ = true;
  }

 private:
  static PlannedProblem scene_problem(const std::shared_ptr<const ProblemSpec>& spec) {
    const Json identity = {{"scene", spec->scene}, {"parameters", parameters_json(spec->parameters)}, {"seed", spec->seed}};
    if (spec->sequence) return sequence_problem(identity, spec);
    return {spec->label, perturbed_key(sha256_hex(dump_json(identity)), *spec), "", spec};
  }

  static std::string perturbed_key(const std::string& key, const ProblemSpec& spec) {
    if (spec.perturbation == Perturbation{}) return key;
    return sha256_hex(dump_json({{"problem", key}, {"perturb", perturbation_json(spec.perturbation)}}));
  }

  static PlannedProblem sequence_problem(const Json& scene, const std::shared_ptr<const ProblemSpec>& spec) {
    const SequenceSpec& sequence = *spec->sequence;
    const bool own = sequence.trajectory == Trajectory::own;
    const std::string tape = tape_key(scene, sequence);
    const Json identity = {{"tape", tape},
                           {"steps", sequence.steps},
                           {"settle", sequence.settle},
                           {"driver_wall_s", sequence.driver.wall_s},
                           {"own", own}};
    return {spec->label, sha256_hex(dump_json(identity)), "", spec, own ? std::string() : tape};
  }

  std::vector<PlannedProblem> files(const std::shared_ptr<const ProblemSpec>& spec, std::size_t position) {
    const std::string place = child_pointer(child_pointer("/problems", position), "fclib");
    if (spec->names_own_folder()) return own_files(spec, place);
    const bool plain = std::none_of(paths_.begin(), paths_.end(),
                                    [](const std::string& path) { return path.find('/') != std::string::npos; });
    const std::string pattern = plain ? fs::path(spec->fclib).filename().string() : spec->fclib;
    const bool whole_path = pattern.find('/') != std::string::npos;
    std::vector<PlannedProblem> problems;
    for (const std::string& path : paths_)
      if (matches(pattern, whole_path ? path : fs::path(path).filename().string()))
        problems.push_back(file_problem(spec, folder_, path));
    if (problems.empty() && !config_.fetch.empty()) return {missing_file_problem(spec)};
    if (problems.empty())
      throw InputError(config_.file, place,
                       fmt::format("no file below {} matches '{}' ({})", folder_, spec->fclib, what_is_there()));
    return problems;
  }

  /// In the folder of the FCLib files, for those who look for others.
  std::string what_is_there() const {
    if (paths_.empty()) return "it holds no file";
    const auto dump = std::find_if(paths_.begin(), paths_.end(), [](const std::string& path) {
      return path.ends_with(".hdf5") || path.ends_with(".h5") || path.ends_with(".dat");
    });
    if (dump == paths_.end()) return fmt::format("no dump, *.hdf5 or *.dat, is among its files, such as {}", paths_.front());
    return fmt::format("it holds {} {}, such as {}", paths_.size(), paths_.size() == 1 ? "file" : "files", *dump);
  }

  /// Files that are named with their folder, absolute or from that of the config.
  std::vector<PlannedProblem> own_files(const std::shared_ptr<const ProblemSpec>& spec, const std::string& place) {
    const fs::path pattern = (fs::path(config_.file).parent_path() / spec->fclib).lexically_normal();
    fs::path folder;  // as far as it is no pattern
    for (const fs::path& part : pattern.parent_path()) {
      if (part.string().find_first_of("*?[") != std::string::npos) break;
      folder /= part;
    }
    if (folder.empty()) folder = ".";
    std::error_code error;
    if (fs::is_regular_file(pattern, error)) return {file_problem(spec, folder.string(), pattern.filename().string())};
    if (pattern.string().find_first_of("*?[") == std::string::npos)
      throw InputError(config_.file, place, fmt::format("there is no file {}", pattern.string()));
    if (!fs::is_directory(folder, error))
      throw InputError(config_.file, place, fmt::format("there is no folder {}", folder.string()));
    std::vector<PlannedProblem> problems;
    for (const std::string& path : files_below(folder.string()))
      if (matches(pattern.string(), (folder / path).lexically_normal().string()))
        problems.push_back(file_problem(spec, folder.string(), path));
    if (problems.empty())
      throw InputError(config_.file, place, fmt::format("no file below {} matches '{}'", folder.string(), spec->fclib));
    return problems;
  }

  static PlannedProblem missing_file_problem(const std::shared_ptr<const ProblemSpec>& spec) {
    const std::string stem = fs::path(spec->fclib).replace_extension().string();
    const std::string label = spec->label.empty() ? stem + spec->file_suffix : spec->label + "/" + stem;
    return {label, perturbed_key(sha256_hex(dump_json({{"missing", spec->fclib}})), *spec), "", spec, "", spec->fclib};
  }

  PlannedProblem file_problem(const std::shared_ptr<const ProblemSpec>& spec, const std::string& folder,
                              const std::string& path) {
    const std::string full = (fs::path(folder) / path).string();
    check_name(fs::absolute(full));
    auto [digest, fresh] = digests_.try_emplace(full);
    if (fresh && reading_) digest->second = file_digest(full);
    const std::string stem = fs::path(path).replace_extension().string();
    const std::string label = spec->label.empty() ? stem + spec->file_suffix : spec->label + "/" + stem;
    return {label, perturbed_key(digest->second, *spec), full, spec};
  }

  void list_fclib_folder(const std::string& place) {
    if (folder_.empty())
      throw InputError(config_.file, place,
                       "needs the folder of the FCLib files: pass --fclib DIR or set CCPBENCH_FCLIB_DIR");
    std::error_code error;
    if (!fs::is_directory(folder_, error))
      throw InputError(folder_, "", "is no folder, expected that of the FCLib files (--fclib)");
    paths_ = files_below(folder_);
  }

  /// All files, relative to the folder, sorted.
  static std::vector<std::string> files_below(const std::string& folder) {
    std::error_code error;
    std::vector<std::string> paths;
    const auto follow = fs::directory_options::follow_directory_symlink;
    for (fs::recursive_directory_iterator entry(folder, follow, error), end; entry != end; entry.increment(error)) {
      if (error) break;
      if (entry->is_regular_file(error)) paths.push_back(entry->path().lexically_relative(folder).generic_string());
    }
    if (error) throw InputError(folder, "", fmt::format("cannot be listed ({})", error.message()));
    std::sort(paths.begin(), paths.end());
    return paths;
  }

  const Config& config_;
  std::string folder_;  ///< of --fclib; empty: nobody named it
  bool reading_ = true;
  bool folder_listed_ = false, folder_missed_ = false;
  std::vector<std::string> paths_;              ///< below folder_, sorted
  std::map<std::string, std::string> digests_;  ///< by whole path
  std::map<const ProblemSpec*, std::vector<PlannedProblem>> resolved_;
};

std::string cell_hash(const Cell& cell) {
  Json identity = {{"solver_version", solver_version},
                   {"problem", cell.problem_key},
                   {"model", model_name(cell.model)},
                   {"solver", known_as(cell.solver->solver)},
                   {"parameters", parameters_json(cell.solver->parameters)},
                   {"stop", stop_json(cell.stop)},
                   {"trace", names_json(cell.trace)},
                   {"threads", cell.threads}};
  if (cell.solver->start_from_reference) identity["start"] = "reference";
  if (cell.solver->start_from_previous)
    identity["start"] = {{"previous", start_matches[static_cast<std::size_t>(*cell.solver->start_from_previous)]}};
  if (cell.spec->sequence && !cell.spec->sequence->trace_steps.empty())
    identity["trace_steps"] = cell.spec->sequence->trace_steps;
  if (cell.ranks > 0) identity["ranks"] = cell.ranks;
  if (cell.kernels) identity["kernels"] = 2;  // 1: not timed between iterations
  if (cell.solver->peer_version) identity["peer_version"] = *cell.solver->peer_version;
  return sha256_hex(dump_json(identity)).substr(0, 16);
}

/// Where a cell stands in the plan.
struct Position {
  std::size_t problem, model, solver, variant, order;
  auto operator<=>(const Position&) const = default;
};

class Planner {
 public:
  Planner(const Config& config, const PlanOptions& options)
      : config_(config), options_(options), resolver_(config, options) {}

  Plan plan() {
    for (std::size_t variant = 0; variant < config_.variants.size(); ++variant) add_variant(variant);
    mistakes_.raise();
    std::sort(positions_.begin(), positions_.end());
    Plan plan;
    plan.config_name = config_.name;
    plan.cells.reserve(cells_.size());
    for (const Position& position : positions_) plan.cells.push_back(std::move(cells_[position.order]));
    return plan;
  }

 private:
  void add_variant(std::size_t index) {
    const ConfigVariant& variant = config_.variants[index];
    std::vector<bool> used(variant.solvers.size(), false);
    bool runs = false;
    for (std::size_t p = 0; p < variant.problems.size(); ++p) {
      const std::vector<PlannedProblem>* problems = nullptr;
      const bool found = check_([&] {
        resolver_.need_folder(*variant.problems[p], p);
        problems = &resolver_.resolve(variant.problems[p], p);
      });
      if (!found) continue;
      runs = runs || !problems->empty();
      for (const PlannedProblem& problem : *problems)
        for (const Model model : variant.models)
          for (std::size_t s = 0; s < variant.solvers.size(); ++s) {
            if (!is_run_on(*variant.solvers[s], model, problem.label)) continue;
            used[s] = true;
            check_([&] { add_cell(variant, index, problem, model, s); });
          }
    }
    for (std::size_t s = 0; s < variant.solvers.size(); ++s)
      if (runs && !used[s])
        check_([&] {
          if (!variant.solvers[s]->problems.empty())
            throw InputError(config_.file, child_pointer("/solvers", s) + "/problems",
                             "leaves the solver without a run, expected labels of the config's problems");
          throw InputError(config_.file, child_pointer("/solvers", s) + "/models",
                           fmt::format("leaves the solver without a run, expected one of the config's models: {}",
                                       join(names_of(variant.models), ", ")));
        });
  }

  static bool is_run_on(const SolverSpec& solver, Model model, const std::string& problem) {
    const auto is_problem = [&](const std::string& pattern) { return pattern == problem || matches(pattern, problem); };
    return (solver.models.empty() || std::find(solver.models.begin(), solver.models.end(), model) != solver.models.end()) &&
           (solver.problems.empty() || std::any_of(solver.problems.begin(), solver.problems.end(), is_problem));
  }

  static std::vector<std::string> names_of(const std::vector<Model>& models) {
    std::vector<std::string> names;
    for (const Model model : models) names.emplace_back(model_name(model));
    return names;
  }

  void add_cell(const ConfigVariant& variant, std::size_t index, const PlannedProblem& problem, Model model,
                std::size_t solver) {
    Cell cell;
    cell.problem = problem.label;
    cell.problem_key = problem.key;
    cell.tape_key = problem.tape_key;
    cell.file = problem.file;
    cell.missing = problem.missing;
    cell.spec = problem.spec;
    cell.model = model;
    cell.solver = variant.solvers[solver];
    cell.label = cell.solver->label;
    cell.stop = variant.stop;
    cell.stop.native = variant.stops_natively(*cell.solver);
    cell.stop.max_iterations = cell.solver->max_iterations.value_or(variant.stop.max_iterations);
    if (cell.solver->time_limit_s > 0.0) cell.stop.time_limit_s = cell.solver->time_limit_s;
    cell.limits = variant.limits;
    cell.trace = variant.trace;
    cell.threads = cell.solver->threads.value_or(options_.threads);
    cell.ranks = cell.solver->ranks.value_or(variant.ranks);
    cell.kernels = config_.kernels;
    cell.hash = cell_hash(cell);
    if (!is_new(cell)) return;
    const auto rank = problem_rank_.try_emplace(problem.key + "\n" + problem.label, problem_rank_.size()).first->second;
    positions_.push_back({rank, model == Model::ccp ? 0u : 1u, solver, index, cells_.size()});
    cells_.push_back(std::move(cell));
  }

  /// Entries that a sweep does not touch come back with every combination.
  bool is_new(const Cell& cell) {
    const Limits limits = limits_.try_emplace(cell.hash, cell.limits).first->second;
    if (limits.wall_s != cell.limits.wall_s || limits.memory_mb != cell.limits.memory_mb)
      throw InputError(
          config_.file, "/sweep",
          fmt::format("gives '{}' two limits, but limits make no other cell; zip them with what needs them", cell.id()));
    const auto [known, fresh] = hashes_.try_emplace(cell.id(), cell.hash);
    if (known->second != cell.hash)
      throw InputError(
          config_.file, "",
          fmt::format("two different cells are called '{}', expected other labels of their problems or solvers", cell.id()));
    return fresh;
  }

  const Config& config_;
  const PlanOptions& options_;
  ProblemResolver resolver_;
  Mistakes mistakes_;
  Checks check_{&mistakes_};
  std::deque<Cell> cells_;  ///< in the order they were made; a vector would hold them twice while it grows
  std::vector<Position> positions_;
  std::map<std::string, std::string> hashes_;  ///< by id
  std::map<std::string, Limits> limits_;       ///< by hash
  std::map<std::string, std::size_t> problem_rank_;
};

}  // namespace

std::string Cell::id() const { return fmt::format("{}/{}/{}", problem, model_name(model), label); }

Plan make_plan(const Config& config, const PlanOptions& options) { return Planner(config, options).plan(); }

void look_for_files(const Config& config, const PlanOptions& options, Mistakes& mistakes) {
  ProblemResolver resolver(config, options);
  resolver.find_only();
  Checks check(&mistakes);
  for (const ConfigVariant& variant : config.variants)
    for (std::size_t p = 0; p < variant.problems.size(); ++p) {
      const auto& spec = variant.problems[p];
      if (spec->fclib.empty() || (!spec->names_own_folder() && !resolver.folder_named())) continue;
      check([&] {
        resolver.need_folder(*spec, p);
        resolver.resolve(spec, p);
      });
    }
}

std::pair<Config, Plan> read_and_plan(const std::string& file, const Catalog& catalog, const ConfigOverrides& overrides,
                                      const PlanOptions& options) {
  Mistakes mistakes;
  Config config = read_config(file, catalog, overrides, mistakes);
  if (!mistakes.none()) look_for_files(config, options, mistakes);
  mistakes.raise();
  Plan plan = make_plan(config, options);
  return {std::move(config), std::move(plan)};
}

bool is_selected(const Cell& cell, const std::string& only) { return only == cell.id() || matches(only, cell.id()); }

std::vector<std::size_t> select_cells(const Plan& plan, const std::vector<std::string>& only, Shard shard) {
  if (shard.count < 1 || shard.index < 1 || shard.index > shard.count)
    throw InputError(fmt::format("--shard {}/{}: expected K/N with 1 <= K <= N", shard.index, shard.count));
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < plan.cells.size(); ++i)
    if (only.empty() || std::any_of(only.begin(), only.end(),
                                    [&](const std::string& pattern) { return is_selected(plan.cells[i], pattern); }))
      chosen.push_back(i);
  if (chosen.empty())
    throw InputError(fmt::format("--only '{}' matches none of the {} cells of {}, such as '{}'", join(only, "', '"),
                                 plan.cells.size(), plan.config_name, plan.cells.front().id()));
  std::vector<std::size_t> mine;
  for (std::size_t i = 0; i < chosen.size(); ++i)
    if (i % static_cast<std::size_t>(shard.count) == static_cast<std::size_t>(shard.index - 1)) mine.push_back(chosen[i]);
  return mine;
}

}  // namespace ccp
