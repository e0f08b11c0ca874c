#pragma once

#include <sys/types.h>

#include <csignal>
#include <functional>

namespace ccp {

/// The message of a reaper to its pipe at the end.
struct WorkerEnd {
  int status = 0;        ///< of the worker, as from waitpid
  int fork_error = 0;    ///< errno when there was no worker
  long peak_memory = 0;  ///< largest resident size of the worker, KiB
};

/// Blocks the signals that a reaper waits for. They have to be blocked when it is forked, so that none gets lost in between;
/// the worker restores the mask that was in place before.
class ReaperSignals {
 public:
  ReaperSignals();
  ~ReaperSignals() { restore(); }
  ReaperSignals(const ReaperSignals&) = delete;
  ReaperSignals& operator=(const ReaperSignals&) = delete;

  void restore() const { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

/// Runs a reaper, the process between the runner and one worker. It forks the worker and waits for its end, for SIGTERM, or
/// for the death of the runner. Then it kills every descendant of the worker, in whatever session or group (they become
/// children of the reaper when their parents die), writes a WorkerEnd to `report`, and ends. `worker` must not return; it
/// leads a process group.
[[noreturn]] void run_reaper(pid_t runner, int report, const ReaperSignals& signals, const std::function<void()>& worker);

}  // namespace ccp
