#include "process/program.hpp"

#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>
#include <system_error>

namespace ccp {
namespace {

/// Our environment with these changes.
std::vector<std::string> environment_with(const std::vector<std::string>& changes) {
  const auto name_of = [](std::string_view entry) { return entry.substr(0, entry.find('=')); };
  std::vector<std::string> list;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view name = name_of(*entry);
    if (std::none_of(changes.begin(), changes.end(), [&](const std::string& change) { return name_of(change) == name; }))
      list.emplace_back(*entry);
  }
  list.insert(list.end(), changes.begin(), changes.end());
  return list;
}

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> list;
  for (const std::string& word : words) list.push_back(const_cast<char*>(word.c_str()));
  list.push_back(nullptr);
  return list;
}

/// In the child: nothing that allocates, for other threads may have held a lock at the fork.
[[noreturn]] void become(const Program& program, pid_t parent, char* const* arguments, char* const* environment) {
  if (program.bound) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(exit_no_program);  // it died before the line above
    for (const int signal : {SIGINT, SIGTERM, SIGPIPE}) ::signal(signal, SIG_DFL);
  }
  if (program.input >= 0) ::dup2(program.input, STDIN_FILENO);
  if (program.output >= 0) {
    ::dup2(program.output, STDOUT_FILENO);
    ::dup2(program.errors >= 0 ? program.errors : program.output, STDERR_FILENO);
  }
  if (program.bound) ::close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
  ::execvpe(arguments[0], arguments, environment);
  const char* reason = program.bound ? ::strerrordesc_np(errno) : nullptr;
  if (reason != nullptr && ::write(STDERR_FILENO, reason, std::strlen(reason)) < 0) ::_exit(exit_no_program);
  ::_exit(exit_no_program);
}

}  // namespace

pid_t start(const Program& program) {
  const auto environment = environment_with(program.environment);
  const auto argv = pointers(program.arguments), envp = pointers(environment);
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child == 0) become(program, parent, argv.data(), envp.data());
  if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
  return child;
}

}  // namespace ccp
