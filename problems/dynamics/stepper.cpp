#include "problems/dynamics/stepper.hpp"

#include "problems/dynamics/moreau_midpoint.hpp"
#include "problems/dynamics/velocity_impulse.hpp"

namespace ccp {

const Stepper& stepper(Stepping stepping) {
  static const VelocityImpulse velocity_impulse;
  static const MoreauMidpoint moreau_midpoint;
  if (stepping == Stepping::moreau_midpoint) return moreau_midpoint;
  return velocity_impulse;
}

}  // namespace ccp
