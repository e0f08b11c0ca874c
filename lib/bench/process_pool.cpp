#include "bench/process_pool.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <omp.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <new>
#include <system_error>

namespace ccp {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool can_limit_memory = false;
#else
constexpr bool can_limit_memory = true;
#endif

void limit_memory(double memory_mb) {
  if (!can_limit_memory) return;
  const auto bytes = static_cast<rlim_t>(memory_mb * 1024.0 * 1024.0);
  const rlimit limit{bytes, bytes};
  ::setrlimit(RLIMIT_DATA, &limit);
}

/// Makes the worker independent of its parent's terminal, handlers and life.
void isolate(pid_t parent, const Limits& limits, const char* log) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(exit_cannot_write);  // it died before the line above
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

[[noreturn]] void run_worker(const std::function<int()>& body) {
  int code = exit_cannot_write;
  try {
    code = body();
  } catch (const std::bad_alloc&) {
    code = exit_out_of_memory;
  } catch (...) {
    code = exit_cannot_write;
  }
  std::fflush(nullptr);
  ::_exit(code);  // no destructors: what they would clean up belongs to the parent
}

std::string signal_name(int signal) {
  const char* name = ::sigabbrev_np(signal);
  return name != nullptr ? fmt::format("SIG{}", name) : fmt::format("signal {}", signal);
}

double mebibytes(const rusage& usage) { return static_cast<double>(usage.ru_maxrss) / 1024.0; }

volatile std::sig_atomic_t interrupt_seen = 0;

void note_interrupt(int) { interrupt_seen = 1; }

}  // namespace

ProcessPool::ProcessPool() : thread_levels_(::omp_get_max_active_levels()) { ::omp_set_max_active_levels(0); }

ProcessPool::~ProcessPool() {
  kill_all();
  ::omp_set_max_active_levels(thread_levels_);
}

void ProcessPool::spawn(std::size_t id, const Limits& limits, const std::filesystem::path& log,
                        const std::function<int()>& body) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  std::fflush(nullptr);  // else the worker would print it again
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) {
    const int error = errno;
    ::close(ends[0]);
    ::close(ends[1]);
    throw std::system_error(error, std::generic_category(), "fork");
  }
  if (pid == 0) {
    ::close(ends[0]);
    isolate(parent, limits, log.c_str());
    ::omp_set_max_active_levels(1);
    run_worker(body);
  }
  ::setpgid(pid, pid);  // as the worker does; whoever comes first
  ::close(ends[1]);
  const auto start = Clock::now();
  const auto wall = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(limits.wall_s));
  workers_.push_back({id, pid, ends[0], start, start + wall});
}

void ProcessPool::poll_pipes(std::chrono::milliseconds longest) {
  auto until = Clock::now() + longest;
  std::vector<pollfd> pipes;
  for (const Worker& worker : workers_) {
    if (!worker.killed) until = std::min(until, worker.deadline);
    pipes.push_back({worker.pipe, POLLIN, 0});
  }
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
  const int timeout = static_cast<int>(std::max(left, std::chrono::milliseconds(0)).count());
  if (::poll(pipes.data(), static_cast<nfds_t>(pipes.size()), timeout) <= 0) return;
  // A worker whose pipe is closed is as good as gone; its exit status may take a moment.
  const bool gone = std::any_of(pipes.begin(), pipes.end(), [](const pollfd& pipe) { return pipe.revents != 0; });
  if (gone) ::poll(nullptr, 0, 1);
}

std::optional<WorkerExit> ProcessPool::reap() {
  for (auto worker = workers_.begin(); worker != workers_.end(); ++worker) {
    int status = 0;
    rusage usage{};
    if (::wait4(worker->pid, &status, WNOHANG, &usage) != worker->pid) continue;
    ::kill(-worker->pid, SIGKILL);  // whatever the worker may have started
    ::close(worker->pipe);
    WorkerExit exit;
    exit.id = worker->id;
    if (WIFEXITED(status)) exit.code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) exit.signal = signal_name(WTERMSIG(status));
    exit.beyond_wall_limit = worker->killed && WIFSIGNALED(status);
    exit.wall_s = std::chrono::duration<double>(Clock::now() - worker->start).count();
    exit.peak_memory_mb = mebibytes(usage);
    workers_.erase(worker);
    return exit;
  }
  return std::nullopt;
}

std::optional<WorkerExit> ProcessPool::wait(std::chrono::milliseconds longest) {
  if (workers_.empty()) return std::nullopt;
  if (auto exit = reap()) return exit;
  poll_pipes(longest);
  for (Worker& worker : workers_) {
    if (worker.killed || Clock::now() < worker.deadline) continue;
    worker.killed = true;
    ::kill(-worker.pid, SIGKILL);
    ::kill(worker.pid, SIGKILL);  // should it not lead its group yet
  }
  return reap();
}

std::vector<std::size_t> ProcessPool::kill_all() {
  std::vector<std::size_t> ids;
  for (const Worker& worker : workers_) {
    ::kill(-worker.pid, SIGKILL);
    ::kill(worker.pid, SIGKILL);
  }
  for (const Worker& worker : workers_) {
    while (::waitpid(worker.pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    ::close(worker.pipe);
    ids.push_back(worker.id);
  }
  workers_.clear();
  return ids;
}

struct InterruptGuard::Saved {
  struct sigaction interrupt, terminate;
};

InterruptGuard::InterruptGuard() : saved_(std::make_unique<Saved>()) {
  interrupt_seen = 0;
  struct sigaction action {};
  action.sa_handler = note_interrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND);  // a second one does what it always did
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, &action, &saved_->interrupt);
  ::sigaction(SIGTERM, &action, &saved_->terminate);
}

InterruptGuard::~InterruptGuard() {
  ::sigaction(SIGINT, &saved_->interrupt, nullptr);
  ::sigaction(SIGTERM, &saved_->terminate, nullptr);
}

bool InterruptGuard::interrupted() const { return interrupt_seen != 0; }

}  // namespace ccp
