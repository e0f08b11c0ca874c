#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "bench/config/catalog.hpp"
#include "bench/config/plan.hpp"
#include "bench/results/result_store.hpp"
#include "bench/run/attempt.hpp"
#include "bench/run/built_problem.hpp"
#include "bench/run/step_counter.hpp"
#include "process/process_pool.hpp"

namespace ccp {

/// Runs a body in a worker that belongs to no cell, within limits, while cells go on. Nothing when it came to its end; the
/// defect is `interrupted` when the run was stopped meanwhile.
using RunApart = std::function<std::optional<Defect>(const Cell&, const Limits&, const std::function<void()>&)>;

/// The preparation of a cell for its worker: its problem, with judge and times of kernels, or the tape of its sequence.
class Preparation {
 public:
  /// fresh: tapes are made anew.
  Preparation(const Catalog& catalog, const ResultStore& store, bool fresh, RunApart run_apart)
      : catalog_(catalog), store_(store), fresh_(fresh), run_apart_(std::move(run_apart)) {}

  /// Whether problem() or tape() of the cell has nothing to make but a judge.
  bool is_ready(const Cell& cell) const;

  /// Makes problem and judge of a cell, first in a worker apart, because a damaged file can end the process that reads it.
  /// Only the problem made last is kept.
  std::optional<Defect> problem(const Cell& cell);
  /// The problem made last.
  BuiltProblem& built() { return *built_; }
  /// Facts and kernels of the problem of a cell, where it is the one made last.
  void add_facts(const Cell& cell, CellRecord& record) const;

  /// Makes the tape of a cell as long as it needs it. was_made: it had one. note: gets what was wrong with the one there.
  std::optional<Defect> tape(const Cell& cell, StepCounter& counter, bool was_made, std::string& note);
  std::filesystem::path tape_folder(const Cell& cell) const;

 private:
  void measure_kernels_once(const Cell& cell);

  const Catalog& catalog_;
  const ResultStore& store_;
  const bool fresh_;
  const RunApart run_apart_;
  std::unique_ptr<BuiltProblem> built_;
  std::string built_key_;
  std::set<Model> tried_;                               ///< models whose judge was made apart, of the problem that is built
  std::map<int, std::optional<KernelTimes>> kernels_;   ///< of the problem that is built, by threads
  std::map<std::string, std::optional<Defect>> tapes_;  ///< by problem key
  std::set<std::string> renewed_;                       ///< keys of tapes that a fresh run has begun anew
};

}  // namespace ccp
