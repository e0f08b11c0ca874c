#pragma once

#include <atomic>
#include <cstdint>

#include "process/shared_value.hpp"

namespace ccp {

/// Counts the steps of a sequence in memory that this process shares with the workers it forks later.
class StepCounter {
 public:
  /// The first call says how many steps were done before.
  void set(std::int64_t done) {
    if (!steps_->began.exchange(true)) steps_->before = done;
    steps_->done = done;
  }
  std::int64_t done() const { return steps_->done; }
  /// Since the first call of set().
  std::int64_t done_here() const { return done() - steps_->before; }

 private:
  struct Steps {
    std::atomic<std::int64_t> before{0}, done{0};
    std::atomic<bool> began{false};
    static_assert(std::atomic<std::int64_t>::is_always_lock_free);
  };
  SharedValue<Steps> steps_;
};

}  // namespace ccp
