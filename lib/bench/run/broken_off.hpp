#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "bench/config/plan.hpp"
#include "bench/record/step_row.hpp"
#include "io/motion_tape.hpp"

/// What workers and runs that were killed leave behind: what is gone on from, and what is removed.
namespace ccp {

class ResultStore;

/// Logs of the workers of a cell.
inline constexpr const char* first_log_name = "log.txt";
inline constexpr const char* again_log_name = "log_again.txt";  ///< of repeated runs; the first stays
inline constexpr const char* tape_log_name = "log_tape.txt";    ///< while the tape is mended

/// Where the worker of a sequence was killed, with its steps until there.
struct BrokenOff {
  StepMark mark;
  std::vector<StepRow> rows;
};

/// Nothing when it has left no whole mark, or when a step before it or the trace of one is missing or cut off: the cell then
/// begins anew. A damaged mark may end the process.
std::optional<BrokenOff> find_broken_off(const Cell& cell, const std::filesystem::path& folder);

/// Whether the worker of a sequence has left a mark.
bool has_mark(const std::filesystem::path& folder);

/// Removes leftover files of a cell. Keeps logs, traces, steps and the step mark of a dead worker, and all but the step mark
/// of one that is done. Empty logs go in any case.
void clean_folder(const std::filesystem::path& folder, bool dead);

/// Removes what a killed run has left in a folder of results: unfinished files, and what it would have removed beside the
/// results of these cells. The caller holds the lock of the folder.
void remove_leftovers(const ResultStore& store, const Plan& plan, const std::vector<std::size_t>& cells);

}  // namespace ccp
