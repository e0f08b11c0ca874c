#include "bench/analysis/profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/error.hpp"

namespace ccp {
namespace {

constexpr std::size_t grid_points = 121;
constexpr double penalty = 10.0;  // an unsolved problem counts as this many times the dearest cost

/// SplitMix64: the same draws on every machine, which std::uniform_int_distribution does not promise.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : state_(seed) {}
  std::size_t below(std::size_t n) {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return static_cast<std::size_t>((z ^ (z >> 31U)) % n);
  }

 private:
  std::uint64_t state_;
};

std::string trace_column(const std::string& by) {
  return by == "time" ? "elapsed_s" : by == "iterations" ? "iteration" : by;
}

/// Whether a cell is asked for this cost: not where the solver does not support the problem, or does not count.
bool asks(const ResultRow& row, const std::string& by) {
  const bool counted = by == "time" || (by == "iterations" ? !row.restarts : !row.peer);
  return row.status != Status::unsupported && counted;
}

/// Null without one.
const CsvTable* trace_of(const ResultTable& results, const ResultRow& row, const ProfileOptions& options) {
  if (!results.has_trace(row)) return nullptr;
  const CsvTable& trace = results.trace(row);
  if (trace.column(options.measure) < 0)
    throw InputError(results.folder().string(), row.id(), fmt::format("its trace has no column '{}'", options.measure));
  return &trace;
}

double cost_of(const ResultTable& results, const ResultRow& row, double at, const ProfileOptions& options) {
  if (!asks(row, options.by)) return unknown_number;
  if (options.measure.empty()) {
    const double cost = results.metric(row, options.by + "_to", at);
    return std::isnan(cost) ? never : cost;
  }
  const CsvTable* trace = trace_of(results, row, options);
  for (std::size_t i = 0; trace != nullptr && i < trace->rows.size(); ++i)
    if (trace->number(i, options.measure) <= at) return trace->number(i, trace_column(options.by));
  return never;
}

/// Cost of a cell up to the tightest accuracy it comes to: the last decade it reaches, or the least value in its trace. 0
/// without one.
double dearest_cost(const ResultTable& results, const ResultRow& row, const ProfileOptions& options) {
  double cost = 0.0, least = never;
  if (!asks(row, options.by)) return cost;
  if (options.measure.empty()) {
    for (int decade = first_decade; decade <= last_decade; ++decade)
      if (const double to = results.metric(row, options.by + "_to", std::pow(10.0, -decade)); std::isfinite(to))
        cost = std::max(cost, to);
    return cost;
  }
  const CsvTable* trace = trace_of(results, row, options);
  for (std::size_t i = 0; trace != nullptr && i < trace->rows.size(); ++i) {
    if (!(trace->number(i, options.measure) < least)) continue;
    least = trace->number(i, options.measure);
    cost = trace->number(i, trace_column(options.by));
  }
  return std::isfinite(cost) ? cost : 0.0;
}

/// The value below which a fraction of the sorted draws lies.
double quantile(const std::vector<double>& sorted, double fraction) {
  return sorted[static_cast<std::size_t>(std::lround(fraction * static_cast<double>(sorted.size() - 1)))];
}

std::vector<double> log_grid(double low, double high) {
  std::vector<double> grid;
  const double step = std::log(high / low) / static_cast<double>(grid_points - 1);
  for (std::size_t i = 0; i < grid_points; ++i) grid.push_back(low * std::exp(step * static_cast<double>(i)));
  grid.front() = low;
  grid.back() = high;
  return grid;
}

/// Fraction of values at or below each point of the grid, with its band (L.3).
ProfileCurve curve(const std::string& label, const std::vector<double>& values, const std::vector<double>& grid,
                   const ProfileOptions& options) {
  const std::size_t n = values.size();
  std::vector<std::size_t> bin(n);
  for (std::size_t p = 0; p < n; ++p)
    bin[p] = static_cast<std::size_t>(std::lower_bound(grid.begin(), grid.end(), values[p]) - grid.begin());
  ProfileCurve result{label, grid, std::vector<double>(grid.size(), 0.0), {}, {}, n};
  for (std::size_t i = 0; i < grid.size(); ++i)
    result.fraction[i] = static_cast<double>(std::count_if(bin.begin(), bin.end(), [i](std::size_t b) { return b <= i; })) /
                         static_cast<double>(n);
  if (n < least_problems_for_bands) {
    result.low.assign(grid.size(), unknown_number);
    result.high.assign(grid.size(), unknown_number);
    return result;
  }
  std::vector<std::vector<double>> drawn(grid.size());
  Draws draws(options.seed);
  for (int d = 0; d < options.draws; ++d) {
    std::vector<double> hits(grid.size() + 1, 0.0);
    for (std::size_t p = 0; p < n; ++p) hits[bin[draws.below(n)]] += 1.0;
    double sum = 0.0;
    for (std::size_t i = 0; i < grid.size(); ++i) drawn[i].push_back((sum += hits[i]) / static_cast<double>(n));
  }
  for (auto& values_here : drawn) {
    std::sort(values_here.begin(), values_here.end());
    result.low.push_back(quantile(values_here, 0.025));
    result.high.push_back(quantile(values_here, 0.975));
  }
  return result;
}

double largest_finite(const std::vector<std::vector<double>>& values) {
  double largest = 0.0;
  for (const auto& row : values)
    for (const double value : row)
      if (std::isfinite(value)) largest = std::max(largest, value);
  return largest;
}

/// The values without those that are not asked of a solver.
std::vector<double> asked_of(std::vector<double> values) {
  values.erase(std::remove_if(values.begin(), values.end(), [](double value) { return std::isnan(value); }), values.end());
  return values;
}

/// Removes the problems p for which leave(p) is true. Returns how many.
template <typename Leave>
std::size_t leave_out(CostTable& table, std::vector<std::vector<char>>& given, Leave leave) {
  std::size_t kept = 0;
  const std::size_t all = table.problems.size();
  for (std::size_t p = 0; p < all; ++p) {
    if (leave(p)) continue;
    if (kept != p) table.problems[kept] = std::move(table.problems[p]);
    table.contacts[kept] = table.contacts[p];
    for (auto& costs : table.costs) costs[kept] = costs[p];
    for (auto& of_label : given) of_label[kept] = of_label[p];
    ++kept;
  }
  table.problems.resize(kept);
  table.contacts.resize(kept);
  for (auto& costs : table.costs) costs.resize(kept);
  for (auto& of_label : given) of_label.resize(kept);
  return all - kept;
}

/// The problem as its cells describe it.
struct Reading {
  bool failed = true;  ///< each of them, without sizes of the problem
  std::string reason;  ///< of all of them
};

/// A problem that could not be read or built has no sizes, and the same failure in each cell.
void take_reading(Reading& reading, bool first, const ResultTable& results, const ResultRow& row) {
  const bool failed = row.status == Status::failed || row.status == Status::crashed || row.status == Status::out_of_memory;
  const std::string reason = results.reason(row);
  if (first) reading.reason = reason;
  reading.failed = reading.failed && failed && std::isnan(results.metric(row, "contacts", 0.0)) && !reason.empty() &&
                   reason == reading.reason;
}

/// "no problem was given to all 3 solver settings: …", with the setting that has fewest.
std::string no_common_problem(const CostTable& table, const std::vector<std::vector<char>>& given) {
  std::vector<std::ptrdiff_t> counts;
  for (const auto& of_label : given) counts.push_back(std::count(of_label.begin(), of_label.end(), 1));
  const auto least = std::min_element(counts.begin(), counts.end());
  return fmt::format("no problem was given to all {} solver settings ('{}' has {} of {}); --model compares on one model",
                     table.labels.size(), table.labels[static_cast<std::size_t>(least - counts.begin())], *least,
                     table.problems.size());
}

/// Leaves the problems that were read, given to all solvers, and are asked of one at least.
void keep_comparable(CostTable& table, std::vector<std::vector<char>>& given, const std::vector<Reading>& readings,
                     const std::string& by) {
  table.unreadable = leave_out(table, given, [&](std::size_t p) { return readings[p].failed; });
  if (table.problems.empty()) throw InputError("no problem of the results could be read: " + readings.front().reason);
  const std::string none = no_common_problem(table, given);
  table.not_given_to_all = leave_out(table, given, [&](std::size_t p) {
    return std::any_of(given.begin(), given.end(), [p](const auto& of_label) { return of_label[p] == 0; });
  });
  if (table.problems.empty()) throw InputError(none);
  table.taken_by_none = leave_out(table, given, [&](std::size_t p) {
    return std::all_of(table.costs.begin(), table.costs.end(), [p](const auto& costs) { return std::isnan(costs[p]); });
  });
  if (table.problems.empty())
    throw InputError(fmt::format("no solver of the results counts {} on a problem that it supports", by));
}

/// A curve for each label, on a grid from `low` to the largest value.
std::vector<ProfileCurve> all_curves(const CostTable& table, const std::vector<std::vector<double>>& values, double low,
                                     const ProfileOptions& options) {
  const auto grid = log_grid(low, std::max(10.0 * low, largest_finite(values)));
  std::vector<ProfileCurve> curves;
  for (std::size_t s = 0; s < table.labels.size(); ++s)
    if (const auto asked = asked_of(values[s]); !asked.empty())
      curves.push_back(curve(table.labels[s], asked, grid, options));
  return curves;
}

double shifted_mean(const std::vector<double>& costs, const std::vector<std::size_t>& chosen, double shift) {
  double sum = 0.0;
  for (const std::size_t p : chosen) sum += std::log1p(costs[p] / shift);  // L.4, without cancellation where costs are small
  return shift * std::expm1(sum / static_cast<double>(chosen.size()));
}

}  // namespace

