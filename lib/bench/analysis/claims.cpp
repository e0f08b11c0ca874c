#include "bench/analysis/claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/analysis/ensemble_number.hpp"
#include "bench/analysis/line_fit.hpp"
#include "bench/config/claim_reader.hpp"
#include "bench/config/config_json.hpp"
#include "core/text.hpp"

namespace ccp {
namespace {

bool upper(Relation relation) { return relation == Relation::less_than || relation == Relation::at_most; }

struct RelationMeaning {
  const char* sign;
  bool (*holds)(double value, double bound);
};

/// In the order of Relation.
constexpr RelationMeaning relations[] = {{"<", [](double value, double bound) { return value < bound; }},
                                         {"≤", [](double value, double bound) { return value <= bound; }},
                                         {"≥", [](double value, double bound) { return value >= bound; }},
                                         {">", [](double value, double bound) { return value > bound; }}};

const RelationMeaning& meaning(Relation relation) { return relations[static_cast<std::size_t>(relation)]; }

/// Orders cells by how near they are to failing: the logarithm of the factor between value and bound, above 0 where the
/// bound is broken. Zero is infinitely far from a positive number.
double badness(double value, Relation relation, double bound) {
  const double a = upper(relation) ? value : bound, b = upper(relation) ? bound : value;
  if (a > 0.0 || b > 0.0) return std::log(std::max(a, 0.0)) - std::log(std::max(b, 0.0));
  return a - b;
}

std::string swept_text(const ConfigVariant& variant, const std::string& pointer) {
  for (const SweptValue& value : variant.swept)
    if (value.pointer == pointer) return value.text;
  return "";
}

class ClaimJudge {
 public:
  ClaimJudge(const ResultTable& results, const Claim& claim) : results_(results), claim_(claim) {
    verdict_.claim = claim;
    verdict_.measured = verdict_.bound = unknown_number;
  }

  Judgement judge() {
    const auto cells = select(claim_.of, claim_.problem, claim_.cells);
    if (cells.empty()) return open("no cell of this claim has a result");
    verdict_.cells = cells.size();
    for (const SweptValue& value : claim_.cells)
      if (!has(cells, value)) return open(fmt::format("no cell has the value {} of {}", value.text, value.pointer));
    if (claim_.reference) {
      others_ = select(claim_.reference->of, other_problem(), other_cells());
      for (const SweptValue& value : claim_.reference->cells)
        if (!has(others_, value))
          return open(fmt::format("no cell to compare with has the value {} of {}", value.text, value.pointer));
    }
    count_left_out(cells);
    const auto solved = [](const ResultRow* row) { return row->status == Status::solved; };
    if (claim_.metric == "solved_natural_map" && std::none_of(cells.begin(), cells.end(), solved))
      return open("no cell of this claim is solved");
    if (claim_.over == ClaimOver::mean_ratio) return judge_ratios(cells);
    return claim_.over == ClaimOver::each ? judge_each(cells) : judge_together(cells);
  }

 private:
  using Cells = std::vector<const ResultRow*>;

  Judgement open(const std::string& reason) {
    verdict_.verdict = Verdict::open;
    verdict_.reason = reason;
    return verdict_;
  }

  void count_left_out(const Cells& cells) {
    const Metric* metric = find_metric(claim_.metric);
    if (metric == nullptr || !metric->at_native_stop || claim_.metric == native_unmet_steps) return;
    for (const ResultRow* row : cells)
      if (const double unmet = results_.metric(*row, native_unmet_steps, 0.0); unmet > 0.0) verdict_.left_out += unmet;
  }

  bool kept(const ResultRow& row, const std::vector<SweptValue>& wanted) const {
    if (wanted.empty()) return true;
    return std::any_of(row.variants.begin(), row.variants.end(), [&](std::size_t v) {
      return std::all_of(wanted.begin(), wanted.end(), [&](const SweptValue& named) {
        return std::any_of(wanted.begin(), wanted.end(), [&](const SweptValue& value) {
          return value.pointer == named.pointer &&
                 same_swept_value(swept_text(results_.config().variants[v], value.pointer), value.text);
        });
      });
    });
  }

  bool has(const Cells& cells, const SweptValue& value) const {
    return std::any_of(cells.begin(), cells.end(), [&](const ResultRow* row) {
      return std::any_of(row->variants.begin(), row->variants.end(), [&](std::size_t v) {
        return same_swept_value(swept_text(results_.config().variants[v], value.pointer), value.text);
      });
    });
  }

