#pragma once

#include <filesystem>
#include <vector>

#include "bench/config/plan.hpp"
#include "bench/record/cell_record.hpp"
#include "bench/record/step_row.hpp"
#include "io/file.hpp"

namespace ccp {

inline constexpr const char* steps_name = "steps.csv";
/// Start vectors of a cell that runs a sequence, kept beside its steps until it is done.
inline constexpr const char* step_mark_name = "start.hdf5";

/// Name of the trace of a step, "trace.51.csv".
std::string trace_of_step(std::int64_t step);

/// Writes the steps of a sequence as CSV: one header line, then one line a step, each handed over to the system at once.
class StepsCsv {
 public:
  /// Replaces the file by one with the steps `done`. Throws InputError(path, ...) when it cannot be written.
  StepsCsv(std::filesystem::path path, const std::vector<StepRow>& done);

  /// The facts of the first step are the last columns. Throws InputError(path, ...).
  void add(const StepRow& row);

 private:
  /// The line of a step, after that of the names for the first.
  std::string text_of(const StepRow& row);

  std::filesystem::path path_;
  FileStream stream_;
  bool header_ = false;
};

/// The whole steps of a file; none when it is missing or no such file.
std::vector<StepRow> read_steps(const std::filesystem::path& path);

/// The problem of a sequence in the summary: the most contacts and rows of its steps.
ProblemFacts problem_facts(const Cell& cell, const SequenceFacts& facts);

/// Takes what a worker that ended without a result has written of its steps: sums as far as they go.
void recover_steps(const std::filesystem::path& folder, const Cell& cell, CellRecord& record);

}  // namespace ccp
