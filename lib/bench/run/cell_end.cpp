#include "bench/run/cell_end.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <iterator>
#include <string>

#include "bench/record/csv.hpp"
#include "bench/results/result_store.hpp"
#include "bench/results/steps_csv.hpp"
#include "bench/results/trace_csv.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "io/file.hpp"

namespace ccp {
namespace {

namespace fs = std::filesystem;

/// The last line of a log, with blanks for control characters; empty when it says nothing.
std::string last_line_of(const fs::path& log) {
  constexpr std::streamoff most_read = 1 << 16;  // a log may be as long as a solver likes
  std::ifstream stream(log, std::ios::binary | std::ios::ate);
  const std::streamoff size = stream ? static_cast<std::streamoff>(stream.tellg()) : 0;
  stream.seekg(std::max<std::streamoff>(0, size - most_read));
  std::string last = last_line(std::string(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()));
  std::replace_if(
      last.begin(), last.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  return last;
}

bool is_log(const std::string& name) { return name == first_log_name || name == repeat_log_name; }

/// Whether a file of a dead worker stays: its log, its traces, its steps and where it came among them.
bool is_kept(const std::string& name) {
  return is_log(name) || name == steps_name || name == step_mark_name ||
         (name.rfind("trace.", 0) == 0 && name.size() > 4 && name.compare(name.size() - 4, 4, ".csv") == 0);
}

bool is_empty_log(const fs::directory_entry& entry) {
  std::error_code ignored;
  return is_log(entry.path().filename().string()) && entry.file_size(ignored) == 0;
}

/// Whether the trace of a step is there to its last iteration.
bool has_whole_trace(const fs::path& folder, const StepRow& row) {
  const CsvTable trace = read_csv(folder / trace_of_step(row.step));
  return !trace.rows.empty() && trace.number(trace.rows.size() - 1, "iteration") >= row.iterations;
}

/// Whether a file was left by a driver or a writer that is gone.
bool is_orphaned(const fs::directory_entry& entry) {
  const std::string name = entry.path().filename().string();
  return is_unfinished_file(name) || name == tape_log_name;
}

template <typename Wanted>
void remove_where(const fs::path& folder, const Wanted& wanted) {
  std::error_code ignored;
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    if (wanted(entry)) paths.push_back(entry.path());
  for (const fs::path& path : paths) fs::remove_all(path, ignored);
}

constexpr const char* wall_limit_words = "wall limit of";

}  // namespace

CellRecord record_of(const Cell& cell) {
  CellRecord record;
  record.hash = cell.hash;
  record.limits = cell.limits;
  return record;
}

void set_defect(CellRecord& record, const Defect& defect) {
  record.status = defect.status;
  record.reason = defect.reason;
  record.io_failure = defect.io_failure;
}

bool was_killed(const CellRecord& record) {
  return record.status == Status::time_limit && record.reason.find(wall_limit_words) != std::string::npos;
}

Defect defect_of(const WorkerExit& exit, const Limits& limits, const fs::path& log) {
  if (exit.beyond_wall_limit) return {Status::time_limit, fmt::format("{} {} s", wall_limit_words, limits.wall_s)};
  if (exit.status.code == exit_out_of_memory)
    return {Status::out_of_memory, fmt::format("memory limit of {} MiB", limits.memory_mb)};
  std::string reason = exit.status.code
                           ? fmt::format("the worker ended with code {} and without a result", *exit.status.code)
                           : exit.status.text();
  if (exit.status.signal == SIGKILL) reason += " (from outside, perhaps by the system for lack of memory)";
  if (const std::string last = last_line_of(log); !last.empty()) reason += ": " + last;
  return {Status::crashed, reason, exit.status.code == exit_cannot_write};
}

std::optional<InterruptedSteps> find_interrupted(const Cell& cell, const fs::path& folder) {
  if (!has_mark(folder)) return std::nullopt;
  const SequenceSpec& sequence = *cell.spec->sequence;
  const std::int64_t first = cell.tape_key.empty() ? 0 : sequence.settle;  // a tape has settled
  try {
    InterruptedSteps found{read_tape_part(folder / step_mark_name), {}};
    const std::int64_t step = found.mark.first;
    if (found.mark.key != cell.hash || step <= first || step >= sequence.steps) return std::nullopt;
    const std::int64_t done = std::max<std::int64_t>(0, step - sequence.settle);
    found.rows = read_steps(folder / steps_name);
    if (done > std::ssize(found.rows)) return std::nullopt;
    found.rows.resize(static_cast<std::size_t>(done));
    const auto& traced = sequence.trace_steps;
    for (const StepRow& row : found.rows)
      if (row.rows > 0 && std::binary_search(traced.begin(), traced.end(), static_cast<int>(row.step)) &&
          !has_whole_trace(folder, row))
        return std::nullopt;
    return found;
  } catch (const InputError&) {
    return std::nullopt;
  }
}

bool has_mark(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_regular_file(folder / step_mark_name, ignored);
}

double used_before(const Cell& cell, const fs::path& folder) {
  if (!has_mark(folder) || try_apart([&] { read_tape_part(folder / step_mark_name); })) return 0.0;
  const auto found = find_interrupted(cell, folder);
  return found ? found->mark.used.wall_s : 0.0;
}

void clean_folder(const fs::path& folder, bool dead) {
  remove_where(folder, [dead](const fs::directory_entry& entry) {
    const std::string name = entry.path().filename().string();
    return is_empty_log(entry) || (dead ? !is_kept(name) : name == step_mark_name);
  });
}

void remove_orphaned(const ResultStore& store, const Plan& plan, const std::vector<std::size_t>& cells) {
  remove_where(store.folder(), is_orphaned);
  for (const char* rooms : {"sequences", "earlier"}) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(store.folder() / rooms, ignored))
      remove_where(entry.path(), is_orphaned);
  }
  for (const std::size_t index : cells) {
    const auto record = store.find(plan.cells[index]);
    // A runner killed between the result of a worker and its end leaves an unused mark.
    const bool may_go_on = !record || record->status == Status::time_limit || record->status == Status::crashed ||
                           record->status == Status::out_of_memory;
    remove_where(store.cell_folder(plan.cells[index]), [&](const fs::directory_entry& entry) {
      return is_empty_log(entry) || is_orphaned(entry) || (!may_go_on && entry.path().filename() == step_mark_name);
    });
  }
}

}  // namespace ccp
