#include "bench/run/run_estimate.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "bench/config/config_json.hpp"
#include "bench/results/result_store.hpp"
#include "bench/run/pilot.hpp"
#include "bench/run/repeats.hpp"
#include "bench/run/sequence_pilot.hpp"
#include "io/file.hpp"

namespace ccp {
namespace {

namespace fs = std::filesystem;

struct Sum {
  std::size_t count = 0;
  double wall_s = 0.0;

  void add(double seconds) {
    ++count;
    wall_s += seconds;
  }
  double mean() const { return wall_s / static_cast<double>(count); }
};

/// Wall times of stored results, whatever the parameters of their solvers, by solver and by solver and problem. Those of
/// problems that the plan does not have are left out: they may be of another size, which says nothing about this one.
class StoredTimes {
 public:
  StoredTimes(const fs::path& folder, const Plan& plan) {
    for (const Cell& cell : plan.cells) problems_.insert(cell.problem_key);
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(folder / "cells", none)) {
      const Json json = try_parse_json(read_file(entry.path() / "cell.json").value_or(""));
      if (json.is_object()) add(json);
    }
  }

  /// Nothing for a solver without a result.
  std::optional<double> expected(const Cell& cell) const {
    if (const auto found = by_problem_.find({cell.solver->solver, cell.problem_key}); found != by_problem_.end())
      return std::min(found->second.mean(), cell.limits.wall_s);
    const double steps = cell.spec->sequence ? static_cast<double>(cell.spec->sequence->solved_steps()) : 1.0;
    if (const auto found = by_solver_.find(kind_of(cell)); found != by_solver_.end())
      return std::min(found->second.mean() * steps, cell.limits.wall_s);
    return std::nullopt;
  }
  std::size_t results(const Cell& cell) const { return by_solver_.at(kind_of(cell)).count; }

 private:
  void add(const Json& json) try {
    const Json& wall = json.at("times").at("wall_s");
    const Json& problem = json.at("problem");
    if (!wall.is_number() || !problem.contains("rows")) return;  // its problem was never built
    const auto key = problem.at("sha256").get<std::string>();
    if (!problems_.contains(key)) return;
    const auto solver = json.at("solver").at("name").get<std::string>();
    const double steps = json.contains("steps") ? json["steps"].at("steps").get<double>() : 0.0;
    if (steps > 0.0)
      by_solver_[{solver, true}].add(wall.get<double>() / steps);
    else
      by_solver_[{solver, false}].add(wall.get<double>());
    by_problem_[{solver, key}].add(wall.get<double>());
  } catch (const nlohmann::json::exception&) {
    // no result
  }

  /// The name of a solver, and whether it runs a sequence: times of these are those of a step.
  using Kind = std::pair<std::string, bool>;
  static Kind kind_of(const Cell& cell) { return {cell.solver->solver, cell.spec->sequence.has_value()}; }

  std::set<std::string> problems_;  ///< their keys, of the plan
  std::map<Kind, Sum> by_solver_;
  std::map<std::pair<std::string, std::string>, Sum> by_problem_;
};

}  // namespace

RunEstimate estimate_run(const Plan& plan, const std::vector<std::size_t>& chosen, const Catalog& catalog,
                         const RunOptions& options, double look_s) {
  const fs::path folder = fs::path(options.out) / plan.config_name;
  const StoredTimes stored(folder, plan);
  const ResultStore store = ResultStore::to_read(folder);
  const Timing timing = timing_of(options, !plan.cells.empty() && plan.cells.front().kernels);
  const double jobs = options.jobs;
  RunEstimate estimate;
  std::set<std::string> seen;
  std::set<std::pair<std::string, bool>> solvers;
  double longest_expected = 0.0, longest_look = 0.0, longest_sequence = 0.0, longest_limit = 0.0;
  std::vector<std::pair<std::size_t, int>> without_results;  // and their runs
  for (const std::size_t index : chosen) {
    const Cell& cell = plan.cells[index];
    if (!seen.insert(cell.hash).second) continue;
    auto record = options.fresh ? std::nullopt : store.find(cell);
    if (record && !store.has_result(cell)) record.reset();
    const int runs = missing_runs(record ? &*record : nullptr, timing, timing.passes == 2 && can_replay(cell, catalog));
    if (runs == 0) continue;
    (record ? estimate.again : estimate.to_run).push_back(index);
    estimate.runs += static_cast<std::size_t>(runs);
    if (const auto expected = stored.expected(cell)) {
      ++estimate.expected_cells;
      estimate.expected_s += *expected * runs;
      longest_expected = std::max(longest_expected, *expected);
      if (solvers.insert({cell.solver->solver, cell.spec->sequence.has_value()}).second)
        estimate.results += stored.results(cell);
    } else {
      without_results.emplace_back(index, runs);
    }
  }
  std::vector<std::size_t> unknown, sequences;
  for (const auto& [index, runs] : without_results)
    (plan.cells[index].spec->sequence ? sequences : unknown).push_back(index);
  if (!unknown.empty() && !sequences.empty()) look_s /= 2.0;
  const PilotTimes looked = look_at(plan, unknown, catalog, look_s);
  estimate.build_s = looked.build_s;
  const SequencePilot moving = look_at_sequences(plan, sequences, catalog, folder, look_s);
  estimate.drive_s = moving.drive_s;
  estimate.looked_steps = moving.looked_steps;
  estimate.reach = moving.reach;
  for (const auto& [index, runs] : without_results) {
    const double limit = plan.cells[index].limits.wall_s;
    if (const auto found = looked.cells.find(index); found != looked.cells.end()) {
      ++estimate.looked_cells;
      estimate.looked_s += found->second * runs;
      longest_look = std::max(longest_look, found->second);
    } else if (const auto sequence = moving.cells.find(index); sequence != moving.cells.end()) {
      ++estimate.sequence_cells;
      estimate.sequence_s += sequence->second * runs;
      longest_sequence = std::max(longest_sequence, sequence->second);
    } else {
      ++estimate.unknown_cells;
      estimate.limit_s += limit * runs;
      longest_limit = std::max(longest_limit, limit);
    }
  }
  estimate.looked_s = std::max(estimate.looked_s / jobs, longest_look);
  estimate.sequence_s = std::max(estimate.sequence_s / jobs, longest_sequence);
  estimate.expected_s = std::max(estimate.expected_s / jobs, longest_expected);
  // Graham's bound for a list of tasks in any order.
  estimate.limit_s = estimate.limit_s / jobs + longest_limit * (1.0 - 1.0 / jobs);
  return estimate;
}

}  // namespace ccp
