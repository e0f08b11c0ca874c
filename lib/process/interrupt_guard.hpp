#pragma once

#include <memory>

namespace ccp {

/// Notes SIGINT and SIGTERM for its lifetime instead of dying of them. A second signal ends the process as usual.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  bool interrupted() const;

 private:
  struct Saved;
  std::unique_ptr<Saved> saved_;
};

}  // namespace ccp