  Cells select(const std::string& of, const std::string& problem, const std::vector<SweptValue>& wanted) const {
    Cells cells;
    for (const ResultRow& row : results_.rows()) {
      if (row.status == Status::unsupported || (claim_.model && row.model != *claim_.model)) continue;
      if (!label_matches(of, row.label, row.label_base)) continue;
      if (!problem.empty() && !label_matches(problem, row.problem, row.problem_base)) continue;
      if (kept(row, wanted)) cells.push_back(&row);
    }
    return cells;
  }

  /// The swept values of the other side.
  const std::vector<SweptValue>& other_cells() const {
    return claim_.reference->cells.empty() ? claim_.cells : claim_.reference->cells;
  }

  /// The problems of the other side, as a shell pattern; empty: each.
  const std::string& other_problem() const {
    const bool together = claim_.over != ClaimOver::each;
    return claim_.reference->problem.empty() && together ? claim_.problem : claim_.reference->problem;
  }

  /// Whether the other side has cells of its own for a swept value.
  bool chosen(const std::string& pointer) const {
    const auto& cells = claim_.reference->cells;
    return std::any_of(cells.begin(), cells.end(), [&](const SweptValue& value) { return value.pointer == pointer; });
  }

  /// Whether two cells share all swept values but those that the claim chooses for the other side.
  bool shares(const ResultRow& row, const ResultRow& other) const {
    const auto& variants = results_.config().variants;
    const auto alike = [&](std::size_t v, std::size_t w) {
      return v == w || std::all_of(variants[v].swept.begin(), variants[v].swept.end(), [&](const SweptValue& value) {
               return chosen(value.pointer) || swept_text(variants[w], value.pointer) == value.text;
             });
    };
    return std::any_of(row.variants.begin(), row.variants.end(), [&](std::size_t v) {
      return std::any_of(other.variants.begin(), other.variants.end(), [&](std::size_t w) { return alike(v, w); });
    });
  }

  /// Whether the problem of `other` is the one to compare with: the named one, or that of `row`, of which the sweep may
  /// make several.
  bool same_problem(const ResultRow& row, const ResultRow& other) const {
    const ClaimReference& reference = *claim_.reference;
    if (!reference.problem.empty()) return true;
    const bool other_made = std::any_of(reference.cells.begin(), reference.cells.end(),
                                        [](const SweptValue& value) { return value.pointer.rfind("/problems", 0) == 0; });
    return other_made ? other.problem_base == row.problem_base : other.problem == row.problem;
  }

  /// The cells that a cell is compared with: those of the same model, problem (unless another is named) and swept values, or
  /// all that match where none shares the swept values because the labels name them.
  Cells partners(const ResultRow& row) const {
    const ClaimReference& reference = *claim_.reference;
    Cells all, same;
    for (const ResultRow* other : others_) {
      if (other->model != row.model || !same_problem(row, *other)) continue;
      all.push_back(other);
      if (shares(row, *other)) same.push_back(other);
    }
    return same.empty() && reference.cells.empty() ? all : same;
  }

  Judgement judge_each(const Cells& cells) {
    bool met = true;
    double worst = 0.0;
    const auto take = [&](const ResultRow& row, double value, double bound) {
      met = met && meaning(claim_.relation).holds(value, bound);
      const double bad = badness(value, claim_.relation, bound);
      if (!verdict_.cell.empty() && bad <= worst) return;
      worst = bad;
      verdict_.cell = row.id();
      verdict_.measured = value;
      verdict_.bound = bound;
    };
    for (const ResultRow* row : cells) {
      const double value = results_.metric(*row, claim_.metric, claim_.at);
      if (std::isnan(value))
        return open(fmt::format("{} has no {} ({})", row->id(), claim_.metric, status_name(row->status)));
      if (!claim_.reference) {
        take(*row, value, claim_.bound);
        continue;
      }
      const Cells others = partners(*row);
      if (others.empty()) return open(fmt::format("{} has nothing to be compared with", row->id()));
      for (const ResultRow* other : others) {
        const ClaimReference& reference = *claim_.reference;
        const double bound = reference.times * results_.metric(*other, reference.metric, reference.at);
        if (std::isnan(bound)) return open(fmt::format("{} has no {}", other->id(), reference.metric));
        if (std::isinf(bound) && std::isinf(value))
          return open(fmt::format("neither {} nor {} comes to {:g}", row->id(), other->id(), claim_.at));
        take(*row, value, bound);
      }
    }
    verdict_.verdict = met ? Verdict::met : Verdict::not_met;
    return verdict_;
  }

