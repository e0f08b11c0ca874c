#include "bench/run/broken_off.hpp"

#include <algorithm>
#include <string>

#include "bench/record/csv.hpp"
#include "bench/results/result_store.hpp"
#include "bench/results/steps_csv.hpp"
#include "bench/results/trace_csv.hpp"
#include "core/error.hpp"
#include "io/file.hpp"

namespace ccp {
namespace {

namespace fs = std::filesystem;

bool is_log(const std::string& name) { return name == first_log_name || name == again_log_name; }

/// Whether a dead worker's file stays: its log, its traces, its steps and where it came among them.
bool outlives_worker(const std::string& name) {
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

/// Whether a name is that of a file which a driver or a writer that is gone has left.
bool is_leftover(const std::string& name) {
  return is_unfinished_file(name) || name == tape_log_name || name.rfind("failure-", 0) == 0 ||
         name.rfind("remark-", 0) == 0;
}

template <typename Wanted>
void remove_where(const fs::path& folder, const Wanted& wanted) {
  std::error_code ignored;
  std::vector<fs::path> rubbish;
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    if (wanted(entry)) rubbish.push_back(entry.path());
  for (const fs::path& path : rubbish) fs::remove_all(path, ignored);
}

}  // namespace

std::optional<BrokenOff> find_broken_off(const Cell& cell, const fs::path& folder) {
  if (!has_mark(folder)) return std::nullopt;
  const SequenceSpec& sequence = *cell.spec->sequence;
  const std::int64_t first = cell.tape_key.empty() ? 0 : sequence.settle;  // a tape has settled
  try {
    BrokenOff found{read_step_mark(folder / step_mark_name), {}};
    if (found.mark.step <= first || found.mark.step >= sequence.steps) return std::nullopt;
    const std::int64_t done = std::max<std::int64_t>(0, found.mark.step - sequence.settle);
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

void clean_folder(const fs::path& folder, bool dead) {
  remove_where(folder, [dead](const fs::directory_entry& entry) {
    const std::string name = entry.path().filename().string();
    return is_empty_log(entry) || (dead ? !outlives_worker(name) : name == step_mark_name);
  });
}

void remove_leftovers(const ResultStore& store, const Plan& plan, const std::vector<std::size_t>& cells) {
  const auto leftover = [](const fs::directory_entry& entry) { return is_leftover(entry.path().filename().string()); };
  remove_where(store.folder(), leftover);
  for (const char* rooms : {"sequences", "earlier"}) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(store.folder() / rooms, ignored)) remove_where(entry.path(), leftover);
  }
  for (const std::size_t index : cells) {
    const auto record = store.find(plan.cells[index]);
    // Who is killed between the result of a worker and its end leaves a mark that nobody goes on from.
    const bool may_go_on = !record || record->status == Status::time_limit || record->status == Status::crashed ||
                           record->status == Status::out_of_memory;
    remove_where(store.cell_folder(plan.cells[index]), [&](const fs::directory_entry& entry) {
      return is_empty_log(entry) || leftover(entry) || (!may_go_on && entry.path().filename() == step_mark_name);
    });
  }
}

}  // namespace ccp
