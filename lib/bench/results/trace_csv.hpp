#pragma once

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "solvers/run_monitor.hpp"

namespace ccp {

/// Writes a trace as CSV: iteration, outer, elapsed_s, factorizations, back_solves, products, projections, the measures, the
/// native columns of the solver, native_converged (0 or 1); one header line, then one line an iterate. The
/// file is complete only after close(). Before, it lacks the rows of the last few milliseconds, and its last line may be
/// cut.
class TraceCsv final : public TraceSink {
 public:
  /// Creates or empties the file. Throws InputError(path, ...) when it cannot be written.
  explicit TraceCsv(std::filesystem::path path);
  /// Closes the file, but says nothing of errors.
  ~TraceCsv() override = default;

  /// Writes the header. Throws std::logic_error when called twice or when a native column has the name of another column or
  /// measure.
  void begin(const std::vector<Measure>& measures, const std::vector<NativeColumn>& native) override;
  void row(const TraceRow& row) override;

  /// Writes what is buffered. Throws InputError(path, ...) when anything since the beginning could not be written.
  void close();

 private:
  /// One column of header and rows; both come from this list alone.
  struct Column {
    std::string name;
    std::function<void(const TraceRow&, std::string&)> append;
  };
  struct Closer {
    void operator()(std::FILE* stream) const { std::fclose(stream); }
  };

  void add_columns(const std::vector<Measure>& measures, const std::vector<NativeColumn>& native);
  void write_line();
  void flush_now_and_then();

  std::filesystem::path path_;
  std::unique_ptr<std::FILE, Closer> stream_;
  std::vector<Column> columns_;
  std::string line_;
  std::size_t lines_ = 0;
  std::chrono::steady_clock::time_point flushed_{};
  int error_ = 0;  ///< errno of the first failed write
};

}  // namespace ccp
