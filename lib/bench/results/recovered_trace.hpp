#pragma once

#include <filesystem>

#include "bench/config/plan.hpp"
#include "bench/record/cell_record.hpp"

namespace ccp {

/// Name of a trace while it is written; with the last row it becomes trace.csv.
inline constexpr const char* unfinished_trace_name = "trace.csv.part";

/// Makes trace.csv of the whole rows of the unfinished trace in the folder of a cell, if there is one. Returns whether there
/// is at least one row; without one, nothing is kept.
bool keep_whole_rows(const std::filesystem::path& folder);

/// Recovers the trace of a worker that ended without a result. Keeps its whole rows, and takes from the last one the
/// iterations, counters and measures, and from all the crossings with their times.
void recover_trace(const std::filesystem::path& folder, const Cell& cell, CellRecord& record);

}  // namespace ccp
