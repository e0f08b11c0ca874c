#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>

#include "bench/config/catalog.hpp"
#include "bench/config/plan.hpp"
#include "bench/record/cell_record.hpp"
#include "bench/run/built_problem.hpp"
#include "core/event_counter.hpp"

/// The work of a worker: solves a cell and writes its files, cell.json last, into `folder`. These functions return the exit
/// code of the worker, and throw InputError when cell.json cannot be written.
namespace ccp {

/// A further timed run of a cell whose record is complete. pass: 2 for a replay that judges nothing.
struct Repeat {
  CellRecord record;
  int pass = 1;
};

/// Runs a cell without a sequence: writes trace.csv, or adds the times of a repeat to the record. The judge of its model
/// must exist already.
int run_cell(const Cell& cell, BuiltProblem& built, const Catalog& catalog, const std::filesystem::path& folder, bool pin,
             std::optional<Repeat> repeat);

/// The counts on the clock of the solver; NaN where another process does the work, and where nothing is counted.
double instructions_of(const Cell& cell, const EventCounter& counter);

/// The first run of a cell. What `solve` throws becomes the status failed, after `recover` has taken what it left in its
/// files. finish: adds to the record what is known in any case.
int run_first(const Cell& cell, const std::filesystem::path& folder, const std::function<void(CellRecord&)>& solve,
              const std::function<void(CellRecord&)>& recover, const std::function<void(CellRecord&)>& finish);

/// A repeat. What `solve` throws ends the worker.
int run_repeat(const Cell& cell, const std::filesystem::path& folder, Repeat repeat,
               const std::function<Result(TimedRun&)>& solve);

}  // namespace ccp
