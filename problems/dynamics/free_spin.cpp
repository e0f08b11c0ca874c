#include "problems/dynamics/free_spin.hpp"

#include <Eigen/Geometry>

namespace ccp {

Vector3 free_spin(const Vector3& inertia, const Vector3& spin, double time_step) {
  const auto rate = [&](const Vector3& w) -> Vector3 { return -w.cross(inertia.cwiseProduct(w)).cwiseQuotient(inertia); };
  const double h = time_step;
  const Vector3 k1 = rate(spin);
  const Vector3 k2 = rate(spin + 0.5 * h * k1);
  const Vector3 k3 = rate(spin + 0.5 * h * k2);
  const Vector3 k4 = rate(spin + h * k3);
  return spin + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
}

}  // namespace ccp
