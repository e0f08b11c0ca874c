#pragma once

#include <vector>

#include "support/bare_monitor.hpp"

namespace ccp::testing {

/// A monitor that lets a method run for a number of iterations and keeps every iterate and its native columns.
class Recorder final : public BareMonitor {
 public:
  explicit Recorder(int iterations) : iterations_(iterations) {}
  bool go_on(const Iterate& iterate) override {
    impulses.push_back(iterate.impulse());
    native.push_back(iterate.native);
    return static_cast<int>(impulses.size()) <= iterations_;
  }

  std::vector<Vector> impulses;
  std::vector<std::vector<double>> native;

 private:
  int iterations_;
};

}  // namespace ccp::testing
