#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace ccp {

/// Counts the steps of a sequence in memory that this process shares with the workers it forks later.
class StepCounter {
 public:
  /// Throws std::system_error without memory to share.
  StepCounter();

  /// The first call says how many steps were done before.
  void set(std::int64_t done);
  std::int64_t done() const { return steps_->done.load(std::memory_order_relaxed); }
  /// Since the first call of set().
  std::int64_t done_here() const { return done() - steps_->before.load(std::memory_order_relaxed); }

 private:
  struct Steps {
    std::atomic<std::int64_t> before{0}, done{0};
    std::atomic<bool> began{false};
  };
  struct Unmap {
    void operator()(Steps* place) const;
  };
  std::unique_ptr<Steps, Unmap> steps_;
};

}  // namespace ccp
