#pragma once

#include <string>
#include <vector>

#include "bench/analysis/claims.hpp"
#include "bench/config/config_json.hpp"
#include "bench/results/result_table.hpp"

/// The judgements of the program for the report, as JSON for scripts/report.py.
namespace ccp::cli {

/// Texts as `ccpbench claims` prints them: id, says, where, must, bound, measured, margin, verdict, reason.
Json claim_entry(const Judgement& judgement);

/// Performance and data profiles by time, iterations, products and back-solves, at three accuracies, as far as any solver
/// gets there; none of fewer than two problems. Each entry: name, x, y, problems, settings, means, and lines with points
/// [x, fraction] or, from five problems on, [x, fraction, low, high]. Of very many solver settings the best have a line.
Json profile_entries(const std::vector<ResultTable>& results);

/// Of a folder of results: its "writer", the run that writes there now, "claims" and "profiles". What cannot be judged is
/// told in "note": the page shows the rest, and what it cannot show at all its script refuses.
Json analysis_entry(const std::string& folder, const std::string& fclib_dir);

}  // namespace ccp::cli
