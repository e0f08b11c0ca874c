#pragma once

#include <string>
#include <vector>

#include "bench/results/result_table.hpp"

namespace ccp {

enum class Verdict { met, not_met, open };

/// A claim and what was measured for it. With several cells the numbers are those of the one that is nearest to failing, or
/// fails by most.
struct Judgement {
  Claim claim;
  Verdict verdict = Verdict::open;
  double measured, bound;
  std::size_t cells = 0;  ///< judged
  double left_out = 0.0;  ///< steps of these that did not meet the method's own criterion, where `measured` leaves them out
  std::string cell;       ///< the one of `measured`; empty when that is over several
  std::string reason;     ///< why it is open; or which cells count as never
  bool incomplete = false;  ///< the results lack cells of the config
};

/// Judges the claims of the config of `results` that are about its size.
std::vector<Judgement> judge_claims(const ResultTable& results);

/// The claims of a config that could not be run, open for this reason.
std::vector<Judgement> open_judgements(const Config& config, const std::string& reason);

/// "met", "not met", "cannot be judged".
std::string verdict_name(Verdict verdict);
/// The same, marked where `measured` leaves steps out, where the config was changed, and where its results lack cells: "met,
/// without 3 steps, changed, incomplete".
std::string verdict_of(const Judgement& judgement, const Config& config);
/// ", without 3 steps"; empty where none are left out.
std::string left_out_text(const Judgement& judgement);
/// "19", "3.2e-05", "never" for infinity.
std::string claim_number(double value);
/// "< 20": the relation with the bound.
std::string bound_text(const Judgement& judgement);
/// The page that a claim names, where it is not met; or empty.
std::string page_on_miss(const Judgement& judgement);
/// "1.05 × inside", "3 × beyond", "at the bound"; empty where a ratio says nothing.
std::string margin_text(const Judgement& judgement);

}  // namespace ccp
