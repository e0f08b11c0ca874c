#pragma once

#include <algorithm>

namespace ccp {

/// Largest components of an iteration, N·s; NaNs do not count.
struct Largest {
  double change = 0.0, impulse = 0.0;
  void include(const Largest& other) {
    change = std::max(change, other.change);
    impulse = std::max(impulse, other.impulse);
  }
};

}  // namespace ccp
