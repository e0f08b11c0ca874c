#pragma once

#include <array>

#include "core/types.hpp"

namespace ccp {

/// The last two iterates, the best one so far, and room for the next: four vectors whose roles change, so that none is ever
/// copied.
class Iterates {
 public:
  /// All of them zero, m entries; the best is the current one.
  explicit Iterates(Index rows) {
    for (Vector& slot : slots_) slot.setZero(rows);
  }

  Vector& current() { return slots_[current_]; }
  const Vector& current() const { return slots_[current_]; }
  const Vector& previous() const { return slots_[previous_]; }
  const Vector& best() const { return slots_[best_]; }
  /// The next iterate in the making.
  Vector& next() { return slots_[next_]; }
  const Vector& next() const { return slots_[next_]; }

  /// The next iterate becomes the current one.
  void accept() {
    previous_ = current_;
    current_ = next_;
    next_ = 0;
    while (next_ == current_ || next_ == previous_ || next_ == best_) ++next_;
  }
  /// The current iterate is the best one.
  void mark_best() { best_ = current_; }

 private:
  std::array<Vector, 4> slots_;
  std::size_t previous_ = 0, current_ = 0, best_ = 0, next_ = 1;
};

}  // namespace ccp
