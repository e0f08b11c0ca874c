#pragma once

#include <cstddef>
#include <vector>

namespace ccp {

/// A sine sweep from rest: the frequency of sin φ grows from 0 in proportion to time to `frequency` at `duration`,
/// φ = π frequency t²/duration, and stays then. It keeps a table of about 2048 · frequency · duration entries: let obstacles
/// that move together share one.
class SineSweep {
 public:
  /// frequency: Hz, > 0; duration: s, > 0. Throws InputError for others, and where frequency · duration is above
  /// largest_product.
  SineSweep(double frequency, double duration);

  static constexpr double largest_product = 2000.0;  ///< of frequency and duration: 1000 periods, a table of 66 MB

  struct Values {
    double first = 0.0;   ///< ∫ sin φ, s
    double second = 0.0;  ///< ∫∫ sin φ, s²
  };
  /// From 0 to a time (s); 0 before.
  Values operator()(double time) const;

 private:
  double time(std::size_t interval) const;
  double acceleration(double time) const;
  Values further(const Values& from, double time, double lapse) const;
  Values steady(double lapse) const;

  double frequency_, duration_;
  std::size_t intervals_;
  std::vector<Values> at_;  ///< at the ends of the intervals
};

}  // namespace ccp
