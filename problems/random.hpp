#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "core/types.hpp"

namespace ccp {

/// Random numbers of the scenes. The generator is std::mt19937_64, whose output the C++ standard fixes. The mapping to
/// numbers is here instead of in std distributions, which differ between libraries, and uses only operations that IEEE 754
/// rounds correctly (+, −, ×, ÷, √), no sine or power of the mathematics library.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  /// The numbers of one draw of a scene, other ones for each `kind` and `index` (SplitMix64 of Steele, Lea, Flood 2014).
  static Random stream(std::uint64_t seed, std::uint64_t kind, std::uint64_t index) {
    std::uint64_t state = seed;
    for (const std::uint64_t word : {kind, index}) state = scrambled(state) + word;
    return Random(scrambled(state));
  }

  /// In [0, 1): a multiple of 2⁻⁵³.
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  /// In [low, high).
  double uniform(double low, double high) { return low + (high - low) * uniform(); }

  /// Uniform in the unit ball without its centre.
  Vector3 in_ball() {
    for (;;) {
      const double x = uniform(-1.0, 1.0), y = uniform(-1.0, 1.0), z = uniform(-1.0, 1.0);
      const double square = x * x + y * y + z * z;
      if (square <= 1.0 && square > 1e-6) return {x, y, z};
    }
  }

  /// Uniform in the unit disc of x and y.
  Vector3 in_disc() {
    for (;;) {
      const double x = uniform(-1.0, 1.0), y = uniform(-1.0, 1.0);
      if (x * x + y * y <= 1.0) return {x, y, 0.0};
    }
  }

  /// Uniform on the unit sphere.
  Vector3 direction() { return in_ball().normalized(); }

  /// A rotation, uniform over all of them: from a point of the unit ball of quaternions.
  Matrix3 rotation() {
    for (;;) {
      const double a = uniform(-1.0, 1.0), b = uniform(-1.0, 1.0), c = uniform(-1.0, 1.0), d = uniform(-1.0, 1.0);
      const double square = a * a + b * b + c * c + d * d;
      if (square > 1.0 || square < 1e-6) continue;
      const double s = 2.0 / square;
      Matrix3 result;
      result << 1.0 - s * (c * c + d * d), s * (b * c - a * d), s * (b * d + a * c),  //
          s * (b * c + a * d), 1.0 - s * (b * b + d * d), s * (c * d - a * b),        //
          s * (b * d - a * c), s * (c * d + a * b), 1.0 - s * (b * b + c * c);
      return result;
    }
  }

 private:
  static std::uint64_t scrambled(std::uint64_t word) {
    word += 0x9e3779b97f4a7c15U;
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9U;
    word = (word ^ (word >> 27)) * 0x94d049bb133111ebU;
    return word ^ (word >> 31);
  }

  std::mt19937_64 engine_;
};

/// Numbers whose logarithm is uniform: ratio^t with t uniform in [−1/2, 1/2). The power is a product of square roots, one
/// per binary digit of t.
class LogUniform {
 public:
  /// ratio: the largest over the smallest number, >= 1.
  explicit LogUniform(double ratio) : largest_(std::sqrt(ratio)) {
    double root = ratio;
    for (double& power : powers_) power = root = std::sqrt(root);
  }

  double operator()(Random& random) const {
    double t = random.uniform(), value = 1.0;
    for (const double power : powers_) {
      t *= 2.0;
      if (t < 1.0) continue;
      value *= power;
      t -= 1.0;
    }
    return value / largest_;
  }

 private:
  double powers_[30] = {};  ///< ratio^(1/2), ratio^(1/4), …
  double largest_;
};

}  // namespace ccp
