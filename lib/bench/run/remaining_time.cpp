#include "bench/run/remaining_time.hpp"

#include <algorithm>
#include <cmath>

namespace ccp {

void RemainingTime::add(const std::string& solver, const std::string& problem_key, double wall_limit_s) {
  Solver& entry = solvers_[solver];
  ++entry.waiting;
  entry.limit_s = std::max(entry.limit_s, wall_limit_s);
  problems_.try_emplace(problem_key, false);
}

void RemainingTime::built(const std::string& problem_key, double seconds) {
  problems_[problem_key] = true;
  ++builds_;
  build_s_ += seconds;
}

void RemainingTime::started(std::size_t id, const std::string& solver, double wall_limit_s, double now_s) {
  skipped(solver);
  running_[id] = {solver, wall_limit_s, now_s};
}

void RemainingTime::finished(std::size_t id, double wall_s) {
  const auto cell = running_.find(id);
  if (cell == running_.end()) return;
  Solver& solver = solvers_[cell->second.solver];
  ++solver.done;
  solver.wall_s += wall_s;
  running_.erase(cell);
}

void RemainingTime::skipped(const std::string& solver) {
  Solver& entry = solvers_[solver];
  if (entry.waiting > 0) --entry.waiting;
}

double RemainingTime::mean(const Solver& solver) const {
  Solver known = solver;
  if (known.done == 0)
    for (const auto& [name, other] : solvers_) {
      known.done += other.done;
      known.wall_s += other.wall_s;
    }
  const double mean = known.wall_s / static_cast<double>(known.done);
  return solver.limit_s > 0.0 ? std::min(mean, solver.limit_s) : mean;
}

std::optional<double> RemainingTime::left_s(int jobs, double now_s) const {
  if (std::none_of(solvers_.begin(), solvers_.end(), [](const auto& entry) { return entry.second.done > 0; }))
    return std::nullopt;
  double work = 0.0, longest = 0.0;
  for (const auto& [name, solver] : solvers_) {
    if (solver.waiting == 0) continue;
    work += static_cast<double>(solver.waiting) * mean(solver);
    longest = std::max(longest, mean(solver));
  }
  for (const auto& [id, cell] : running_) {
    const double elapsed = now_s - cell.start_s;
    const double rest = std::min(std::abs(mean(solvers_.at(cell.solver)) - elapsed), std::max(0.0, cell.limit_s - elapsed));
    work += rest;
    longest = std::max(longest, rest);
  }
  const auto unbuilt = std::count_if(problems_.begin(), problems_.end(), [](const auto& entry) { return !entry.second; });
  const double builds = builds_ > 0 ? static_cast<double>(unbuilt) * build_s_ / static_cast<double>(builds_) : 0.0;
  return builds + std::max(work / jobs, longest);
}

}  // namespace ccp
