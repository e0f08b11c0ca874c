#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>

namespace ccp {

/// Estimates how long a run will still take, from the wall times measured so far: of each solver, the mean of its finished
/// cells, or of all finished cells where it has none; of each problem that is not built yet, the mean of those that were.
/// A cell that runs for longer than its mean is taken to go on for as long as it is over it. All times in s, of one clock.
class RemainingTime {
 public:
  /// A cell that is to run. wall_limit_s: the longest it can take.
  void add(const std::string& solver, const std::string& problem_key, double wall_limit_s);

  void built(const std::string& problem_key, double seconds);
  void started(std::size_t id, const std::string& solver, double wall_limit_s, double now_s);
  /// A cell that has run.
  void finished(std::size_t id, double wall_s);
  /// A cell that needed no worker: it says nothing about the others.
  void skipped(const std::string& solver);

  /// Nothing before the first finished cell.
  std::optional<double> left_s(int jobs, double now_s) const;

 private:
  struct Solver {
    std::size_t waiting = 0, done = 0;
    double wall_s = 0.0, limit_s = 0.0;
  };
  struct Running {
    std::string solver;
    double limit_s = 0.0, start_s = 0.0;
  };

  double mean(const Solver& solver) const;

  std::map<std::string, Solver> solvers_;
  std::map<std::size_t, Running> running_;
  std::map<std::string, bool> problems_;  ///< key; whether it was built
  std::size_t builds_ = 0;
  double build_s_ = 0.0;
};

}  // namespace ccp
