#pragma once

#include <cmath>

#include "cones/cone_kernels.hpp"
#include "cones/friction_cone.hpp"

/// The loop of project_contacts, to be inlined into functions that exist once for each instruction set. A file that includes
/// it is compiled with -fno-math-errno and -fno-trapping-math, or it becomes no vector code. No value changes.
namespace ccp {

/// The three numbers of a contact, each by itself, as vector code needs them: one along the normal, two across.
struct ContactNumbers {
  double n, s, t;
};

/// The common case of project_friction_cone for one contact; false, with a result that means nothing, where it is not
/// common.
[[gnu::always_inline]] inline bool project_common_contact(double mu, const ContactNumbers& p, ContactNumbers& nearest) {
  const double square = p.s * p.s + p.t * p.t, norm = std::sqrt(square);
  const bool common =
      (mu <= detail::common_limit) & (std::abs(p.n) <= detail::common_limit) &
      (((square >= detail::common_square_min) & (square <= detail::common_square_max)) | ((p.s == 0.0) & (p.t == 0.0)));
  const bool inside = (p.n >= 0.0) & (norm <= mu * p.n), polar = mu * norm <= -p.n;
  const double normal = (p.n + mu * norm) / (1.0 + mu * mu);
  const double factor = mu * normal / norm * detail::inward;
  nearest.n = inside ? p.n : polar ? 0.0 : normal;
  nearest.s = inside ? p.s : polar ? 0.0 : p.s * factor;
  nearest.t = inside ? p.t : polar ? 0.0 : p.t * factor;
  return common;
}

/// The same for all contacts; how many of them are not common.
[[gnu::always_inline]] inline Index project_common_contacts(Index count, const double* __restrict friction,
                                                            const double* __restrict from, double* __restrict to) {
  Index uncommon = 0;
  for (Index k = 0; k < count; ++k) {
    ContactNumbers nearest;
    uncommon += project_common_contact(friction[k], {from[3 * k], from[3 * k + 1], from[3 * k + 2]}, nearest) ? 0 : 1;
    to[3 * k] = nearest.n;
    to[3 * k + 1] = nearest.s;
    to[3 * k + 2] = nearest.t;
  }
  return uncommon;
}

/// project_friction_cone for each of them.
inline void project_contacts_one_by_one(Index count, const double* friction, const double* from, double* to) {
  for (Index k = 0; k < count; ++k)
    Eigen::Map<Vector3>(to + 3 * k) = project_friction_cone(Vector3(Eigen::Map<const Vector3>(from + 3 * k)), friction[k]);
}

}  // namespace ccp
