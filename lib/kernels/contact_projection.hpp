#pragma once

#include <cmath>

#include "kernels/index.hpp"
#include "kernels/safe_range.hpp"

namespace ccp::CCP_INSTRUCTION_SET {
namespace {

/// The three numbers of a contact, each by itself, as vector code needs them: one along the normal, two across. In the plane
/// t is zero.
struct ContactNumbers {
  double n, s, t;
};

/// project_friction_cone (cones/friction_cone.hpp) for one contact; false, with a result that means nothing, where it is
/// outside the safe range. It has no branches, so that several contacts go into one instruction: a root and two divisions of
/// one contact alone are most of its time.
template <int Rows = 3>
[[gnu::always_inline]] inline bool project_in_safe_range(double mu, const ContactNumbers& p, ContactNumbers& nearest) {
  using namespace detail;
  const double square = Rows == 3 ? p.s * p.s + p.t * p.t : p.s * p.s, norm = Rows == 3 ? std::sqrt(square) : std::fabs(p.s);
  const bool in_range =
      (mu <= safe_limit) & (std::fabs(p.n) <= safe_limit) &
      (((square >= safe_square_min) & (square <= safe_square_max)) | ((p.s == 0.0) & (Rows == 2 || p.t == 0.0)));
  const bool inside = (p.n >= 0.0) & (norm <= mu * p.n), polar = mu * norm <= -p.n;
  const double normal = (p.n + mu * norm) / (1.0 + mu * mu);
  nearest.n = inside ? p.n : polar ? 0.0 : normal;
  if constexpr (Rows == 2) {
    nearest.s = inside ? p.s : polar ? 0.0 : __builtin_copysign(mu * normal, p.s);
    nearest.t = 0.0;
    return in_range;
  }
  const double factor = mu * normal / norm * inward;
  nearest.s = inside ? p.s : polar ? 0.0 : p.s * factor;
  nearest.t = inside ? p.t : polar ? 0.0 : p.t * factor;
  return in_range;
}

}  // namespace
}  // namespace ccp::CCP_INSTRUCTION_SET
