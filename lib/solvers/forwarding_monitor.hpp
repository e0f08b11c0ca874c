#pragma once

#include <functional>
#include <string>

#include "solvers/monitor.hpp"

namespace ccp {

/// Forwards everything to the monitor of a run. A method made of others derives the monitor of its inner runs from this, and
/// overrides what it answers itself.
class ForwardingMonitor : public Monitor {
 public:
  explicit ForwardingMonitor(Monitor& run) : run_(run) {}

  bool go_on(const Iterate& iterate) override { return run_.go_on(iterate); }
  bool solved() const override { return run_.solved(); }
  Counters& counters() override { return run_.counters(); }
  int threads() const override { return run_.threads(); }
  void note(const std::function<std::string()>& text) override { run_.note(text); }
  void set_outer(int number) override { run_.set_outer(number); }
  void advance_clock(double seconds) override { run_.advance_clock(seconds); }
  Remaining remaining() const override { return run_.remaining(); }

 private:
  Monitor& run_;
};

}  // namespace ccp
