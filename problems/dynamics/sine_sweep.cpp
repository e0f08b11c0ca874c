#include "problems/dynamics/sine_sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/error.hpp"
#include "core/text.hpp"
#include "problems/dynamics/body.hpp"
#include "problems/dynamics/elementary.hpp"

namespace ccp {
namespace {

constexpr double intervals_per_period = 2048.0;  // Simpson's rule is then exact to rounding

}  // namespace

SineSweep::SineSweep(double frequency, double duration) : frequency_(frequency), duration_(duration) {
  require_positive(frequency, "frequency of a sweep", "Hz");
  require_positive(duration, "duration of a sweep", "s");
  if (!(frequency * duration <= largest_product))
    throw InputError(fmt::format("frequency times duration of a sweep is {}, expected at most {}",
                                 format_double(frequency * duration), format_double(largest_product)));
  intervals_ = static_cast<std::size_t>(std::max(16.0, std::ceil(intervals_per_period * frequency * duration)));
  at_.resize(intervals_ + 1);
  for (std::size_t k = 0; k < intervals_; ++k) at_[k + 1] = further(at_[k], time(k), time(k + 1) - time(k));
}

SineSweep::Values SineSweep::operator()(double t) const {
  if (t <= 0.0) return {};
  if (t >= duration_) return steady(t - duration_);
  const auto k = std::min(intervals_ - 1, static_cast<std::size_t>(t / duration_ * static_cast<double>(intervals_)));
  return further(at_[k], time(k), t - time(k));
}

double SineSweep::time(std::size_t k) const { return duration_ * static_cast<double>(k) / static_cast<double>(intervals_); }

double SineSweep::acceleration(double t) const { return taylor_sin(std::numbers::pi * frequency_ * t * t / duration_); }

/// Simpson's rule over [t, t + s], of sin φ and of (s − τ) sin φ.
SineSweep::Values SineSweep::further(const Values& from, double t, double s) const {
  const double start = acceleration(t), middle = acceleration(t + 0.5 * s);
  return {from.first + s / 6.0 * (start + 4.0 * middle + acceleration(t + s)),
          from.second + s * from.first + s * s / 6.0 * (start + 2.0 * middle)};
}

/// s after the sweep, at a constant frequency.
SineSweep::Values SineSweep::steady(double s) const {
  const double rate = 2.0 * std::numbers::pi * frequency_, end = std::numbers::pi * frequency_ * duration_;
  const double phase = end + rate * s, mean = at_.back().first + taylor_cos(end) / rate;
  return {mean - taylor_cos(phase) / rate,
          at_.back().second + mean * s - (taylor_sin(phase) - taylor_sin(end)) / (rate * rate)};
}

}  // namespace ccp
