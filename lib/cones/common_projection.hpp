#pragma once

#include <cmath>

#include "cones/cone_kernels.hpp"
#include "cones/friction_cone.hpp"

/// The loop of project_contacts, to be inlined into functions that exist once for each instruction set. A file that includes
/// it is compiled with -fno-math-errno and -fno-trapping-math, or it becomes no vector code. No value changes.
namespace ccp {

/// The common case of project_friction_cone for all contacts; how many of them are not common, and have no result.
[[gnu::always_inline]] inline Index project_common_contacts(Index count, const double* __restrict friction,
                                                            const double* __restrict from, double* __restrict to) {
  Index uncommon = 0;
  for (Index k = 0; k < count; ++k) {
    const double mu = friction[k], p0 = from[3 * k], p1 = from[3 * k + 1], p2 = from[3 * k + 2];
    const double square = p1 * p1 + p2 * p2, t = std::sqrt(square);
    const bool common =
        (mu <= detail::common_limit) & (std::abs(p0) <= detail::common_limit) &
        (((square >= detail::common_square_min) & (square <= detail::common_square_max)) | ((p1 == 0.0) & (p2 == 0.0)));
    const bool inside = (p0 >= 0.0) & (t <= mu * p0), polar = mu * t <= -p0;
    const double normal = (p0 + mu * t) / (1.0 + mu * mu);
    const double factor = mu * normal / t * detail::inward;
    uncommon += common ? 0 : 1;
    to[3 * k] = inside ? p0 : polar ? 0.0 : normal;
    to[3 * k + 1] = inside ? p1 : polar ? 0.0 : p1 * factor;
    to[3 * k + 2] = inside ? p2 : polar ? 0.0 : p2 * factor;
  }
  return uncommon;
}

/// project_friction_cone for each of them.
inline void project_contacts_one_by_one(Index count, const double* friction, const double* from, double* to) {
  for (Index k = 0; k < count; ++k)
    Eigen::Map<Vector3>(to + 3 * k) = project_friction_cone(Vector3(Eigen::Map<const Vector3>(from + 3 * k)), friction[k]);
}

}  // namespace ccp
