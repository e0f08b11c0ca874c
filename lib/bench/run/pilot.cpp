#include "bench/run/pilot.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <new>
#include <string>
#include <system_error>
#include <utility>

#include "bench/results/trace_csv.hpp"
#include "bench/run/built_problem.hpp"
#include "bench/run/driver.hpp"
#include "bench/run/kernel_times.hpp"
#include "bench/run/shared_numbers.hpp"
#include "bench/run/worker.hpp"
#include "core/stopwatch.hpp"
#include "peers/peer_solver.hpp"
#include "process/process_pool.hpp"
#include "solvers/run_monitor.hpp"

namespace ccp {
namespace {

constexpr std::size_t most_cells = 200;                     // that are looked at
constexpr double shortest_look = 0.02, longest_look = 1.0;  // s, of one cell
constexpr double overhead = 0.01;                           // s: a process, and its files
constexpr int builds = 2;                                   // of a problem: first in a worker aside

/// The iterations of a run that was stopped, if it goes on as it has.
double expected_iterations(const StopRule& stop, const Result& result) {
  const double most = stop.max_iterations, done = std::max(1, result.iterations);
  const double value = result.measures[measure_index(stop.measure)];
  const double came = -std::log10(value), to_come = -std::log10(stop.tolerance);
  if (!std::isfinite(came) || !std::isfinite(to_come) || came <= 0.0) return most;
  return std::clamp(done * to_come / came, done, most);
}

/// What a look at a cell says.
struct Seen {
  double wall_s;  ///< of the whole cell
  bool ended;     ///< the look has seen its end: a longer one says no more
};

Seen look_at_cell(const Cell& cell, BuiltProblem& built, const Catalog& catalog, double look_s) {
  Stopwatch whole, solving;
  whole.start();
  const auto solver = configured_solver(cell.solver->solver, cell.solver->parameters, catalog);
  Judge* judge = built.judge(cell.model);
  if (judge == nullptr || solver->supports(built.problem(), cell.model)) return {overhead, true};
  const WarmStart start = start_of(cell, built, catalog);
  StopRule stop = cell.stop;
  stop.time_limit_s = std::min(stop.time_limit_s, look_s);
  RunMonitor monitor(*judge, stop, cell.threads);
  TraceCsv trace("/dev/null");
  monitor.set_trace(&trace, cell.trace);
  monitor.interrupt_when([&] { return solving.seconds() > 2.0 * look_s; });
  const double before = whole.seconds();
  solving.start();
  const Result result = solver->solve(built.problem(), cell.model, start, monitor);
  const double took = solving.seconds();
  const bool stopped = result.status == Status::interrupted ||
                       (result.verdict == Status::time_limit && stop.time_limit_s < cell.stop.time_limit_s);
  if (!stopped) return {overhead + before + took, true};
  const double expected = expected_solve_s(cell.stop, result, took, as_peer(*solver) != nullptr);
  return {std::min(overhead + before + expected, cell.limits.wall_s), false};
}

/// Cells of one problem, one after the other in the same worker. Numbers: the time of making the problem, then two for each
/// cell, what was seen of it.
void look_at_problem(const Plan& plan, const std::vector<std::size_t>& cells, const Catalog& catalog, double look_s,
                     SharedNumbers& numbers) {
  Stopwatch watch;
  watch.start();
  BuiltProblem built(plan.cells[cells.front()], catalog);
  for (const std::size_t index : cells) built.judge(plan.cells[index].model);
  numbers[0] = watch.seconds();
  for (std::size_t i = 0; i < cells.size(); ++i) {
    Seen seen{overhead, true};  // a cell that fails here fails as quickly in the run
    try {
      seen = look_at_cell(plan.cells[cells[i]], built, catalog, look_s);
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception&) {
    }
    numbers[2 * i + 1] = seen.wall_s;
    numbers[2 * i + 2] = seen.ended ? 1.0 : 0.0;
  }
}

/// Means over the cells that were looked at, for the others.
class Means {
 public:
  void add(const std::string& key, double seconds) {
    auto& [count, sum] = sums_[key];
    ++count;
    sum += seconds;
  }
  double of(const std::string& key) const {
    const auto found = sums_.find(key);
    return found == sums_.end() ? unknown_number : found->second.second / static_cast<double>(found->second.first);
  }

 private:
  std::map<std::string, std::pair<std::size_t, double>> sums_;
};

/// Looks in rounds: after a short look at every cell, longer ones at those that have not ended, while the budget lasts.
class Look {
 public:
  Look(const Plan& plan, const Catalog& catalog, double budget_s) : plan_(plan), catalog_(catalog), budget_s_(budget_s) {
    watch_.start();
  }

