#include "bench/run/run_limits.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>

#include "bench/results/result_store.hpp"
#include "bench/run/repeats.hpp"

namespace ccp {

RunLimits limits_of_run(const Plan& plan, const std::vector<std::size_t>& chosen, const Catalog& catalog,
                        const RunOptions& options) {
  const ResultStore store = ResultStore::to_read(std::filesystem::path(options.out) / plan.config_name);
  const Timing timing = timing_of(options, !plan.cells.empty() && plan.cells.front().kernels);
  RunLimits limits;
  std::set<std::string> seen;
  std::map<std::string, double> drivers;  // by the key of their tape
  double sum = 0.0, longest = 0.0;
  int widest = 1;
  for (const std::size_t index : chosen) {
    const Cell& cell = plan.cells[index];
    if (!cell.missing.empty() || !seen.insert(cell.hash).second) continue;
    auto record = store.has_result(cell) ? store.find(cell) : std::nullopt;
    if (record && std::isfinite(record->wall_s)) {
      ++limits.stored;
      limits.stored_s += record->wall_s;
    }
    if (options.fresh) record.reset();
    const int runs = missing_runs(record ? &*record : nullptr, timing, timing.passes == 2 && can_replay(cell, catalog));
    if (runs == 0) continue;
    (record ? limits.to_repeat : limits.to_run).push_back(index);
    if (!record && !cell.tape_key.empty())
      drivers[cell.tape_key] = std::max(drivers[cell.tape_key], cell.spec->sequence->driver.wall_s);
    limits.runs += static_cast<std::size_t>(runs);
    const int width = std::clamp(cell.ranks, 1, options.jobs);
    widest = std::max(widest, width);
    sum += cell.limits.wall_s * runs * width;
    longest = std::max(longest, cell.limits.wall_s);
  }
  const double least_busy = options.jobs - widest + 1;  // while a cell waits
  limits.cells_s = sum / least_busy + longest * (1.0 - 1.0 / least_busy);  // Graham's bound for any order
  limits.drivers = drivers.size();
  for (const auto& [key, seconds] : drivers) limits.drivers_s += seconds;
  return limits;
}

}  // namespace ccp
