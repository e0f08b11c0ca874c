#include "problems/distance_field/signed_distance.hpp"

#include <cmath>

namespace ccp {

Vector3 SignedDistance::normal(const Vector3& p) const {
  const Vector3 direction = gradient(p);
  return direction / std::sqrt(direction.squaredNorm());
}

}  // namespace ccp
