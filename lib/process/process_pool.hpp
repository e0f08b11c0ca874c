#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "process/exit_status.hpp"

namespace ccp {

/// Limits of a process, enforced from outside.
struct Limits {
  double wall_s = 600.0;      ///< s, of the whole process
  double memory_mb = 8192.0;  ///< MiB of private memory
};

/// Exit codes of a worker beside 0, by which it says what it can no longer write.
constexpr int exit_out_of_memory = 70, exit_cannot_write = 71;

/// Exit code of a body that came to its end; 0 may be that of an exit() somewhere inside it.
constexpr int exit_came_through = 72;

/// How a worker ended.
struct WorkerExit {
  std::size_t id = 0;  ///< given to spawn()
  ExitStatus status;
  bool beyond_wall_limit = false;  ///< killed by the pool
  double wall_s = 0.0;
  double peak_memory_mb = 0.0;  ///< MiB
};

/// Forked workers, each with a wall limit and a memory limit, in a process group of its own. Between this process and each
/// worker stands a reaper (process/reaper.hpp): when the worker has ended or is to end, or when this process dies, even of
/// SIGKILL, it kills all that the worker has left behind. Everything a worker prints goes to its log. The destructor kills
/// what still runs.
///
/// While there is a pool, this process starts no team of threads (of OpenMP, whoever asks for it): workers forked after that
/// would wait for ever for the threads of a team they do not have.
///
/// The memory limit is on writable private memory (RLIMIT_DATA), which counts what was inherited from this process; it is
/// off in builds with the address sanitizer, which reserves terabytes.
class ProcessPool {
 public:
  ProcessPool();
  ~ProcessPool();
  ProcessPool(const ProcessPool&) = delete;
  ProcessPool& operator=(const ProcessPool&) = delete;

  /// Forks; the worker runs `body` and ends with its return value, never returning here. Throws std::system_error when no
  /// process can be made. log: a file to create.
  void spawn(std::size_t id, const Limits& limits, const std::filesystem::path& log, const std::function<int()>& body);

  /// Waits until a worker ends, a signal arrives, or `longest` is over; kills workers beyond their wall limit. Throws
  /// std::system_error when there was no process for a worker.
  std::optional<WorkerExit> wait(std::chrono::milliseconds longest);

  /// Kills and reaps all workers; their ids.
  std::vector<std::size_t> kill_all();

 private:
  using Clock = std::chrono::steady_clock;
  struct Worker {
    std::size_t id = 0;
    pid_t reaper = -1;
    int pipe = -1;  ///< read end; the reaper writes its WorkerEnd to the other
    Clock::time_point start, deadline;
    bool killed = false;
  };

  void enforce_limits();
  std::optional<std::size_t> next_end(std::chrono::milliseconds longest);
  /// The end of a worker that has ended, and errno when there was no process for it.
  std::pair<WorkerExit, int> collect(std::size_t position);

  const int thread_levels_;     ///< nested teams that were allowed before
  void (*child_handler_)(int);  ///< of SIGCHLD before
  std::vector<Worker> workers_;
};

/// Runs `body` in a process of its own without limits; what it prints is lost. Nothing when the body came to its end, else
/// how the process ended: for input that can end whoever reads it.
std::optional<ExitStatus> try_apart(const std::function<void()>& body);

}  // namespace ccp