  /// The geometric mean of the ratios of each cell to the least of those that it is compared with. A cell whose partners
  /// never come to the accuracy has no ratio.
  Judgement judge_ratios(const Cells& cells) {
    const ClaimReference& reference = *claim_.reference;
    double sum = 0.0;
    std::size_t count = 0;
    for (const ResultRow* row : cells) {
      double best = never;
      for (const ResultRow* other : partners(*row))
        if (const double value = results_.metric(*other, reference.metric, reference.at); value < best) best = value;
      if (std::isinf(best)) continue;
      const double value = results_.metric(*row, claim_.metric, claim_.at);
      if (std::isnan(value) || !(value > 0.0) || !(best > 0.0))
        return open(fmt::format("{} has no ratio of {}", row->id(), claim_.metric));
      sum += std::log(value / best);
      ++count;
    }
    if (count < 2) return open("a mean ratio needs two cells with something to be compared with");
    verdict_.measured = std::exp(sum / static_cast<double>(count));
    verdict_.bound = reference.times;
    verdict_.cells = count;
    verdict_.verdict = meaning(claim_.relation).holds(verdict_.measured, verdict_.bound) ? Verdict::met : Verdict::not_met;
    return verdict_;
  }

  Judgement judge_together(const Cells& cells) {
    verdict_.measured = gather(cells, claim_.metric, claim_.at);
    verdict_.bound = claim_.bound;
    if (claim_.reference) {
      const ClaimReference& reference = *claim_.reference;
      verdict_.bound = reference.times * gather(others_, reference.metric, reference.at);
    }
    if (!reason_.empty()) return open(reason_);
    if (!never_.empty()) verdict_.reason = never_text();
    if (fits_line(claim_.over) && (std::isinf(verdict_.measured) || std::isinf(verdict_.bound))) {
      verdict_.verdict = Verdict::not_met;
      return verdict_;
    }
    if (std::isnan(verdict_.measured) || std::isnan(verdict_.bound)) return open("the cells give no number");
    if (std::isinf(verdict_.measured) && std::isinf(verdict_.bound)) return open("neither side comes to the accuracy");
    verdict_.verdict = meaning(claim_.relation).holds(verdict_.measured, verdict_.bound) ? Verdict::met : Verdict::not_met;
    return verdict_;
  }

  /// A metric of a cell. What a spread or a line is about is the cost of getting there: of a cell that did not, never.
  double value_of(const ResultRow& row, const std::string& metric, double at) {
    const double value = results_.metric(row, metric, at);
    if (claim_.over != ClaimOver::spread && !fits_line(claim_.over)) return value;
    const Metric* known = find_metric(metric);
    const bool lost = known != nullptr && known->cost && !results_.converged(row) && !std::isnan(value);
    if (lost || std::isinf(value)) never_.push_back(fmt::format("{} ({})", row.id(), status_name(row.status)));
    return lost ? never : value;
  }

  std::string never_text() const {
    constexpr std::size_t most = 3;
    const std::vector<std::string> named(never_.begin(),
                                         never_.begin() + std::min<std::ptrdiff_t>(most, std::ssize(never_)));
    const std::string more = never_.size() > most ? fmt::format(", and {} more", never_.size() - most) : "";
    return fmt::format("{} did not converge, which counts as never: {}{}",
                       never_.size() == 1 ? "one cell" : fmt::format("{} cells", never_.size()), join(named, ", "), more);
  }

  /// One number of several cells; sets reason_ when there is none.
  double gather(const Cells& cells, const std::string& metric, double at) {
    std::vector<double> values, sizes;
    for (const ResultRow* row : cells) {
      values.push_back(value_of(*row, metric, at));
      if (std::isnan(values.back())) reason_ = fmt::format("{} has no {} ({})", row->id(), metric, status_name(row->status));
      if (fits_line(claim_.over)) sizes.push_back(abscissa(*row));
    }
    if (values.empty()) reason_ = "there is nothing to compare with";
    if (values.size() == 1 && claim_.over == ClaimOver::spread) reason_ = "a spread needs two cells";
    if (values.size() == 1 && is_quantile(claim_.over)) reason_ = "a median or quartile needs two cells";
    if (!reason_.empty()) return unknown_number;
    if (fits_line(claim_.over)) return fit(std::move(sizes), std::move(values));
    if (claim_.over == ClaimOver::spread && std::isinf(*std::min_element(values.begin(), values.end()))) {
      reason_ = "no cell comes to the accuracy";
      return unknown_number;
    }
    return ensemble_number(claim_.over, std::move(values));
  }

