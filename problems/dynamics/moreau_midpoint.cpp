#include "problems/dynamics/moreau_midpoint.hpp"

#include <algorithm>

namespace ccp {

double MoreauMidpoint::normal_offset(const Approach& contact) const {
  return contact.restitution * std::min(0.0, contact.velocity);
}

}  // namespace ccp
