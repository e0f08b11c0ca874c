#pragma once

#include "cones/cone_kernels.hpp"
#include "core/types.hpp"

/// The strict (nested) projection on the friction cone of Lee et al., eq. 17: first the normal, p_n' = max(p_n, 0), then the
/// tangential part onto the disk of radius μ p_n'. It maps into K and fixes K (bit for bit), but is not the Euclidean
/// projection. Arguments, units, extreme values and NaN as in friction_cone.hpp.
namespace ccp {

[[gnu::always_inline]] inline Vector3 project_strict(const Vector3& p, double mu) {
  return detail::project_strict<3>(p, mu);
}
[[gnu::always_inline]] inline Vector2 project_strict(const Vector2& p, double mu) {
  return detail::project_strict<2>(p, mu);
}

}  // namespace ccp