double tightest_accuracy(const std::vector<ResultTable>& results) {
  double tightest = 0.0;
  for (const ResultTable& result : results) {
    double asked = never;
    for (const ConfigVariant& variant : result.config().variants) asked = std::min(asked, variant.stop.tolerance);
    tightest = std::max(tightest, asked);
  }
  return tightest;
}

std::vector<double> usual_accuracies(const std::vector<ResultTable>& results) {
  const double tightest = tightest_accuracy(results);
  std::vector<double> accuracies;
  for (const double at : {1e-4, 1e-8, 1e-12})
    if (at >= tightest * (1.0 - 1e-9)) accuracies.push_back(at);
  if (!accuracies.empty()) return accuracies;
  const int decade = static_cast<int>(std::floor(-std::log10(tightest) + 1e-9));  // above 1e-4, so that it is small
  return {std::pow(10.0, -std::clamp(decade, first_decade, last_decade))};
}

std::size_t CostTable::taken(std::size_t label) const { return asked_of(costs[label]).size(); }

double cost_resolution(const std::string& by) { return by == "time" ? 1e-6 : 1.0; }

double default_shift(const std::string& by) { return by == "time" ? 0.01 : 10.0; }

CostTable cost_table(const std::vector<ResultTable>& results, double at, const ProfileOptions& options) {
  CostTable table;
  table.at = at;
  std::map<std::string, std::size_t> problem_of, label_of;
  std::map<std::pair<std::size_t, std::size_t>, double> costs;
  std::vector<Reading> readings;
  for (const ResultTable& result : results)
    for (const ResultRow& row : result.rows()) {
      if (options.model && row.model != *options.model) continue;
      const std::string name = fmt::format("{}/{}/{}", result.config().name, row.problem, model_name(row.model));
      const auto [problem, new_problem] = problem_of.try_emplace(name, table.problems.size());
      if (new_problem) {
        table.problems.push_back(name);
        table.contacts.push_back(unknown_number);
        readings.emplace_back();
      }
      take_reading(readings[problem->second], new_problem, result, row);
      if (double& contacts = table.contacts[problem->second]; std::isnan(contacts))
        contacts = result.metric(row, "contacts", 0.0);
      const auto [label, new_label] = label_of.try_emplace(row.label, table.labels.size());
      if (new_label) table.labels.push_back(row.label);
      if (!costs.emplace(std::pair(label->second, problem->second), cost_of(result, row, at, options)).second)
        throw InputError(result.folder().string(), row.id(), "stands twice in the results that are profiled together");
      table.dearest = std::max(table.dearest, dearest_cost(result, row, options));
    }
  if (table.problems.empty())
    throw InputError(options.model ? fmt::format("the results hold no cell of the model {}", model_name(*options.model))
                                   : std::string("the results hold no cell"));
  table.costs.assign(table.labels.size(), std::vector<double>(table.problems.size(), never));
  std::vector<std::vector<char>> given(table.labels.size(), std::vector<char>(table.problems.size(), 0));
  for (const auto& [place, cost] : costs) {
    table.costs[place.first][place.second] = cost;
    given[place.first][place.second] = 1;
  }
  keep_comparable(table, given, readings, options.by);
  return table;
}

