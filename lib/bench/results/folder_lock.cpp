#include "bench/results/folder_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <ctime>
#include <sstream>
#include <string>
#include <thread>

#include "core/error.hpp"
#include "io/file.hpp"

namespace ccp {
namespace {

/// How long the workers of a killed run may take to end.
constexpr std::chrono::seconds patience{10};

struct Holder {
  int process = 0;
  std::string host, since;
};

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 && name[0] != '\0' ? name.data() : "unknown";
}

std::string holder_text() { return fmt::format("{} {} {}\n", ::getpid(), host_name(), iso_time_now()); }

/// Process 0 where the file says nothing.
Holder read_holder(const std::filesystem::path& file) {
  Holder holder;
  std::istringstream text(read_file(file).value_or(""));
  if (!(text >> holder.process >> holder.host >> holder.since)) holder.process = 0;
  return holder;
}

/// Whether it can be seen from here that the process is gone.
bool is_gone(const Holder& holder) {
  return holder.process <= 0 || (holder.host == host_name() && ::kill(holder.process, 0) != 0 && errno == ESRCH);
}

std::string text_of(const Holder& holder) {
  return holder.process > 0 ? fmt::format("process {} on {}, since {}", holder.process, holder.host, holder.since)
                            : "it does not say who";
}

[[noreturn]] void refuse(const std::filesystem::path& file) {
  const Holder holder = read_holder(file);
  const bool elsewhere = holder.process > 0 && holder.host != host_name();
  throw InputError(file.parent_path().string(), "",
                   fmt::format("another run writes here ({}): wait for it, or choose another folder with --out{}",
                               text_of(holder), elsewhere ? "; if that process is gone, remove " + file.string() : ""));
}

bool has_locks(int error) { return error != ENOLCK && error != EOPNOTSUPP && error != ENOSYS && error != EINVAL; }

/// Whether the open file is the one that has the name: whoever held the lock may have removed it in between.
bool is_current(int descriptor, const std::filesystem::path& file) {
  struct stat open {};
  struct stat named {};
  return ::fstat(descriptor, &open) == 0 && ::stat(file.c_str(), &named) == 0 && open.st_ino == named.st_ino &&
         open.st_dev == named.st_dev;
}

}  // namespace

FolderLock::FolderLock(const std::filesystem::path& folder) : file_(folder / ".lock"), owner_(::getpid()) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (true) {
    descriptor_ = ::open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor_ < 0) throw cannot_write(file_, errno);
    const bool locked = ::flock(descriptor_, LOCK_EX | LOCK_NB) == 0;
    const bool taken = locked ? is_current(descriptor_, file_) : !has_locks(errno) && is_gone(read_holder(file_));
    if (taken) break;
    ::close(descriptor_);
    if (locked) continue;
    if (!is_gone(read_holder(file_)) || std::chrono::steady_clock::now() > deadline) refuse(file_);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  const std::string text = holder_text();
  errno = 0;
  if (::ftruncate(descriptor_, 0) != 0 ||
      ::write(descriptor_, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    const int error = errno != 0 ? errno : ENOSPC;  // a short write says nothing
    ::unlink(file_.c_str());
    ::close(descriptor_);
    throw cannot_write(file_, error);
  }
}

// First the name, then the lock: whoever opened the file before finds that it is no longer the current one.
FolderLock::~FolderLock() {
  if (owner_ == ::getpid()) ::unlink(file_.c_str());
  ::close(descriptor_);
}

std::string iso_time_now() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text.data();
}

// A shared lock is given back at once: a run that begins meanwhile finds no living holder in the file, and tries again.
std::string writer_of(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / ".lock";
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return "";
  const bool free = ::flock(descriptor, LOCK_SH | LOCK_NB) == 0;
  const bool held = !free && (has_locks(errno) || !is_gone(read_holder(file)));
  ::close(descriptor);
  return held ? text_of(read_holder(file)) : "";
}

}  // namespace ccp
