#pragma once

#include <string>

#include "bench/run/runner.hpp"
#include "terminal/records.hpp"

namespace ccp::cli {

/// One line for each change of the config that the results are of (Config::changes).
void print_changes(const Config& config);

/// The summary of a finished run on stdout: a table per problem and model, or one per model that counts the statuses when
/// there are too many cells to read; then how the cells ended, and why the failed ones failed.
void print_summary(const Config& config, const Plan& plan, const RunOptions& options, const RunReport& report);

/// The selected cells of finished runs as a table of values, a row each; those that have not run have no status.
Records cell_table();
void add_cells(Records& table, const Config& config, const Plan& plan, const RunOptions& options);

/// Adds what github-action-benchmark reads as "customSmallerIsBetter", {name, unit, value, range, extra} each: time and
/// iterations of each solved cell, and how many cells of the config were tried and not solved.
void add_benchmarks(Json& list, const Config& config, const Plan& plan, const RunOptions& options);

/// The plan of a run, for --dry-run.
void print_plan(const Config& config, const Plan& plan, const RunOptions& options);

/// "12 cells: 3 problems × 2 models × 2 solvers", from the cells themselves.
std::string plan_size(const Plan& plan);

}  // namespace ccp::cli
