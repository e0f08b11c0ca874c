#include "process/reaper.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace ccp {
namespace {

constexpr int patience_ms = 2000;  // for the killed to end; the kernel may hold a process in the middle of a read

sigset_t waited_for() {
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, SIGTERM);
  ::sigaddset(&set, SIGCHLD);
  return set;
}

/// Sends SIGKILL to every child. Reads the list in pieces and allocates nothing.
void kill_children() {
  const int list = ::open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
  if (list < 0) return;
  std::array<char, 4096> piece{};
  pid_t pid = 0;
  for (ssize_t size = 0; (size = ::read(list, piece.data(), piece.size())) > 0;) {
    for (ssize_t i = 0; i < size; ++i) {
      const char c = piece[static_cast<std::size_t>(i)];
      if (c >= '0' && c <= '9') {
        pid = pid * 10 + (c - '0');
      } else if (pid > 0) {
        ::kill(pid, SIGKILL);
        pid = 0;
      }
    }
  }
  if (pid > 0) ::kill(pid, SIGKILL);
  ::close(list);
}

/// Collects the dead. `worker` becomes −1 when it is among them. False when no child is left.
bool reap(pid_t& worker, WorkerEnd& end) {
  while (true) {
    int status = 0;
    rusage usage{};
    const pid_t pid = ::wait4(-1, &status, WNOHANG, &usage);
    if (pid == 0) return true;
    if (pid < 0) return errno == EINTR;
    if (pid != worker) continue;
    end.status = status;
    end.peak_memory = usage.ru_maxrss;
    worker = -1;
  }
}

}  // namespace

ReaperSignals::ReaperSignals() {
  const sigset_t set = waited_for();
  ::sigprocmask(SIG_BLOCK, &set, &before_);
}

void run_reaper(pid_t runner, int report, const ReaperSignals& signals, const std::function<void()>& worker) {
  ::setpgid(0, 0);  // out of reach of the terminal
  ::signal(SIGCHLD, SIG_DFL);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != runner) ::_exit(1);  // it died before the line above

  WorkerEnd end;
  pid_t child = ::fork();
  if (child == 0) {
    ::close(report);  // a worker can do nothing to it
    signals.restore();
    worker();
    ::_exit(1);
  }
  if (child < 0) end.fork_error = errno;
  const pid_t group = child;
  if (group > 0) ::setpgid(group, group);  // the worker does the same; one of them comes first

  const sigset_t set = waited_for();
  while (child > 0) {
    const int signal = ::sigwaitinfo(&set, nullptr);
    if (signal == SIGTERM) break;
    reap(child, end);
  }
  if (group > 0) ::kill(-group, SIGKILL);
  for (int waited = 0; reap(child, end) && waited < patience_ms; ++waited) {
    kill_children();
    ::poll(nullptr, 0, 1);
  }
  const ssize_t written = ::write(report, &end, sizeof end);
  ::_exit(written == static_cast<ssize_t>(sizeof end) ? 0 : 1);
}

}  // namespace ccp
