#include "cones/contact_projection.hpp"

#include "cones/friction_cone.hpp"

namespace ccp {

void project_contacts(Index count, const double* friction, const double* from, double* to, const ContactLoops& loops) {
  if (loops.project(count, friction, from, to) == 0) return;
  for (Index k = 0; k < count; ++k)
    Eigen::Map<Vector3>(to + 3 * k) = project_friction_cone(Vector3(Eigen::Map<const Vector3>(from + 3 * k)), friction[k]);
}

}  // namespace ccp
