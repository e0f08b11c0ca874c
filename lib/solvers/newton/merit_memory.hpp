#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace ccp {

/// The last merits of a Newton run: a non-monotone line search compares with the largest of them (Grippo, Lampariello and
/// Lucidi 1986).
class MeritMemory {
 public:
  static constexpr int capacity = 100;

  void restart(int length, double merit) {
    length_ = std::clamp(length, 1, capacity);
    count_ = 0;
    add(merit);
  }
  void add(double merit) {
    merits_[static_cast<std::size_t>(count_ % length_)] = merit;
    ++count_;
  }
  double largest() const { return *std::max_element(merits_.begin(), merits_.begin() + std::min(count_, length_)); }

 private:
  std::array<double, capacity> merits_{};
  int length_ = 1, count_ = 0;
};

}  // namespace ccp
