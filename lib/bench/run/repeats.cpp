#include "bench/run/repeats.hpp"

#include <sched.h>

#include <algorithm>

#include "peers/peer_solver.hpp"

namespace ccp {
namespace {

int timed_pass(const Timing& timing, bool replayable) { return timing.passes == 2 && replayable ? 2 : 1; }

}  // namespace

bool can_replay(const Cell& cell, const Catalog& catalog) {
  if (cell.ranks > 0) return false;
  const auto solver = catalog.make_solver(cell.solver->solver);
  return solver->native(cell.model) && as_peer(*solver) == nullptr;
}

std::optional<int> next_pass(const CellRecord& record, const Timing& timing, bool replayable) {
  if (missing_runs(&record, timing, replayable) == 0) return std::nullopt;
  return timed_pass(timing, replayable);
}

int missing_runs(const CellRecord* record, const Timing& timing, bool replayable) {
  const int pass = timed_pass(timing, replayable);
  if (record == nullptr) return timing.repeat + (pass == 2 ? 1 : 0);  // the run that writes the trace comes on top
  if (record->runs.empty() || record->runs.front().setup_s + record->runs.front().solve_s > timing.hopeless_s) return 0;
  const auto runs =
      std::count_if(record->runs.begin(), record->runs.end(), [&](const TimedRun& run) { return run.pass == pass; });
  return std::max(0, timing.repeat - static_cast<int>(runs));
}

std::vector<int> pin_to_cores(const Cell& cell) {
  const int count = std::max(cell.threads, cell.ranks);
  cpu_set_t allowed, chosen;
  CPU_ZERO(&allowed);
  CPU_ZERO(&chosen);
  std::vector<int> cores;
  if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) < count) return cores;
  // The last ones: the system has more to do on the first.
  for (int core = CPU_SETSIZE - 1; core >= 0 && static_cast<int>(cores.size()) < count; --core) {
    if (!CPU_ISSET(static_cast<std::size_t>(core), &allowed)) continue;
    CPU_SET(static_cast<std::size_t>(core), &chosen);
    cores.insert(cores.begin(), core);
  }
  if (::sched_setaffinity(0, sizeof chosen, &chosen) != 0) cores.clear();
  return cores;
}

}  // namespace ccp
