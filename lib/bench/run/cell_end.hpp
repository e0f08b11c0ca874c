#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "bench/config/plan.hpp"
#include "bench/record/cell_record.hpp"
#include "bench/record/step_row.hpp"
#include "bench/run/attempt.hpp"
#include "io/motion_tape.hpp"
#include "process/process_pool.hpp"

/// The end of a cell: how its worker died, what is recovered of it, what a later run goes on from, and what is removed.
namespace ccp {

class ResultStore;

/// Logs of the workers of a cell.
inline constexpr const char* first_log_name = "log.txt";
inline constexpr const char* repeat_log_name = "log_repeat.txt";  ///< the first stays
inline constexpr const char* tape_log_name = "log_tape.txt";      ///< while the tape is repaired

/// A record that says no more than which cell it is of.
CellRecord record_of(const Cell& cell);

/// Takes status and reason.
void set_defect(CellRecord& record, const Defect& defect);

/// Why a worker ended without a result.
Defect defect_of(const WorkerExit& exit, const Limits& limits, const std::filesystem::path& log);

/// Whether it was killed at its wall limit: a solver that stops at its time limit ends by itself.
bool was_killed(const CellRecord& record);

/// The point where the worker of a sequence was killed, with its steps until there.
struct InterruptedSteps {
  TapePart mark;  ///< with one state, of the step that is next
  std::vector<StepRow> rows;
};

/// Nothing when it has left no whole mark, or when a step before it or the trace of one is missing or cut off: the cell then
/// begins anew. A damaged mark may end the process.
std::optional<InterruptedSteps> find_interrupted(const Cell& cell, const std::filesystem::path& folder);

/// Whether the worker of a sequence has left a mark.
bool has_mark(const std::filesystem::path& folder);

/// Wall clock that the killed workers of a sequence have used until where it goes on, s; 0 where it begins anew.
double used_before(const Cell& cell, const std::filesystem::path& folder);

/// Removes temporary files of a cell. Keeps logs, traces, steps and the step mark of a dead worker, and all but the step
/// mark of one that is done. Empty logs go in any case.
void clean_folder(const std::filesystem::path& folder, bool dead);

/// Removes what a killed run has left in a folder of results: unfinished files, and what it would have removed beside the
/// results of these cells. The caller holds the lock of the folder.
void remove_orphaned(const ResultStore& store, const Plan& plan, const std::vector<std::size_t>& cells);

}  // namespace ccp
