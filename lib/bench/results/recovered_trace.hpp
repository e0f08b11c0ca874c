#pragma once

#include <filesystem>

#include "bench/config/plan.hpp"
#include "bench/record/cell_record.hpp"

namespace ccp {

/// Name of a trace while it is written; with the last row it becomes trace.csv.
inline constexpr const char* unfinished_trace_name = "trace.csv.part";

/// Makes trace.csv of the unfinished trace in the folder of a cell, if there is one: the rows that were written whole.
/// Returns whether there is a row at least; else nothing is kept.
bool keep_whole_rows(const std::filesystem::path& folder);

/// For a cell whose worker has ended without a result: keeps the whole rows of its trace, and takes from them what the
/// solver had reached — iterations, counters, measures and crossings of the last iterate that was judged, at the times of
/// the trace.
void recover_trace(const std::filesystem::path& folder, const Cell& cell, CellRecord& record);

}  // namespace ccp
