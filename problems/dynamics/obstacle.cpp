#include "problems/dynamics/obstacle.hpp"

#include <Eigen/Geometry>
#include <utility>

#include "problems/dynamics/elementary.hpp"

namespace ccp {

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

PrescribedMotion sweeping(const Vector3& position, const Quaternion& attitude, const Vector3& amplitude,
                          std::shared_ptr<const SineSweep> sweep) {
  const Quaternion unit = unit_quaternion(attitude, "an obstacle");
  return [=, sweep = std::move(sweep)](double time) {
    const SineSweep::Values values = (*sweep)(time);
    return ObstacleFrame{position + values.second * amplitude, unit, values.first * amplitude, Vector3::Zero()};
  };
}

}  // namespace ccp
