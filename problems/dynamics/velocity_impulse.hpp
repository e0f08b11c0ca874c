#pragma once

#include "problems/dynamics/stepper.hpp"

namespace ccp {

/// Anitescu and Tasora: contacts and mass matrix at the start of the step, b_n = Φ/h, x⁺ = x + h v⁺. Every contact the
/// geometry finds takes part, so that bodies do not tunnel while its envelope is at least h times their speed.
///
/// With restitution e > 0, where the contact would close within the step (Φ + h u_n⁻ <= 0): b_n = min(Φ/h, e u_n⁻). With
/// e = 0 always Φ/h; min(Φ/h, 0) would stop a body in the air.
class VelocityImpulse final : public Stepper {
 public:
  double lead() const override { return 0.0; }
  bool active(double) const override { return true; }
  double normal_offset(const Approach& contact) const override;
};

}  // namespace ccp
