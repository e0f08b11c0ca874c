#pragma once

#include <cstddef>
#include <string>

#include "bench/run/runner.hpp"
#include "core/stopwatch.hpp"

namespace ccp::cli {

/// Those about times are left out where counts are all that matters.
enum class Warnings { shown, left_out };

/// Shows a run on stderr: one line a finished cell, and on a terminal a last line that rewrites itself several times a
/// second: how many cells are done, failed and running, the time left by what was measured (before that the time so far),
/// how far the last sequence is, and the cell or problem begun last. Quiet: nothing.
class TerminalProgress final : public RunProgress {
 public:
  explicit TerminalProgress(bool quiet, Warnings warnings = Warnings::shown);
  ~TerminalProgress() override;

  void planned(const Config& config, std::size_t selected, std::size_t reused) override;
  void building(const Cell& cell, const RunCounts& counts) override;
  void started(const Cell& cell, const RunCounts& counts) override;
  void finished(const Cell& cell, const CellRecord& record, const RunCounts& counts) override;
  void warning(const std::string& text) override;
  void note(const std::string& text) override;
  void waiting(const RunCounts& counts) override;

 private:
  void show_bar(const RunCounts& counts);
  void clear_bar();
  void say(const std::string& text);
  std::string cell_line(const Cell& cell, const CellRecord& record, const RunCounts& counts) const;

  std::string now_;  ///< begun last
  bool quiet_, terminal_, bar_shown_ = false;
  Warnings warnings_;
  Stopwatch clock_;  ///< since the beginning
};

/// run_config() with progress on the terminal.
RunReport run_in_terminal(const Config& config, const Plan& plan, const RunOptions& options, bool quiet,
                          Warnings warnings = Warnings::shown);

}  // namespace ccp::cli
