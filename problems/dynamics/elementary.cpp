#include "problems/dynamics/elementary.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>

namespace ccp {
namespace {

/// 1 − x²/(1·2)(1 − x²/(3·4)(1 − …)) of the cosine (first = 0), 1 − x²/(2·3)(1 − x²/(4·5)(1 − …)) of sin(x)/x (first = 1).
double series(double square, int first) {
  double sum = 1.0;
  for (int k = 22; k >= 2; k -= 2) sum = 1.0 - square / ((k + first - 1.0) * (k + first)) * sum;
  return sum;
}

/// The arctangent of 0, 1/8, …, 1.
constexpr double arctangent_of_eighths[] = {0.0,
                                            0.12435499454676144,
                                            0.24497866312686414,
                                            0.35877067027057225,
                                            0.4636476090008061,
                                            0.5585993153435624,
                                            0.6435011087932844,
                                            0.7188299996216245,
                                            0.7853981633974483};

/// x − x³/3 + x⁵/5 − …, |x| <= 1/16.
double small_arctangent(double x) {
  const double square = x * x;
  double sum = 0.0;
  for (int k = 13; k >= 1; k -= 2) sum = 1.0 / k - square * sum;
  return x * sum;
}

double small_sin(double x) { return x * series(x * x, 1); }
double small_cos(double x) { return series(x * x, 0); }

/// x = quarters·π/2 + rest, |rest| <= π/4 (Cody and Waite): the first two parts of π/2 have 33 bits each, so that their
/// products with up to 2²⁰ quarters are exact.
struct Reduced {
  int quarter;  ///< modulo 4
  double rest;
};

Reduced reduced(double x) {
  constexpr double first = 0x1.921fb544p+0, second = 0x1.0b4611a6p-34, third = 0x1.3198a2e037073p-69;
  if (!(std::abs(x) < 1e9)) return {0, std::numeric_limits<double>::quiet_NaN()};
  const double quarters = std::floor(x * 0x1.45f306dc9c883p-1 + 0.5);  // 2/π
  const double rest = ((x - quarters * first) - quarters * second) - quarters * third;
  return {static_cast<int>(static_cast<long long>(quarters) & 3), rest};
}

}  // namespace

double taylor_exp(double x) {
  constexpr double first = 0x1.62e42fef00000p-1,
                   second = 0x1.473de6af278edp-34;  // ln 2; products with the first part are exact
  if (std::isnan(x)) return x;
  if (x > 710.0) return std::numeric_limits<double>::infinity();
  if (x < -746.0) return 0.0;
  const double doublings = std::floor(x * 0x1.71547652b82fep+0 + 0.5);
  const double rest = (x - doublings * first) - doublings * second;
  double sum = 1.0;
  for (int k = 17; k >= 1; --k) sum = 1.0 + rest / k * sum;
  return std::ldexp(sum, static_cast<int>(doublings));
}

double taylor_sin(double x) {
  const auto [quarter, rest] = reduced(x);
  const double value = quarter % 2 == 0 ? small_sin(rest) : small_cos(rest);
  return quarter < 2 ? value : -value;
}

double taylor_cos(double x) {
  const auto [quarter, rest] = reduced(x);
  const double value = quarter % 2 == 0 ? small_cos(rest) : small_sin(rest);
  return quarter == 0 || quarter == 3 ? value : -value;
}

double taylor_atan2(double y, double x) {
  const double across = std::abs(x), up = std::abs(y), large = std::max(across, up), small = std::min(across, up);
  if (large == 0.0) return 0.0;
  const double slope = small / large;
  const auto eighths = static_cast<std::size_t>(8.0 * slope + 0.5);
  const double known = 0.125 * static_cast<double>(eighths);
  double angle = arctangent_of_eighths[eighths] + small_arctangent((slope - known) / (1.0 + slope * known));
  if (up > across) angle = 0.5 * std::numbers::pi - angle;
  if (x < 0.0) angle = std::numbers::pi - angle;
  return y < 0.0 ? -angle : angle;
}

double cube_root(double x) {
  double root = std::sqrt(x);
  for (int i = 0; i < 200; ++i) root -= (root - x / (root * root)) / 3.0;
  return root;
}

}  // namespace ccp
