#pragma once

#include <filesystem>
#include <string>

namespace ccp {

/// Keeps a second run out of a folder of results while one writes there. The lock is that of an open file, so the system
/// lifts it when the process has ended, however it ended; what a killed run leaves behind locks nothing. The file `.lock`
/// names its holder, and is gone when the run has ended.
class FolderLock {
 public:
  /// Throws InputError with the holder of the lock and the time where another process has it. The workers of a killed
  /// run hold it until its reapers have ended them: they are waited for. Where the file system has no locks, the process
  /// named in the file counts: as long as it lives when it is of this machine, and else until its file is removed.
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  std::filesystem::path file_;
  int descriptor_ = -1;
  int owner_;  ///< process id; a forked child removes nothing
};

/// The process that writes to a folder of results now: "process 12 on host, since 2026-01-31T12:00:00Z"; empty without one.
std::string writer_of(const std::filesystem::path& folder);

/// Now, UTC, "2026-01-31T12:00:00Z".
std::string iso_time_now();

}  // namespace ccp
