#include "views/report_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <string>

#include "bench/analysis/profile.hpp"
#include "bench/results/folder_lock.hpp"
#include "core/error.hpp"
#include "terminal/arguments.hpp"
#include "terminal/terminal.hpp"

namespace ccp::cli {
namespace {

constexpr std::size_t most_lines = 24;

struct Axis {
  const char *by, *cost, *budget;
};

constexpr Axis axes[] = {{"time", "solver time", "solver time per contact (s)"},
                         {"iterations", "iterations", "iterations"},
                         {"products", "products with N", "products with N"},
                         {"back_solves", "back-solves", "back-solves"}};

/// Solver settings that solve most, the cheaper before the dearer; those that solve nothing come last.
std::vector<std::size_t> best_first(const CostTable& table) {
  std::vector<std::pair<double, double>> rank(table.labels.size());
  for (std::size_t s = 0; s < rank.size(); ++s)
    for (const double cost : table.costs[s])
      if (std::isfinite(cost)) {
        rank[s].first -= 1.0;
        rank[s].second += std::log(cost + default_shift("time"));
      }
  std::vector<std::size_t> order(rank.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return rank[a] < rank[b]; });
  return order;
}

/// The labels of the best solver settings where there are too many for one plot. All are measured against all.
std::set<std::string> shown_labels(const CostTable& table) {
  auto kept = best_first(table);
  kept.resize(std::min(kept.size(), most_lines));
  std::set<std::string> labels;
  for (const std::size_t s : kept) labels.insert(table.labels[s]);
  return labels;
}

double four_digits(double value) { return std::stod(fmt::format("{:.4g}", value)); }

/// The corners of the steps; two points of one height say all of what lies between them.
Json line(const ProfileCurve& curve) {
  Json points = Json::array();
  const auto same = [&](std::size_t i, std::size_t j) {
    const bool banded = !std::isnan(curve.low[i]);
    return curve.fraction[i] == curve.fraction[j] &&
           (!banded || (curve.low[i] == curve.low[j] && curve.high[i] == curve.high[j]));
  };
  for (std::size_t i = 0; i < curve.x.size(); ++i) {
    if (i > 0 && i + 1 < curve.x.size() && same(i - 1, i)) continue;
    Json point = {four_digits(curve.x[i]), four_digits(curve.fraction[i])};
    if (!std::isnan(curve.low[i])) {
      point.push_back(four_digits(curve.low[i]));
      point.push_back(four_digits(curve.high[i]));
    }
    points.push_back(std::move(point));
  }
  return {{"label", curve.label}, {"points", points}};
}

Json mean_entries(const CostTable& table, const ProfileOptions& options) {
  Json entries = Json::array();
  for (const ShiftedMean& mean : shifted_means(table, options))
    entries.push_back({{"label", mean.label},
                       {"solved", mean.solved},
                       {"problems", mean.problems},
                       {"mean", mean.mean},
                       {"low", mean.low},
                       {"high", mean.high}});
  return entries;
}

bool reached(const CostTable& table) {
  return std::any_of(table.costs.begin(), table.costs.end(), [](const auto& costs) {
    return std::any_of(costs.begin(), costs.end(), [](double cost) { return std::isfinite(cost) && cost > 0.0; });
  });
}

/// Empty where no solver counts this cost.
CostTable costs_or_none(const std::vector<ResultTable>& results, double at, const ProfileOptions& options) {
  try {
    return cost_table(results, at, options);
  } catch (const InputError&) {
    return {};
  }
}

/// The performance and the data profile of one model, at one accuracy, by one cost; none when there is nothing to compare.
void add_profiles(const std::vector<ResultTable>& results, Model model, const Axis& axis, double at, Json& entries) {
  ProfileOptions options;
  options.by = axis.by;
  options.model = model;  // solvers of one model only would else fail the problems of the other
  const CostTable table = costs_or_none(results, at, options);
  if (table.problems.size() < 2 || !reached(table)) return;
  const std::set<std::string> shown = shown_labels(table);
  const auto add = [&](const std::string& kind, const std::string& x, const std::vector<ProfileCurve>& curves) {
    Json lines = Json::array();
    for (const ProfileCurve& curve : curves)
      if (shown.contains(curve.label)) lines.push_back(line(curve));
    entries.push_back({{"name", fmt::format("{} profile, {}, {}, accuracy {:g}", kind, model_name(model), axis.cost, at)},
                       {"kind", kind},
                       {"model", model_name(model)},
                       {"by", axis.by},
                       {"cost", axis.cost},
                       {"at", at},
                       {"x", x},
                       {"y", "fraction of the problems"},
                       {"problems", table.problems.size()},
                       {"untaken", table.taken_by_none},
                       {"unreadable", table.unreadable},
                       {"not_given_to_all", table.not_given_to_all},
                       {"settings", table.labels.size()},
                       {"lines", lines}});
  };
  add("performance", fmt::format("{}, as a multiple of the best solver's", axis.cost), performance_profile(table, options));
  entries.back()["shift"] = default_shift(axis.by);
  entries.back()["means"] = mean_entries(table, options);
  add("data", axis.budget, data_profile(table, options));
}

}  // namespace

Json claim_entry(const Judgement& judgement) {
  const Claim& claim = judgement.claim;
  return {{"id", claim.id},
          {"says", claim.says},
          {"where", claim.where},
          {"set_afterwards", claim.set_afterwards},
          {"must", claim.must},
          {"bound", bound_text(judgement)},
          {"measured", claim_number(judgement.measured) + left_out_text(judgement)},
          {"margin", margin_text(judgement)},
          {"verdict", verdict_name(judgement.verdict)},
          {"reason", judgement.reason},
          {"see", page_on_miss(judgement)}};
}

Json profile_entries(const std::vector<ResultTable>& results) {
  std::set<Model> models;
  for (const ResultTable& result : results)
    for (const ResultRow& row : result.rows()) models.insert(row.model);
  Json entries = Json::array();
  for (const Model model : models)
    for (const Axis& axis : axes)
      for (const double at : usual_accuracies(results)) add_profiles(results, model, axis, at, entries);
  return entries;
}

Json analysis_entry(const std::string& folder, const std::string& fclib_dir) {
  Json found = {{"writer", writer_of(folder)}};
  try {
    const std::vector<ResultTable> results(1, ResultTable(folder, catalog(), fclib_dir));
    if (!results.front().note().empty()) report_note(results.front().note());
    Json claims = Json::array();
    for (const Judgement& judgement : judge_claims(results.front())) claims.push_back(claim_entry(judgement));
    found.update({{"claims", claims}, {"profiles", profile_entries(results)}});
  } catch (const InputError& error) {
    found["note"] = error.what();
  }
  return found;
}

}  // namespace ccp::cli
