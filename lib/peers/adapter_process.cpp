#include "peers/adapter_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>
#include <system_error>

namespace ccp {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t most_of_a_line = 300;
constexpr int exit_no_program = 127;

/// The environment of the child: ours, with the number of threads of the BLAS it may use.
std::vector<std::string> child_environment(int threads) {
  const std::array<std::string, 2> names = {"OPENBLAS_NUM_THREADS=", "OMP_NUM_THREADS="};
  std::vector<std::string> list;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (std::none_of(names.begin(), names.end(), [&](const std::string& name) { return text.starts_with(name); }))
      list.emplace_back(text);
  }
  for (const std::string& name : names) list.push_back(name + std::to_string(threads));
  return list;
}

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> list;
  for (const std::string& word : words) list.push_back(const_cast<char*>(word.c_str()));
  list.push_back(nullptr);
  return list;
}

/// In the child: nothing that allocates, for other threads may have held a lock at the fork.
[[noreturn]] void become(pid_t parent, int socket, int printed, char* const* arguments, char* const* environment) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(exit_no_program);  // it died before the line above
  for (const int signal : {SIGINT, SIGTERM, SIGPIPE}) ::signal(signal, SIG_DFL);
  ::dup2(socket, STDIN_FILENO);
  ::dup2(printed, STDOUT_FILENO);
  ::dup2(printed, STDERR_FILENO);
  ::execvpe(arguments[0], arguments, environment);
  const char* reason = ::strerrordesc_np(errno);
  if (reason != nullptr && ::write(STDERR_FILENO, reason, std::strlen(reason)) < 0) ::_exit(exit_no_program);
  ::_exit(exit_no_program);
}

int milliseconds_until(Clock::time_point end) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
  return static_cast<int>(std::clamp<long long>(left, 0, 1000));
}

}  // namespace

AdapterProcess::AdapterProcess(const std::vector<std::string>& arguments, int threads) {
  const auto environment = child_environment(threads);
  const auto argv = pointers(arguments), envp = pointers(environment);
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw std::system_error(errno, std::generic_category(), "socketpair");
  printed_ = ::memfd_create("adapter", MFD_CLOEXEC);
  const pid_t parent = ::getpid();
  pid_ = printed_ >= 0 ? ::fork() : -1;
  if (pid_ == 0) become(parent, ends[1], printed_, argv.data(), envp.data());
  const int error = errno;
  ::close(ends[1]);
  socket_ = ends[0];
  if (pid_ > 0) return;
  ::close(socket_);
  if (printed_ >= 0) ::close(printed_);
  throw std::system_error(error, std::generic_category(), "an adapter process");
}

AdapterProcess::~AdapterProcess() {
  ::close(socket_);
  if (pid_ > 0) ::kill(pid_, SIGKILL);
  wait();
  ::close(printed_);
}

bool AdapterProcess::send(const void* data, std::size_t bytes) {
  const char* at = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t sent = ::send(socket_, at, bytes, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    at += sent;
    bytes -= static_cast<std::size_t>(sent);
  }
  return true;
}

AdapterProcess::Reading AdapterProcess::receive(void* data, std::size_t bytes, std::chrono::duration<double> longest) {
  // Further than a steady clock can count is for ever.
  const auto bounded = std::min(longest, std::chrono::duration<double>(1e8));
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(bounded);
  char* at = static_cast<char*>(data);
  while (bytes > 0) {
    pollfd readable{socket_, POLLIN, 0};
    const int ready = ::poll(&readable, 1, milliseconds_until(end));
    if (ready < 0 && errno != EINTR) return Reading::closed;
    if (ready <= 0) {
      if (Clock::now() >= end) return Reading::timed_out;
      continue;
    }
    const ssize_t got = ::recv(socket_, at, bytes, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return Reading::closed;
    at += got;
    bytes -= static_cast<std::size_t>(got);
  }
  return Reading::done;
}

void AdapterProcess::wait() {
  if (pid_ <= 0) return;
  // A child that closed its socket should be gone in a moment; it is made to go where it is not.
  const auto patience = Clock::now() + std::chrono::seconds(1);
  while (Clock::now() < patience) {
    if (::waitpid(pid_, &status_, WNOHANG) == pid_) {
      pid_ = -1;
      return;
    }
    ::poll(nullptr, 0, 2);
  }
  ::kill(pid_, SIGKILL);
  while (::waitpid(pid_, &status_, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
}

std::string AdapterProcess::epitaph() {
  wait();
  const std::string line = last_line();
  std::string how = fmt::format("exit code {}", WEXITSTATUS(status_));
  if (WIFSIGNALED(status_)) {
    const char* name = ::sigabbrev_np(WTERMSIG(status_));
    how = name != nullptr ? fmt::format("SIG{}", name) : fmt::format("signal {}", WTERMSIG(status_));
  }
  return line.empty() ? how : how + ": " + line;
}

std::optional<int> AdapterProcess::exit_code() {
  wait();
  if (WIFEXITED(status_)) return WEXITSTATUS(status_);
  return std::nullopt;
}

std::string AdapterProcess::last_line() const {
  std::array<char, 4096> tail{};
  struct stat file {};
  if (::fstat(printed_, &file) != 0) return {};
  const off_t from = std::max<off_t>(0, file.st_size - static_cast<off_t>(tail.size()));
  const ssize_t read = ::pread(printed_, tail.data(), tail.size(), from);
  std::string_view text(tail.data(), read > 0 ? static_cast<std::size_t>(read) : 0);
  const auto end = text.find_last_not_of(" \t\r\n");
  if (end == std::string_view::npos) return {};
  text = text.substr(0, end + 1);
  const auto start = text.find_last_of('\n');
  if (start != std::string_view::npos) text.remove_prefix(start + 1);
  return std::string(text.substr(0, most_of_a_line));
}

}  // namespace ccp
