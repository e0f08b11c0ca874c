#include "distributed/launch.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "distributed/socket_address.hpp"
#include "process/orphans.hpp"

namespace ccp {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr int look_ms = 100;                          // between two looks at the processes
constexpr double start_limit_s = 120.0;               // of mpiexec
constexpr double own_end_s = 5.0, asked_end_s = 2.0;  // that it may take to end by itself, and when asked

std::string value_or(const char* variable, const std::string& otherwise) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0' ? value : otherwise;
}

std::string mpiexec() { return value_or("CCPBENCH_MPIEXEC", "mpiexec"); }

/// Beside this program.
std::string rank_program() {
  std::error_code ignored;
  const fs::path here = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  return value_or("CCPBENCH_RANKS_PROGRAM", (here / "ccpbench-ranks").string());
}

/// Where the ranks run: a host file, or hosts with their slots as of `mpiexec --host`. Without either Open MPI takes this
/// machine or, within an allocation of Slurm, its nodes.
std::vector<std::string> host_words() {
  const std::string hosts = value_or("CCPBENCH_HOSTS", "");
  if (hosts.empty()) return {};
  std::error_code ignored;
  return {fs::is_regular_file(hosts, ignored) ? "--hostfile" : "--host", hosts};
}

/// The command of Open MPI. Ranks yield while they wait, for there may be more of them than cores, and are bound to none,
/// for runs side by side would be bound to the same. PT-Scotch with threads cuts otherwise in each run. Launches that share
/// the folder of Open MPI fail now and then, where two of them make it at once or one removes it.
std::vector<std::string> command(int ranks, const std::string& socket, const std::string& folder) {
  std::vector<std::string> words = {"env", "SCOTCH_PTHREAD_NUMBER=1", "TMPDIR=" + folder};
  if (::geteuid() == 0) words.insert(words.end(), {"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"});
  words.insert(words.end(), {mpiexec(), "-n", std::to_string(ranks), "--bind-to", "none", "--oversubscribe", "--mca",
                             "mpi_yield_when_idle", "1"});
  for (std::string& word : host_words()) words.push_back(std::move(word));
  for (const char* variable : {"SCOTCH_PTHREAD_NUMBER", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"})
    words.insert(words.end(), {"-x", variable});
  words.insert(words.end(), {rank_program(), socket, std::to_string(ranks)});
  return words;
}

/// What a program prints, or nothing where it does not run.
std::string answer(const std::vector<std::string>& words) {
  ChildProgram program(words, 1);
  char byte = 0;
  if (program.receive(&byte, 1, std::chrono::seconds(60)) != ChildProgram::Transfer::closed) return "";
  return program.exit().code == 0 ? program.last_line() : "";
}

}  // namespace

const std::string& ranks_missing() {
  static const std::string missing = []() -> std::string {
    if (!answer({rank_program(), "version"}).starts_with("ranks "))
      return "ranks need the program ccpbench-ranks, which is built where Open MPI and PETSc are (Debian: petsc-dev), "
             "or the package ccpbench-ranks";
    if (answer({mpiexec(), "--version"}).empty()) return "ranks need mpiexec of Open MPI (Debian: openmpi-bin)";
    return "";
  }();
  return missing;
}

void set_rank_hosts(const std::string& hosts) {
  std::error_code ignored;
  if (hosts.find('/') != std::string::npos && !fs::is_regular_file(hosts, ignored))
    throw InputError(fmt::format("--hosts: there is no host file {}", hosts));
  ::setenv("CCPBENCH_HOSTS", hosts.c_str(), 1);
}

RankLaunch::RankLaunch(int ranks, int threads, std::function<bool()> interrupted)
    : interrupted_(std::move(interrupted)), scratch_("ccpbench-ranks") {
  adopt_orphans();
  static std::atomic<int> started = 0;
  const std::string name = fmt::format("ccpbench-ranks-{}-{}", ::getpid(), ++started);
  listen(name);
  mpiexec_ = std::make_unique<ChildProgram>(command(ranks, name, scratch_.path().string()), threads);
  accept();
}

RankLaunch::~RankLaunch() {
  for (const int descriptor : {socket_, listener_})
    if (descriptor >= 0) ::close(descriptor);
  if (mpiexec_) {
    const std::string mark = mpiexec_->mark();
    char byte = 0;
    if (!done_ || mpiexec_->receive(&byte, 1, std::chrono::duration<double>(own_end_s)) != ChildProgram::Transfer::closed) {
      mpiexec_->ask_to_end();
      mpiexec_->receive(&byte, 1, std::chrono::duration<double>(asked_end_s));
    }
    mpiexec_.reset();
    kill_marked_children(mark);
  }
}

void RankLaunch::listen(const std::string& name) {
  const SocketAddress address(name);
  listener_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (listener_ < 0 || ::bind(listener_, address.get(), address.size()) != 0 || ::listen(listener_, 1) != 0)
    throw std::system_error(errno, std::generic_category(), name);
}

void RankLaunch::accept() {
  while (socket_ < 0) {
    wait_for(listener_, POLLIN, start_limit_s);
    socket_ = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket_ < 0) throw std::system_error(errno, std::generic_category(), "accept");
    ucred caller{};
    socklen_t size = sizeof caller;
    if (::getsockopt(socket_, SOL_SOCKET, SO_PEERCRED, &caller, &size) == 0 && caller.uid == ::geteuid()) break;
    ::close(std::exchange(socket_, -1));  // someone else's
  }
}

void RankLaunch::lost() {
  if (interrupted_()) throw RanksInterrupted();
  const bool out_of_memory = mpiexec_->exit().code == memory_exit;
  throw RanksLost(out_of_memory ? memory_reason : fmt::format("the ranks ended: {}", mpiexec_->exit_text()), out_of_memory);
}

void RankLaunch::wait_for(int descriptor, short event, double longest_s) {
  const auto end = Clock::now() + std::chrono::duration<double>(longest_s);
  while (true) {
    pollfd one{descriptor, event, 0};
    if (::poll(&one, 1, look_ms) > 0) return;
    if (interrupted_()) throw RanksInterrupted();
    char byte = 0;
    if (mpiexec_->receive(&byte, 1, std::chrono::seconds(0)) == ChildProgram::Transfer::closed) {
      if (::poll(&one, 1, 0) > 0) return;  // said before their end, and after the first look
      lost();
    }
    if (Clock::now() >= end) throw RanksLost(fmt::format("the ranks have said nothing for {:.0f} s", longest_s));
  }
}

void RankLaunch::write(const void* data, std::size_t bytes) {
  for (const char* at = static_cast<const char*>(data); bytes > 0;) {
    wait_for(socket_, POLLOUT, patience_s_);
    const ssize_t sent = ::send(socket_, at, bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (sent <= 0) lost();
    at += sent;
    bytes -= static_cast<std::size_t>(sent);
  }
}

void RankLaunch::read(void* data, std::size_t bytes) {
  for (char* at = static_cast<char*>(data); bytes > 0;) {
    wait_for(socket_, POLLIN, patience_s_);
    const ssize_t got = ::recv(socket_, at, bytes, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) lost();
    at += got;
    bytes -= static_cast<std::size_t>(got);
  }
}

}  // namespace ccp
