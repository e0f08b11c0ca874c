#include "process/process_pool.hpp"

#include <fcntl.h>
#include <omp.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <system_error>

#include "process/reaper.hpp"

namespace ccp {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool can_limit_memory = false;
#else
constexpr bool can_limit_memory = true;
#endif

/// Memory, and no more stack than that: where the user's stack is unlimited an endless recursion would take all there is.
void limit_memory(double memory_mb) {
  const auto bytes = static_cast<rlim_t>(memory_mb * 1024.0 * 1024.0);
  rlimit stack{};
  if (::getrlimit(RLIMIT_STACK, &stack) == 0 && (stack.rlim_cur == RLIM_INFINITY || stack.rlim_cur > bytes)) {
    stack.rlim_cur = bytes;
    ::setrlimit(RLIMIT_STACK, &stack);
  }
  if (!can_limit_memory) return;
  const rlimit limit{bytes, bytes};
  ::setrlimit(RLIMIT_DATA, &limit);
}

/// Makes the worker independent of the runner's terminal and handlers, and lets it die with its reaper.
void isolate(const Limits& limits, const char* log) {
  const pid_t reaper = ::getppid();
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != reaper) ::_exit(exit_cannot_write);
  for (const int signal : {SIGINT, SIGTERM, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) ::signal(signal, SIG_DFL);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  limit_memory(limits.memory_mb);

  const int input = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int output = ::open(log, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
  if (input < 0 || output < 0) ::_exit(exit_cannot_write);
  ::dup2(input, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
}

std::terminate_handler terminate_before = nullptr;

/// An std::bad_alloc that nothing can catch, in a thread or a function that throws nothing, is lack of memory all the same.
void end_worker() {
  try {
    if (const auto thrown = std::current_exception()) std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    ::_exit(exit_out_of_memory);
  } catch (...) {
    // said by the handler before
  }
  terminate_before();
}

[[noreturn]] void run_worker(const std::function<int()>& body) {
  terminate_before = std::set_terminate(end_worker);
  int code = exit_cannot_write;
  try {
    code = body();
  } catch (const std::bad_alloc&) {
    code = exit_out_of_memory;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());  // the log of the worker
    code = exit_cannot_write;
  } catch (...) {
    code = exit_cannot_write;
  }
  std::fflush(nullptr);
  ::_exit(code);  // no destructors: what they would clean up belongs to the parent
}

// From SIGTERM to SIGKILL; longer than a reaper waits for what it kills.
constexpr std::chrono::milliseconds reaper_patience{4000};

}  // namespace

// Where the parent of this process has SIGCHLD ignored, the exit statuses of children would be lost.
ProcessPool::ProcessPool() : thread_levels_(::omp_get_max_active_levels()), child_handler_(::signal(SIGCHLD, SIG_DFL)) {
  ::omp_set_max_active_levels(0);
}

ProcessPool::~ProcessPool() {
  kill_all();
  ::omp_set_max_active_levels(thread_levels_);
  if (child_handler_ != SIG_ERR) ::signal(SIGCHLD, child_handler_);
}

void ProcessPool::spawn(std::size_t id, const Limits& limits, const std::filesystem::path& log,
                        const std::function<int()>& body) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  std::fflush(nullptr);  // else the worker would print it again
  const pid_t runner = ::getpid();
  const auto start = Clock::now();
  const ReaperSignals signals;
  const pid_t pid = ::fork();
  if (pid < 0) {
    const int error = errno;
    ::close(ends[0]);
    ::close(ends[1]);
    throw std::system_error(error, std::generic_category(), "fork");
  }
  if (pid == 0) {
    ::close(ends[0]);
    run_reaper(runner, ends[1], signals, [&] {
      isolate(limits, log.c_str());
      ::omp_set_max_active_levels(1);
      run_worker(body);
    });
  }
  ::close(ends[1]);
  const auto wall = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(limits.wall_s));
  workers_.push_back({id, pid, ends[0], start, start + wall});
}

void ProcessPool::enforce_limits() {
  for (Worker& worker : workers_) {
    if (Clock::now() < worker.deadline) continue;
    ::kill(worker.reaper, worker.killed ? SIGKILL : SIGTERM);  // one that does not obey was stopped by its worker
    worker.killed = true;
    worker.deadline = Clock::now() + reaper_patience;
  }
}

std::optional<std::size_t> ProcessPool::next_end(std::chrono::milliseconds longest) {
  auto until = Clock::now() + longest;
  std::vector<pollfd> pipes;
  for (const Worker& worker : workers_) {
    until = std::min(until, worker.deadline);
    pipes.push_back({worker.pipe, POLLIN, 0});
  }
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
  const int timeout = static_cast<int>(std::max(left, std::chrono::milliseconds(0)).count());
  if (::poll(pipes.data(), static_cast<nfds_t>(pipes.size()), timeout) <= 0) return std::nullopt;
  const auto ended = std::find_if(pipes.begin(), pipes.end(), [](const pollfd& pipe) { return pipe.revents != 0; });
  if (ended == pipes.end()) return std::nullopt;
  return static_cast<std::size_t>(ended - pipes.begin());
}

std::pair<WorkerExit, int> ProcessPool::collect(std::size_t position) {
  const Worker worker = workers_[position];
  workers_.erase(workers_.begin() + static_cast<std::ptrdiff_t>(position));
  WorkerEnd end;
  const bool told = ::read(worker.pipe, &end, sizeof end) == static_cast<ssize_t>(sizeof end);
  ::close(worker.pipe);
  const ExitStatus of_reaper = wait_for(worker.reaper);
  WorkerExit exit;
  exit.id = worker.id;
  exit.status = told ? exit_status(end.status) : of_reaper;
  exit.beyond_wall_limit = worker.killed && exit.status.signal != 0;
  exit.wall_s = std::chrono::duration<double>(Clock::now() - worker.start).count();
  exit.peak_memory_mb = static_cast<double>(end.peak_memory) / 1024.0;
  return {exit, end.fork_error};
}

std::optional<WorkerExit> ProcessPool::wait(std::chrono::milliseconds longest) {
  if (workers_.empty()) return std::nullopt;
  enforce_limits();
  const auto ended = next_end(longest);
  if (!ended) return std::nullopt;
  const auto [exit, fork_error] = collect(*ended);
  if (fork_error != 0) throw std::system_error(fork_error, std::generic_category(), "fork");
  return exit;
}

std::vector<std::size_t> ProcessPool::kill_all() {
  std::vector<std::size_t> ids;
  for (Worker& worker : workers_) {
    ids.push_back(worker.id);
    worker.deadline = Clock::now();
    worker.killed = false;
  }
  while (!workers_.empty()) {
    enforce_limits();
    if (const auto ended = next_end(reaper_patience)) collect(*ended);
  }
  return ids;
}

std::optional<ExitStatus> try_apart(const std::function<void()>& body) {
  constexpr Limits none{1e8, 1e9};
  ProcessPool pool;
  pool.spawn(0, none, "/dev/null", [&] {
    body();
    return exit_came_through;
  });
  std::optional<WorkerExit> exit;
  while (!exit) exit = pool.wait(std::chrono::milliseconds(1000));
  if (exit->status.code == exit_came_through) return std::nullopt;
  return exit->status;
}

}  // namespace ccp
