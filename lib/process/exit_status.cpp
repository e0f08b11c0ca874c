#include "process/exit_status.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstring>

namespace ccp {

std::string ExitStatus::text() const {
  if (code) return fmt::format("exit code {}", *code);
  const char* name = ::sigabbrev_np(signal);
  return name != nullptr ? fmt::format("SIG{}", name) : fmt::format("signal {}", signal);
}

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

std::string last_line(std::string_view printed) {
  constexpr std::size_t longest = 300;
  const auto end = printed.find_last_not_of(" \t\r\n-");  // rules of dashes say nothing
  if (end == std::string_view::npos) return {};
  printed = printed.substr(0, end + 1);
  const auto before = printed.find_last_of('\n');
  if (before != std::string_view::npos) printed.remove_prefix(before + 1);
  return std::string(printed.substr(0, longest));
}

}  // namespace ccp
