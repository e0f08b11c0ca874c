#include "process/child_program.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <limits>
#include <system_error>

#include "process/core_wait.hpp"
#include "process/program.hpp"

namespace ccp {
namespace {

using Clock = std::chrono::steady_clock;

int milliseconds_until(Clock::time_point end) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
  return static_cast<int>(std::clamp<long long>(left, 0, 1000));
}

Clock::time_point from_now(std::chrono::duration<double> longest) {
  // Further than a steady clock can count is for ever.
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::min(longest, std::chrono::duration<double>(1e8)));
}

}  // namespace

ChildProgram::ChildProgram(const std::vector<std::string>& arguments, int threads, Answers answers) {
  static std::atomic<int> started = 0;
  mark_ = "CCPBENCH_CHILD=" + std::to_string(::getpid()) + "." + std::to_string(++started);
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw std::system_error(errno, std::generic_category(), "socketpair");
  socket_ = ends[0];
  try {
    printed_ = ::memfd_create("printed", MFD_CLOEXEC);
    if (printed_ < 0) throw std::system_error(errno, std::generic_category(), "memfd_create");
    const std::string count = std::to_string(threads);
    Program program{arguments, {"OPENBLAS_NUM_THREADS=" + count, "OMP_NUM_THREADS=" + count, mark_}, ends[1], printed_};
    if (answers == Answers::on_output) program.output = ends[1], program.errors = printed_;
    program.bound = true;
    pid_ = start(program);
  } catch (...) {
    for (const int descriptor : {ends[0], ends[1], printed_})
      if (descriptor >= 0) ::close(descriptor);
    throw;
  }
  ::close(ends[1]);
}

ChildProgram::~ChildProgram() {
  ::close(socket_);
  end();
  ::close(printed_);
}

double ChildProgram::core_wait_s() const {
  return pid_ > 0 ? ccp::core_wait_s(pid_) : std::numeric_limits<double>::quiet_NaN();
}

void ChildProgram::ask_to_end() const {
  if (pid_ > 0) ::kill(pid_, SIGTERM);
}

void ChildProgram::end() {
  if (pid_ > 0) ::kill(pid_, SIGKILL);
  exit();
}

void ChildProgram::pass_on_printed() {
  end();
  std::array<char, 4096> piece{};
  off_t at = 0;
  for (ssize_t got = 0; (got = ::pread(printed_, piece.data(), piece.size(), at)) > 0; at += got)
    for (ssize_t written = 0; written < got;) {
      const ssize_t more = ::write(STDERR_FILENO, piece.data() + written, static_cast<std::size_t>(got - written));
      if (more < 0 && errno == EINTR) continue;
      if (more <= 0) return;
      written += more;
    }
}

ChildProgram::Transfer ChildProgram::wait_for_socket(short event, Clock::time_point end) const {
  while (true) {
    pollfd socket{socket_, event, 0};
    const int ready = ::poll(&socket, 1, milliseconds_until(end));
    if (ready > 0) return Transfer::done;
    if (ready < 0 && errno != EINTR) return Transfer::closed;
    if (Clock::now() >= end) return Transfer::timed_out;
  }
}

ChildProgram::Transfer ChildProgram::send(const void* data, std::size_t bytes, std::chrono::duration<double> longest) {
  const auto end = from_now(longest);
  const char* at = static_cast<const char*>(data);
  while (bytes > 0) {
    if (const Transfer ready = wait_for_socket(POLLOUT, end); ready != Transfer::done) return ready;
    const ssize_t sent = ::send(socket_, at, bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (sent <= 0) return Transfer::closed;
    at += sent;
    bytes -= static_cast<std::size_t>(sent);
  }
  return Transfer::done;
}

ChildProgram::Transfer ChildProgram::receive(void* data, std::size_t bytes, std::chrono::duration<double> longest) {
  const auto end = from_now(longest);
  char* at = static_cast<char*>(data);
  while (bytes > 0) {
    if (const Transfer ready = wait_for_socket(POLLIN, end); ready != Transfer::done) return ready;
    const ssize_t got = ::recv(socket_, at, bytes, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return Transfer::closed;
    at += got;
    bytes -= static_cast<std::size_t>(got);
  }
  return Transfer::done;
}

const ExitStatus& ChildProgram::exit() {
  if (pid_ <= 0) return exit_;
  // A child that closed its socket should be gone in a moment; it is killed where it is not.
  const auto patience = Clock::now() + std::chrono::seconds(1);
  int status = 0;
  bool gone = false;
  while (!gone && Clock::now() < patience) {
    gone = ::waitpid(pid_, &status, WNOHANG) == pid_;
    if (!gone) ::poll(nullptr, 0, 2);
  }
  if (!gone) ::kill(pid_, SIGKILL);
  exit_ = gone ? exit_status(status) : wait_for(pid_);
  pid_ = -1;
  return exit_;
}

std::string ChildProgram::exit_text() {
  const std::string how = exit().text(), line = last_line();
  return line.empty() ? how : how + ": " + line;
}

std::string ChildProgram::last_line() const {
  std::array<char, 4096> tail{};
  struct stat file {};
  if (::fstat(printed_, &file) != 0) return {};
  const off_t from = std::max<off_t>(0, file.st_size - static_cast<off_t>(tail.size()));
  const ssize_t read = ::pread(printed_, tail.data(), tail.size(), from);
  return ccp::last_line({tail.data(), read > 0 ? static_cast<std::size_t>(read) : 0});
}

}  // namespace ccp
