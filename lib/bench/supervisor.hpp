#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "bench/built_problem.hpp"
#include "bench/catalog.hpp"
#include "bench/plan.hpp"
#include "bench/process_pool.hpp"
#include "bench/result_store.hpp"
#include "bench/runner.hpp"

namespace ccp {

/// Runs cells in worker processes: builds each problem once, forks, enforces limits, and writes the results of workers that
/// died. This process stays single-threaded, so that a fork copies everything there is.
class Supervisor {
 public:
  Supervisor(const Plan& plan, const Catalog& catalog, const ResultStore& store, int jobs, RunProgress& progress);

  /// Runs the cells with these indices, in that order. Returns false when interrupted: what ran then is discarded.
  bool run(const std::vector<std::size_t>& cells, const InterruptGuard& guard);

 private:
  /// Time left, from the cells of the same solver or of all.
  class Estimate {
   public:
    void add_remaining(const std::string& solver) { ++solvers_[solver].remaining; }
    void finished(const std::string& solver, double wall_s);
    std::optional<double> left_s(int jobs) const;

   private:
    struct Sum {
      std::size_t remaining = 0, done = 0;
      double wall_s = 0.0;
    };
    std::map<std::string, Sum> solvers_;
  };

  void start(std::size_t index);
  void build(const Cell& cell);
  void finish(const WorkerExit& exit);
  void finish_without_worker(std::size_t index, Status status, const std::string& reason);
  void report(std::size_t index, const CellRecord& record, double wall_s);
  CellRecord record_of_dead(const Cell& cell, const WorkerExit& exit) const;
  RunCounts counts() const;

  const Plan& plan_;
  const Catalog& catalog_;
  const ResultStore& store_;
  const int jobs_;
  RunProgress& progress_;
  ProcessPool pool_;
  std::string built_key_;
  std::map<int, std::optional<KernelTimes>> kernels_;  ///< of the problem that is built, by threads
  std::unique_ptr<BuiltProblem> built_;
  Estimate estimate_;
  RunCounts counts_;
};

}  // namespace ccp