std::vector<ProfileCurve> performance_profile(const CostTable& table, const ProfileOptions& options) {
  const double least = cost_resolution(options.by);
  auto ratios = table.costs;
  for (std::size_t p = 0; p < table.problems.size(); ++p) {
    double best = never;
    for (const auto& costs : table.costs)
      if (!std::isnan(costs[p])) best = std::min(best, std::max(costs[p], least));
    for (auto& row : ratios)
      if (!std::isnan(row[p])) row[p] = std::isfinite(row[p]) ? std::max(row[p], least) / best : never;
  }
  return all_curves(table, ratios, 1.0, options);
}

std::vector<ProfileCurve> data_profile(const CostTable& table, const ProfileOptions& options) {
  const bool time = options.by == "time";
  auto budgets = table.costs;
  double smallest = never;
  for (auto& row : budgets)
    for (std::size_t p = 0; p < row.size(); ++p) {
      if (std::isnan(row[p])) continue;
      row[p] = std::max(row[p], cost_resolution(options.by));
      if (time) row[p] /= std::max(1.0, std::isfinite(table.contacts[p]) ? table.contacts[p] : 1.0);
      smallest = std::min(smallest, row[p]);
    }
  if (!std::isfinite(smallest)) smallest = cost_resolution(options.by);
  return all_curves(table, budgets, smallest, options);
}

