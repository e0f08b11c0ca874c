#pragma once

#include <string>

#include "solvers/monitor.hpp"

namespace ccp::testing {

/// A monitor without clock and limits, for tests that say in go_on() how long a method works.
class BareMonitor : public Monitor {
 public:
  explicit BareMonitor(int threads = 1) : threads_(threads) {}
  bool solved() const override { return false; }
  Counters& counters() override { return counters_; }
  int threads() const override { return threads_; }
  void note(const std::function<std::string()>&) override {}
  void set_outer(int) override {}
  void advance_clock(double) override {}
  Remaining remaining() const override { return {}; }

 private:
  int threads_;
  Counters counters_;
};

}  // namespace ccp::testing
