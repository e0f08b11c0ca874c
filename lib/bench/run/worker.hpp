#pragma once

#include <filesystem>

#include "bench/config/catalog.hpp"
#include "bench/config/plan.hpp"
#include "bench/record/cell_record.hpp"
#include "bench/run/built_problem.hpp"

namespace ccp {

/// The work of a worker: solves one cell and writes trace.csv and then cell.json into `folder`. What the solver throws
/// becomes the status failed; std::bad_alloc goes through. Returns the exit code. Throws InputError when cell.json cannot be
/// written. The judge of the cell's model must exist already.
int run_cell(const Cell& cell, BuiltProblem& built, const Catalog& catalog, const std::filesystem::path& folder, bool pin);

/// Another run of a cell whose record is complete: adds its times to the record and writes cell.json. pass: 2 for a replay
/// that judges nothing.
int run_cell_again(const Cell& cell, BuiltProblem& built, const Catalog& catalog, const std::filesystem::path& folder,
                   CellRecord record, int pass, bool pin);

}  // namespace ccp