std::vector<ShiftedMean> shifted_means(const CostTable& table, const ProfileOptions& options) {
  const double shift = options.shift > 0.0 ? options.shift : default_shift(options.by);
  const double unsolved = penalty * std::max({table.dearest, largest_finite(table.costs), cost_resolution(options.by)});
  std::vector<ShiftedMean> means;
  for (std::size_t s = 0; s < table.labels.size(); ++s) {
    std::vector<double> costs = asked_of(table.costs[s]);
    const std::size_t n = costs.size();
    ShiftedMean mean{table.labels[s], 0, n, unknown_number, unknown_number, unknown_number};
    std::vector<std::size_t> chosen(n);
    for (std::size_t p = 0; p < n; ++p) {
      chosen[p] = p;
      mean.solved += std::isfinite(costs[p]) ? 1 : 0;
      if (!std::isfinite(costs[p])) costs[p] = unsolved;
    }
    if (mean.solved > 0) mean.mean = shifted_mean(costs, chosen, shift);
    if (mean.solved > 0 && n >= least_problems_for_bands) {
      Draws draws(options.seed);
      std::vector<double> drawn;
      for (int d = 0; d < options.draws; ++d) {
        for (std::size_t& p : chosen) p = draws.below(n);
        drawn.push_back(shifted_mean(costs, chosen, shift));
      }
      std::sort(drawn.begin(), drawn.end());
      mean.low = quantile(drawn, 0.025);
      mean.high = quantile(drawn, 0.975);
    }
    means.push_back(mean);
  }
  return means;
}

}  // namespace ccp
