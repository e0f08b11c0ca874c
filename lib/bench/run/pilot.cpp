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
#include "bench/run/shared_numbers.hpp"
#include "bench/run/worker.hpp"
#include "core/stopwatch.hpp"
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

/// Wall time of a cell, s.
double look_at_cell(const Cell& cell, BuiltProblem& built, const Catalog& catalog, double look_s) {
  Stopwatch whole, solving;
  whole.start();
  const auto solver = configured_solver(cell.solver->solver, cell.solver->parameters, catalog);
  Judge* judge = built.judge(cell.model);
  if (judge == nullptr || solver->supports(built.problem(), cell.model)) return overhead;
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
  if (!stopped) return overhead + before + took;
  return std::min(overhead + before + expected_solve_s(cell.stop, result, took), cell.limits.wall_s);
}

/// Cells of one problem, one after the other in the same worker.
void look_at_problem(const Plan& plan, const std::vector<std::size_t>& cells, const Catalog& catalog, double look_s,
                     SharedNumbers& numbers) {
  Stopwatch watch;
  watch.start();
  BuiltProblem built(plan.cells[cells.front()], catalog);
  for (const std::size_t index : cells) built.judge(plan.cells[index].model);
  numbers[0] = builds * watch.seconds();
  for (std::size_t i = 0; i < cells.size(); ++i) try {
      numbers[i + 1] = look_at_cell(plan.cells[cells[i]], built, catalog, look_s);
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception&) {
      numbers[i + 1] = overhead;  // it fails as quickly in the run
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

}  // namespace

double expected_solve_s(const StopRule& stop, const Result& result, double took_s) {
  const double iterating = took_s - result.setup_s, iterations = std::max(1, result.iterations);
  const double on_clock = std::clamp(result.solve_s / iterating, 1e-3, 1.0);
  return result.setup_s + std::min(iterating / iterations * expected_iterations(stop, result),
                                   (stop.time_limit_s - result.setup_s) / on_clock);
}

PilotTimes look_at(const Plan& plan, const std::vector<std::size_t>& cells, const Catalog& catalog, double budget_s) {
  PilotTimes times;
  std::vector<std::size_t> still;
  for (const std::size_t index : cells)
    if (!plan.cells[index].spec->sequence) still.push_back(index);
  const std::size_t stride = (still.size() + most_cells - 1) / most_cells;
  std::map<std::string, std::vector<std::size_t>> problems;
  for (std::size_t i = 0; i < still.size(); ++i)
    if (i % std::max<std::size_t>(1, stride) == 0) problems[plan.cells[still[i]].problem_key].push_back(still[i]);
  const double look_s = std::clamp(budget_s * static_cast<double>(std::max<std::size_t>(1, stride)) /
                                       (2.0 * static_cast<double>(std::max<std::size_t>(1, still.size()))),
                                   shortest_look, longest_look);
  Stopwatch watch;
  watch.start();
  Means solvers, builds_of;
  ProcessPool pool;
  for (const auto& [key, members] : problems) {
    const double left = budget_s - watch.seconds();
    if (left <= 0.0) break;
    SharedNumbers numbers(members.size() + 1);
    const Limits limits{left, plan.cells[members.front()].limits.memory_mb};
    pool.spawn(0, limits, "/dev/null", [&] {
      look_at_problem(plan, members, catalog, look_s, numbers);
      return exit_came_through;
    });
    while (!pool.wait(std::chrono::milliseconds(200))) {
    }
    if (std::isfinite(numbers[0])) builds_of.add("", numbers[0]);
    for (std::size_t i = 0; i < members.size(); ++i)
      if (std::isfinite(numbers[i + 1])) {
        times.cells[members[i]] = numbers[i + 1];
        solvers.add(plan.cells[members[i]].solver->solver, numbers[i + 1]);
      }
  }
  std::map<std::string, bool> all_problems;
  for (const std::size_t index : still) {
    all_problems[plan.cells[index].problem_key] = true;
    const double mean = solvers.of(plan.cells[index].solver->solver);
    if (std::isfinite(mean)) times.cells.try_emplace(index, mean);
  }
  if (std::isfinite(builds_of.of(""))) times.build_s = builds_of.of("") * static_cast<double>(all_problems.size());
  return times;
}

}  // namespace ccp
