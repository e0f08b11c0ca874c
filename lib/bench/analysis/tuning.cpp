#include "bench/analysis/tuning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <random>
#include <set>
#include <sstream>

#include "core/error.hpp"
#include "core/text.hpp"

namespace ccp {
namespace {

constexpr std::size_t halving = 3;
constexpr double one_decade = 10.0;

[[noreturn]] void refuse_range(const Field& field, const std::string& expected) {
  throw InputError("", "--range " + field.name, expected);
}

double number_of_range(const Field& field, const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || *end != '\0' || !std::isfinite(value))
    refuse_range(field, fmt::format("'{}' is no number, expected LOW:HIGH", text));
  return value;
}

FieldValue typed(const Field& field, double value) {
  if (field.type == FieldType::integer) return static_cast<std::int64_t>(std::llround(value));
  return value;
}

/// The ends that the user gives.
void take_range(const Field& field, const std::string& range, SearchAxis& axis) {
  const std::size_t colon = range.find(':');
  if (colon == std::string::npos) refuse_range(field, fmt::format("'{}', expected LOW:HIGH", range));
  axis.low = number_of_range(field, range.substr(0, colon));
  axis.high = number_of_range(field, range.substr(colon + 1));
  if (!(axis.low < axis.high)) refuse_range(field, fmt::format("'{}', expected a low end below the high one", range));
  for (const double end : {axis.low, axis.high}) {
    if (field.type == FieldType::integer && end != std::floor(end)) refuse_range(field, "expected whole numbers");
    if (const auto defect = field.check(typed(field, end))) refuse_range(field, *defect);
  }
}

/// The ends that the setting declares, where those are open at some distance from the default.
void take_declared(const Field& field, SearchAxis& axis) {
  const bool whole = field.type == FieldType::integer;
  const double reach = whole ? 100.0 : 1e4, usual = whole ? static_cast<double>(std::get<std::int64_t>(field.default_value))
                                                          : std::get<double>(field.default_value);
  const bool open_low = std::isinf(field.range.min) || field.range.min_open;
  const bool open_high = std::isinf(field.range.max) || field.range.max_open;
  if ((open_low || open_high) && !(usual > 0.0))
    refuse_range(field, fmt::format("is needed: the setting takes {}, and its default is {}",
                                    field.range.text().empty() ? "every number" : "numbers " + field.range.text(), usual));
  axis.low = open_low ? std::max(usual / reach, field.range.min) : field.range.min;
  if (open_low && axis.low == field.range.min) axis.low = 0.5 * (axis.low + usual);
  axis.high = open_high ? std::min(usual * reach, field.range.max) : field.range.max;
  if (open_high && axis.high == field.range.max) axis.high = 0.5 * (axis.high + usual);
  if (whole) {
    axis.low = std::ceil(axis.low);
    axis.high = std::floor(axis.high);
  }
}

std::vector<std::string> chosen_values(const Field& field, const std::string& range) {
  const std::vector<std::string> all =
      field.type == FieldType::flag ? std::vector<std::string>{"false", "true"} : field.choices;
  if (range.empty()) return all;
  std::vector<std::string> chosen;
  std::istringstream list(range);
  for (std::string one; std::getline(list, one, '|');) {
    if (std::find(all.begin(), all.end(), one) == all.end())
      refuse_range(field, fmt::format("'{}', expected some of {}, with | between them", one, join(all, ", ")));
    if (std::find(chosen.begin(), chosen.end(), one) == chosen.end()) chosen.push_back(one);
  }
  return chosen;
}

/// In [0, 1), as in all scenes: the mapping of the standard library differs between implementations.
double uniform_number(std::mt19937_64& engine) { return static_cast<double>(engine() >> 11) * 0x1p-53; }

std::vector<std::size_t> shuffled(std::size_t count, std::mt19937_64& engine) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = count; i > 1; --i)
    std::swap(order[i - 1], order[static_cast<std::size_t>(uniform_number(engine) * static_cast<double>(i))]);
  return order;
}

}  // namespace

SearchAxis search_axis(const Field& field, const std::string& range) {
  SearchAxis axis;
  axis.name = field.name;
  axis.type = field.type;
  if (field.type == FieldType::flag || field.type == FieldType::choice) {
    axis.choices = chosen_values(field, range);
    return axis;
  }
  if (field.type != FieldType::real && field.type != FieldType::integer)
    throw InputError("", "--parameters " + field.name,
                     fmt::format("is {}, expected a number or a choice", field.expected()));
  if (range.empty())
    take_declared(field, axis);
  else
    take_range(field, range, axis);
  axis.logarithmic = axis.low > 0.0 && axis.high >= one_decade * axis.low;
  return axis;
}

