#include "problems/dynamics/obstacle.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <utility>
#include <vector>

#include "problems/dynamics/elementary.hpp"

namespace ccp {
namespace {

/// ∫ sin φ and ∫∫ sin φ of a sweep.
class SineSweep {
 public:
  struct Values {
    double first = 0.0, second = 0.0;  ///< s, s²
  };

  SineSweep(double frequency, double duration)
      : frequency_(frequency),
        duration_(duration),
        intervals_(static_cast<std::size_t>(std::max(16.0, std::ceil(intervals_per_period * frequency * duration)))) {
    at_.resize(intervals_ + 1);
    for (std::size_t k = 0; k < intervals_; ++k) at_[k + 1] = further(at_[k], time(k), time(k + 1) - time(k));
  }

  Values operator()(double t) const {
    if (t <= 0.0) return {};
    if (t >= duration_) return steady(t - duration_);
    const auto k = std::min(intervals_ - 1, static_cast<std::size_t>(t / duration_ * static_cast<double>(intervals_)));
    return further(at_[k], time(k), t - time(k));
  }

 private:
  static constexpr double intervals_per_period = 2048.0;  // Simpson's rule is then exact to rounding

  double time(std::size_t k) const { return duration_ * static_cast<double>(k) / static_cast<double>(intervals_); }
  double acceleration(double t) const { return taylor_sin(std::numbers::pi * frequency_ * t * t / duration_); }

  /// Simpson's rule over [t, t + s], of sin φ and of (s − τ) sin φ.
  Values further(const Values& from, double t, double s) const {
    const double start = acceleration(t), middle = acceleration(t + 0.5 * s);
    return {from.first + s / 6.0 * (start + 4.0 * middle + acceleration(t + s)),
            from.second + s * from.first + s * s / 6.0 * (start + 2.0 * middle)};
  }

  /// s after the sweep, at a constant frequency.
  Values steady(double s) const {
    const double rate = 2.0 * std::numbers::pi * frequency_, end = std::numbers::pi * frequency_ * duration_;
    const double phase = end + rate * s, mean = at_.back().first + taylor_cos(end) / rate;
    return {mean - taylor_cos(phase) / rate,
            at_.back().second + mean * s - (taylor_sin(phase) - taylor_sin(end)) / (rate * rate)};
  }

  double frequency_, duration_;
  std::size_t intervals_;
  std::vector<Values> at_;  ///< at the ends of the intervals
};

}  // namespace

Vector3 ObstacleFrame::velocity_at(const Vector3& point) const { return velocity + spin.cross(point - position); }

PrescribedMotion resting(const Vector3& position, const Quaternion& attitude) {
  return [frame = ObstacleFrame{position, unit_quaternion(attitude, "an obstacle"), Vector3::Zero(), Vector3::Zero()}](
             double) { return frame; };
}

PrescribedMotion gliding(const Vector3& position, const Quaternion& attitude, const Vector3& velocity, const Vector3& spin,
                         double start) {
  const Quaternion unit = unit_quaternion(attitude, "an obstacle");
  return [=](double time) {
    if (time < start) return ObstacleFrame{position, unit, Vector3::Zero(), Vector3::Zero()};
    const double elapsed = time - start;
    return ObstacleFrame{position + elapsed * velocity, turned(unit, elapsed * spin), velocity, spin};
  };
}

PrescribedMotion carried(PrescribedMotion carrier, const Vector3& offset) {
  return [carrier = std::move(carrier), offset](double time) {
    ObstacleFrame frame = carrier(time);
    const Vector3 place = frame.position + rotation_matrix(frame.attitude) * offset;
    frame.velocity = frame.velocity_at(place);
    frame.position = place;
    return frame;
  };
}

PrescribedMotion shaking(const Vector3& position, const Quaternion& attitude, const Vector3& amplitude, double frequency) {
  const Quaternion unit = unit_quaternion(attitude, "an obstacle");
  return [=](double time) {
    const double phase = frequency * time;
    return ObstacleFrame{position + taylor_sin(phase) * amplitude, unit, frequency * taylor_cos(phase) * amplitude,
                         Vector3::Zero()};
  };
}

PrescribedMotion sweeping(const Vector3& position, const Quaternion& attitude, const Vector3& amplitude, double frequency,
                          double duration) {
  const Quaternion unit = unit_quaternion(attitude, "an obstacle");
  const auto sweep = std::make_shared<const SineSweep>(frequency, duration);
  return [=](double time) {
    const SineSweep::Values values = (*sweep)(time);
    return ObstacleFrame{position + values.second * amplitude, unit, values.first * amplitude, Vector3::Zero()};
  };
}

}  // namespace ccp
