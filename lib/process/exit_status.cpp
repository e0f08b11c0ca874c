#include "process/exit_status.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstring>

namespace ccp {

std::string ExitStatus::text() const { return code ? fmt::format("exit code {}", *code) : signal_name(signal); }

ExitStatus exit_status(int status) {
  if (WIFSIGNALED(status)) return {std::nullopt, WTERMSIG(status)};
  return {WEXITSTATUS(status), 0};
}

ExitStatus wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return exit_status(status);
}

std::string signal_name(int signal) {
  const char* name = ::sigabbrev_np(signal);
  return name != nullptr ? fmt::format("SIG{}", name) : fmt::format("signal {}", signal);
}

}  // namespace ccp