  void at(const std::vector<std::size_t>& cells, double look_s) {
    std::vector<std::size_t> open = cells;
    while (true) {
      open = round(open, look_s);
      if (open.empty()) return;
      double making = 0.0;
      for (const auto& [key, seconds] : making_of(open)) making += seconds;
      const double longer = (left() - making) / (2.0 * static_cast<double>(open.size()));
      if (look_s >= longest_look || longer < 2.0 * look_s) return;
      look_s = std::min(longer, longest_look);
    }
  }
  const std::map<std::size_t, double>& cells() const { return seen_; }
  /// Times of making the problems that came through, s, by their keys.
  const std::map<std::string, double>& making() const { return making_; }

 private:
  double left() const { return budget_s_ - watch_.seconds(); }

  std::map<std::string, double> making_of(const std::vector<std::size_t>& cells) const {
    std::map<std::string, double> some;
    for (const std::size_t index : cells) some[plan_.cells[index].problem_key] = making_.at(plan_.cells[index].problem_key);
    return some;
  }

  /// Returns the cells that have not ended.
  std::vector<std::size_t> round(const std::vector<std::size_t>& cells, double look_s) {
    std::map<std::string, std::vector<std::size_t>> problems;
    for (const std::size_t index : cells) problems[plan_.cells[index].problem_key].push_back(index);
    std::vector<std::size_t> open;
    for (const auto& [key, members] : problems) {
      if (left() <= 0.0) break;
      SharedNumbers numbers(2 * members.size() + 1);
      const Limits limits{left(), plan_.cells[members.front()].limits.memory_mb};
      pool_.spawn(0, limits, "/dev/null", [&] {
        look_at_problem(plan_, members, catalog_, look_s, numbers);
        return exit_came_through;
      });
      while (!pool_.wait(std::chrono::milliseconds(200))) {
      }
      if (std::isfinite(numbers[0])) making_[key] = numbers[0];
      for (std::size_t i = 0; i < members.size(); ++i) {
        if (!std::isfinite(numbers[2 * i + 1])) continue;
        seen_[members[i]] = numbers[2 * i + 1];
        if (numbers[2 * i + 2] == 0.0) open.push_back(members[i]);
      }
    }
    return open;
  }

  const Plan& plan_;
  const Catalog& catalog_;
  double budget_s_;
  Stopwatch watch_;
  ProcessPool pool_;
  std::map<std::size_t, double> seen_;
  std::map<std::string, double> making_;
};

}  // namespace

double expected_solve_s(const StopRule& stop, const Result& result, double took_s, bool off_clock_once) {
  const double iterating = took_s - result.setup_s, iterations = std::max(1, result.iterations);
  const double more = expected_iterations(stop, result) / iterations, limit = stop.time_limit_s - result.setup_s;
  if (off_clock_once || result.iterations < 2)
    return result.setup_s + std::max(0.0, iterating - result.solve_s) + std::min(result.solve_s * more, limit);
  const double on_clock = std::clamp(result.solve_s / iterating, 1e-3, 1.0);
  return result.setup_s + std::min(iterating * more, limit / on_clock);
}

PilotTimes look_at(const Plan& plan, const std::vector<std::size_t>& cells, const Catalog& catalog, double budget_s) {
  PilotTimes times;
  std::vector<std::size_t> still;
  for (const std::size_t index : cells)
    if (!plan.cells[index].spec->sequence) still.push_back(index);
  // Solver by solver: every so many of the plan's order could be the same solver each time.
  std::vector<std::size_t> some = still;
  std::stable_sort(some.begin(), some.end(), [&](std::size_t a, std::size_t b) {
    return plan.cells[a].solver->label < plan.cells[b].solver->label;
  });
  const std::size_t stride = std::max<std::size_t>(1, (still.size() + most_cells - 1) / most_cells);
  for (std::size_t i = 0; i * stride < some.size(); ++i) some[i] = some[i * stride];
  some.resize((some.size() + stride - 1) / stride);
  std::sort(some.begin(), some.end());
  Look look(plan, catalog, budget_s);
  look.at(some, std::clamp(budget_s / (2.0 * static_cast<double>(std::max<std::size_t>(1, some.size()))), shortest_look,
                           longest_look));
  times.cells = look.cells();
  Means solvers, making;
  for (const auto& [index, seconds] : look.cells()) solvers.add(plan.cells[index].solver->solver, seconds);
  for (const auto& [key, seconds] : look.making()) making.add("", seconds);
  std::map<std::string, const Cell*> problems;
  for (const std::size_t index : still) {
    const Cell& cell = plan.cells[index];
    problems[cell.problem_key] = &cell;
    if (const double mean = solvers.of(cell.solver->solver); std::isfinite(mean)) times.cells.try_emplace(index, mean);
  }
  for (const auto& [key, cell] : problems) {
    const double mean = making.of("");
    if (std::isfinite(mean)) times.build_s += builds * mean;
    if (cell->kernels) times.build_s += least_measuring_s;
  }
  return times;
}

}  // namespace ccp