  double abscissa(const ResultRow& row) const {
    if (is_size(claim_.against)) return results_.metric(row, claim_.against, 0.0);
    if (row.variants.empty()) return unknown_number;
    const Json value = try_parse_json(swept_text(results_.config().variants[row.variants.front()], claim_.against));
    return value.is_number() ? value.get<double>() : unknown_number;
  }

  /// Of a line through the values over the sizes, on log axes for the slope (L.5); never where a cell never came there.
  double fit(std::vector<double> sizes, std::vector<double> values) {
    if (!never_.empty()) return never;
    const bool logs = is_exponent(claim_.over);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      if (logs) sizes[i] = std::log10(sizes[i]), values[i] = std::log10(values[i]);
      if (std::isfinite(sizes[i]) && std::isfinite(values[i])) continue;
      reason_ = logs ? "a value is not positive and finite, which has no slope on log axes" : "a value is not finite";
      return unknown_number;
    }
    const auto line = fit_line(sizes, values);
    if (!line) reason_ = "a line needs two different values of " + claim_.against;
    if (line && claim_.over == ClaimOver::r_squared && std::isnan(line->r_squared))
      reason_ = "all values are the same, which has no R²";
    if (line && (claim_.over == ClaimOver::slope_lower || claim_.over == ClaimOver::slope_upper) &&
        std::isnan(line->slope_margin))
      reason_ = "a confidence interval needs three cells";
    if (!reason_.empty()) return unknown_number;
    switch (claim_.over) {
      case ClaimOver::r_squared: return line->r_squared;
      case ClaimOver::slope_lower: return line->slope - line->slope_margin;
      case ClaimOver::slope_upper: return line->slope + line->slope_margin;
      default: return line->slope;
    }
  }

  const ResultTable& results_;
  const Claim& claim_;
  Cells others_;  ///< of the other side
  Judgement verdict_;
  std::string reason_;
  std::vector<std::string> never_;  ///< cells that did not converge, in a spread or a line
};

}  // namespace

std::vector<Judgement> judge_claims(const ResultTable& results) {
  std::vector<Judgement> judgements;
  for (const Claim& claim : results.config().claims)
    if (claim.is_about(results.config().size)) judgements.push_back(ClaimJudge(results, claim).judge());
  for (Judgement& judgement : judgements) judgement.incomplete = results.missing() > 0;
  return judgements;
}

std::vector<Judgement> open_judgements(const Config& config, const std::string& reason) {
  std::vector<Judgement> judgements;
  for (const Claim& claim : config.claims)
    if (claim.is_about(config.size))
      judgements.push_back({claim, Verdict::open, unknown_number, unknown_number, 0, 0.0, "", reason, false});
  return judgements;
}

std::string verdict_name(Verdict verdict) {
  if (verdict == Verdict::open) return "cannot be judged";
  return verdict == Verdict::met ? "met" : "not met";
}

std::string verdict_of(const Judgement& judgement, const Config& config) {
  const std::string verdict = verdict_name(judgement.verdict);
  if (judgement.verdict == Verdict::open) return verdict;
  return verdict + left_out_text(judgement) + (config.changes.empty() ? "" : ", changed") +
         (judgement.incomplete ? ", incomplete" : "");
}

std::string left_out_text(const Judgement& judgement) {
  if (judgement.left_out == 0.0) return "";
  return fmt::format(", without {:.0f} {}", judgement.left_out, judgement.left_out == 1.0 ? "step" : "steps");
}

std::string claim_number(double value) {
  if (std::isnan(value)) return "–";
  if (std::isinf(value)) return "never";
  return fmt::format("{:.4g}", value);
}

std::string bound_text(const Judgement& judgement) {
  return fmt::format("{} {}", meaning(judgement.claim.relation).sign, claim_number(judgement.bound));
}

std::string page_on_miss(const Judgement& judgement) {
  return judgement.verdict == Verdict::not_met ? judgement.claim.see : "";
}

std::string margin_text(const Judgement& judgement) {
  const double value = judgement.measured, bound = judgement.bound;
  if (judgement.verdict == Verdict::open || !(value > 0.0) || !(bound > 0.0) || std::isinf(value) || std::isinf(bound))
    return "";
  const double factor = upper(judgement.claim.relation) ? bound / value : value / bound;
  if (factor == 1.0) return "at the bound";
  return factor >= 1.0 ? fmt::format("{:.3g} × inside", factor) : fmt::format("{:.3g} × beyond", 1.0 / factor);
}

}  // namespace ccp
