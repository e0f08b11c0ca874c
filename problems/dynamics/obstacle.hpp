#pragma once

#include <functional>
#include <memory>

#include "core/types.hpp"
#include "problems/dynamics/attitude.hpp"
#include "problems/dynamics/sine_sweep.hpp"

namespace ccp {

/// Pose and velocity of an obstacle at one time.
struct ObstacleFrame {
  Vector3 position = Vector3::Zero();  ///< of its origin, m
  Quaternion attitude;
  Vector3 velocity = Vector3::Zero();  ///< V of the origin, m/s
  Vector3 spin = Vector3::Zero();      ///< Ω, world axes, rad/s

  /// V + Ω × (point − position)
  Vector3 velocity_at(const Vector3& point) const;
};

/// The frame of an obstacle at a time (s). It must use own functions (elementary.hpp) where bytes depend on it, and velocity
/// and spin must be the rates of position and attitude.
using PrescribedMotion = std::function<ObstacleFrame(double time)>;

PrescribedMotion resting(const Vector3& position, const Quaternion& attitude = {});

/// Constant velocity (m/s) and spin (rad/s) from the time `start` (s) on, exactly; at rest before.
PrescribedMotion gliding(const Vector3& position, const Quaternion& attitude, const Vector3& velocity, const Vector3& spin,
                         double start = 0.0);

/// Fixed on another obstacle: `offset` (m) in its frame, with its attitude.
PrescribedMotion carried(PrescribedMotion carrier, const Vector3& offset);

/// position + amplitude sin(frequency t). amplitude: m; frequency: rad/s.
PrescribedMotion shaking(const Vector3& position, const Quaternion& attitude, const Vector3& amplitude, double frequency);

/// A sine sweep, position + ∫∫ amplitude sin φ. The mean velocity is not 0, which nobody in a box that moves as a whole
/// feels. amplitude: of the acceleration, m/s².
PrescribedMotion sweeping(const Vector3& position, const Quaternion& attitude, const Vector3& amplitude,
                          std::shared_ptr<const SineSweep> sweep);

}  // namespace ccp
