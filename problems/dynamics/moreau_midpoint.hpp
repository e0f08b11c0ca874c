#pragma once

#include "problems/dynamics/stepper.hpp"

namespace ccp {

/// Moreau's midpoint rule (Koziara, eqs. 1–5): everything at the half step x + h/2 v. A contact takes part where Φ <= 0
/// there, and b_n = e min(0, u_n⁻) has no Φ: penetration, about h times the speed of the impact, stays.
class MoreauMidpoint final : public Stepper {
 public:
  double lead() const override { return 0.5; }
  bool active(double gap) const override { return gap <= 0.0; }
  double normal_offset(const Approach& contact) const override;
};

}  // namespace ccp
