#pragma once

#include <cstddef>
#include <exception>
#include <filesystem>

#include "bench/config/catalog.hpp"
#include "bench/config/plan.hpp"
#include "bench/record/cell_record.hpp"
#include "bench/run/built_problem.hpp"

namespace ccp {

/// Room a timed run finds in memory, bytes: what the methods take for about a thousand contacts.
constexpr std::size_t resident_heap = std::size_t{4} << 20U;

/// Largest resident size of this process, MiB.
double peak_memory_mb();

/// Where the run of a cell without a sequence starts. A reference solution is made here, in the worker and off the solver's
/// clock, so that its failure costs this cell alone. Throws InputError when none is certified.
WarmStart start_of(const Cell& cell, const BuiltProblem& built, const Catalog& catalog);

/// Whether a file of the result could not be written: such a cell is tried again.
bool is_io_failure(const std::exception& error);

/// The work of a worker: solves one cell and writes trace.csv and then cell.json into `folder`. What the solver throws
/// becomes the status failed; std::bad_alloc goes through. Returns the exit code. Throws InputError when cell.json cannot be
/// written. The judge of the cell's model must exist already.
int run_cell(const Cell& cell, BuiltProblem& built, const Catalog& catalog, const std::filesystem::path& folder, bool pin);

/// Another run of a cell whose record is complete: adds its times to the record and writes cell.json. pass: 2 for a replay
/// that judges nothing.
int run_cell_again(const Cell& cell, BuiltProblem& built, const Catalog& catalog, const std::filesystem::path& folder,
                   CellRecord record, int pass, bool pin);

}  // namespace ccp