FieldValue SearchAxis::at(double place) const {
  if (!choices.empty()) {
    const std::string& chosen = choices[static_cast<std::size_t>(place * static_cast<double>(choices.size()))];
    return type == FieldType::flag ? FieldValue(chosen == "true") : FieldValue(chosen);
  }
  const bool whole = type == FieldType::integer;
  const double end = whole ? high + 1.0 : high;  // each whole number has a part of the axis
  double value = logarithmic ? low * std::pow(end / low, place) : low + (end - low) * place;
  if (whole) return static_cast<std::int64_t>(std::min(std::floor(value), high));
  value = std::strtod(fmt::format("{:.3g}", value).c_str(), nullptr);
  return std::clamp(value, low, high);
}

std::string SearchAxis::text() const {
  if (!choices.empty()) return join(choices, ", ");
  return fmt::format("{:g} to {:g}{}", low, high, logarithmic ? ", over decades" : "");
}

std::vector<Candidate> latin_candidates(const std::vector<SearchAxis>& axes, std::size_t count, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::vector<Candidate> all(count);
  for (const SearchAxis& axis : axes) {
    const std::vector<std::size_t> part = shuffled(count, engine);
    for (std::size_t i = 0; i < count; ++i)
      all[i].push_back(axis.at((static_cast<double>(part[i]) + uniform_number(engine)) / static_cast<double>(count)));
  }
  std::set<std::string> seen;
  std::vector<Candidate> different;
  for (Candidate& candidate : all) {
    std::string text;
    for (const FieldValue& value : candidate) text += field_text(value) + '\n';
    if (seen.insert(text).second) different.push_back(std::move(candidate));
  }
  return different;
}

ProblemSplit split_problems(std::size_t count, double held_out_share, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  const std::vector<std::size_t> order = shuffled(count, engine);
  const double wanted = std::round(held_out_share * static_cast<double>(count));
  const auto held_out = static_cast<std::ptrdiff_t>(std::clamp(wanted, 1.0, static_cast<double>(count) - 1.0));
  ProblemSplit split{{order.begin() + held_out, order.end()}, {order.begin(), order.begin() + held_out}};
  std::sort(split.held_out.begin(), split.held_out.end());
  return split;
}

std::vector<HalvingRound> halving_rounds(std::size_t candidates, std::size_t problems) {
  constexpr std::size_t fewest_problems = 2;  // one alone says little
  std::vector<HalvingRound> rounds;
  for (std::size_t n = candidates, p = problems;; n = (n + halving - 1) / halving, p = (p + halving - 1) / halving) {
    rounds.push_back({n, p});
    if (n == 1 || p <= fewest_problems) break;
  }
  // Problems grow while candidates shrink.
  for (std::size_t i = 0, j = rounds.size() - 1; i < j; ++i, --j) std::swap(rounds[i].problems, rounds[j].problems);
  if (rounds.size() > 1) rounds.front().problems = std::min(std::max(rounds.front().problems, fewest_problems), problems);
  return rounds;
}

std::vector<TrialScore> trial_scores(const std::vector<std::vector<Trial>>& trials) {
  constexpr double penalty = 10.0, unknown = std::numeric_limits<double>::quiet_NaN();
  const std::size_t problems = trials.empty() ? 0 : trials.front().size();
  std::vector<double> dearest(problems, 0.0);  // 0: nobody solves it
  for (const auto& of_candidate : trials)
    for (std::size_t p = 0; p < problems; ++p)
      if (of_candidate[p].solved) dearest[p] = std::max({dearest[p], of_candidate[p].cost, 1.0});
  std::vector<TrialScore> scores;
  for (const auto& of_candidate : trials) {
    TrialScore& score = scores.emplace_back();
    double sum = 0.0, counted = 0.0;
    for (std::size_t p = 0; p < problems; ++p) {
      if (dearest[p] == 0.0) continue;
      counted += 1.0;
      score.solved += of_candidate[p].solved ? 1 : 0;
      sum += std::log(of_candidate[p].solved ? std::max(of_candidate[p].cost, 1.0) : penalty * dearest[p]);
    }
    score.cost = counted > 0.0 ? std::exp(sum / counted) : unknown;
  }
  return scores;
}

std::vector<std::size_t> best_first(const std::vector<TrialScore>& scores) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return scores[a].better_than(scores[b]); });
  return order;
}

}  // namespace ccp
