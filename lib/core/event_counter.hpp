#pragma once

#include <optional>
#include <string>

#include "core/stopwatch.hpp"

namespace ccp {

/// Linux counts of a process (perf_event_open). `task_clock`, its time on processors in ns, needs no counter of the
/// processor.
enum class CountedEvent { instructions, task_clock };

/// Counts in user space while the clock that it follows runs: of the thread that makes it, and of threads and processes that
/// begin later. It is switched off the clock. Where the system does not count, defect() says why.
class EventCounter final : public ClockFollower {
 public:
  explicit EventCounter(CountedEvent event);
  ~EventCounter() override;
  EventCounter(const EventCounter&) = delete;
  EventCounter& operator=(const EventCounter&) = delete;

  void go() override;
  void halt() override;
  /// So far. Nothing where nothing is counted, or where other programs had the counter meanwhile.
  std::optional<double> count() const;
  /// Empty where it counts.
  const std::string& defect() const { return defect_; }

 private:
  int file_ = -1;
  std::string defect_;
};

}  // namespace ccp
