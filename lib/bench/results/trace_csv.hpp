#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "bench/config/plan.hpp"
#include "bench/record/cell_record.hpp"
#include "io/file.hpp"
#include "solvers/run_monitor.hpp"

namespace ccp {

/// A column of a trace: its name, and its number for an iterate.
struct TraceColumn {
  std::string name;
  bool whole;
  std::function<double(const TraceRow&)> value;
};

/// iteration, outer, elapsed_s, factorizations, back_solves, products, projections, the measures, the native columns of the
/// solver, native_converged (0 or 1).
std::vector<TraceColumn> trace_columns(const std::vector<Measure>& measures, const std::vector<NativeColumn>& native);

/// Writes these columns as CSV: one header line, then one line an iterate. The file is complete only after close(). Before,
/// it lacks the rows of the last few milliseconds, and its last line may be cut.
class TraceCsv final : public TraceSink {
 public:
  /// Creates or empties the file. Throws InputError(path, ...) when it cannot be written.
  explicit TraceCsv(std::filesystem::path path);
  /// Writes to what is open already; errors say the name.
  TraceCsv(std::filesystem::path name, FileStream stream);
  /// Closes the file, but says nothing of errors.
  ~TraceCsv() override = default;

  /// Writes the header. Throws std::logic_error when called twice or when a native column has the name of another column or
  /// measure.
  void begin(const std::vector<Measure>& measures, const std::vector<NativeColumn>& native) override;
  void row(const TraceRow& row) override;

  /// Writes what is buffered. Throws InputError(path, ...) when anything since the beginning could not be written.
  void close();

 private:
  void write_line();
  void flush_now_and_then();

  std::filesystem::path path_;
  FileStream stream_;
  std::vector<TraceColumn> columns_;
  std::string line_;
  std::size_t lines_ = 0;
  std::chrono::steady_clock::time_point flushed_{};
  int error_ = 0;  ///< errno of the first failed write
};

/// Name of a trace while it is written; with the last row it becomes trace.csv.
inline constexpr const char* unfinished_trace_name = "trace.csv.part";

/// Makes trace.csv of the whole rows of the unfinished trace in the folder of a cell, if there is one. Returns whether there
/// is at least one row; without one, nothing is kept.
bool keep_whole_rows(const std::filesystem::path& folder);

/// Recovers the trace of a worker that ended without a result. Keeps its whole rows, and takes from the last one the
/// iterations, counters and measures, and from all the crossings with their times.
void recover_trace(const std::filesystem::path& folder, const Cell& cell, CellRecord& record);

}  // namespace ccp
