#include "problems/dynamics/velocity_impulse.hpp"

#include <algorithm>

namespace ccp {

double VelocityImpulse::normal_offset(const Approach& contact) const {
  const double closing = contact.gap / contact.time_step;
  if (contact.restitution > 0.0 && contact.gap + contact.time_step * contact.velocity <= 0.0)
    return std::min(closing, contact.restitution * contact.velocity);
  return closing;
}

}  // namespace ccp
