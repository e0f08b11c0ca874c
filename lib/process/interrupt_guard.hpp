#pragma once

#include <array>
#include <csignal>

namespace ccp {

/// Notes SIGINT and SIGTERM for its lifetime instead of dying of them. A second signal ends the process as usual.
/// A guard within the lifetime of another, on the same thread, shares what that one noted: a command that runs several
/// things holds one over all of them, so that no signal between two of them is lost or ends the process.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  bool interrupted() const;

 private:
  std::array<struct sigaction, 2> before_{};  ///< what SIGINT and SIGTERM did
};

/// Keeps SIGINT and SIGTERM back for its lifetime, for work that must not end halfway; what came takes effect at its end.
class InterruptHold {
 public:
  InterruptHold();
  ~InterruptHold();
  InterruptHold(const InterruptHold&) = delete;
  InterruptHold& operator=(const InterruptHold&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace ccp
