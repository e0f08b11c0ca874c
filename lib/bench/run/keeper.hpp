#pragma once

#include <sys/types.h>

#include <functional>

namespace ccp {

/// What a keeper writes to its pipe at the end.
struct WorkerEnd {
  int status = 0;        ///< of the worker, as from waitpid
  int fork_error = 0;    ///< errno when there was no worker
  long peak_memory = 0;  ///< largest resident size of the worker, KiB
};

/// Signals that a keeper waits for. They have to be blocked when it is forked, so that none gets lost in between; a worker
/// starts with `before`, the mask that was in place.
class KeeperSignals {
 public:
  KeeperSignals();
  ~KeeperSignals();
  KeeperSignals(const KeeperSignals&) = delete;
  KeeperSignals& operator=(const KeeperSignals&) = delete;

  void restore() const;

 private:
  struct Mask;
  Mask* before_;
};

/// The life of a keeper, the process between the runner and one worker: forks the worker and waits for its end, for SIGTERM,
/// or for the death of the runner; then kills whatever descends from the worker, in whatever session or group it is (they
/// become children of the keeper when their parents die), writes a WorkerEnd to `report`, and ends. `worker` must not
/// return; it leads a process group.
[[noreturn]] void keep_worker(pid_t runner, int report, const KeeperSignals& signals, const std::function<void()>& worker);

}  // namespace ccp
