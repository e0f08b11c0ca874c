#include "cones/contact_projection.hpp"

#include "cones/friction_cone.hpp"

namespace ccp {
namespace {

/// The common case of project_friction_cone for all contacts; how many of them are not common, and have no result.
[[gnu::always_inline]] inline Index project_common(Index count, const double* __restrict friction,
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

void project_one_by_one(Index count, const double* friction, const double* from, double* to) {
  for (Index k = 0; k < count; ++k)
    Eigen::Map<Vector3>(to + 3 * k) = project_friction_cone(Vector3(Eigen::Map<const Vector3>(from + 3 * k)), friction[k]);
}

#define CCP_CONTACT_PROJECTION(name, ...)                                                                \
  __VA_ARGS__ void project_##name(Index count, const double* friction, const double* from, double* to) { \
    if (project_common(count, friction, from, to) > 0) project_one_by_one(count, friction, from, to);    \
  }

CCP_CONTACT_PROJECTION(portable)
CCP_CONTACT_PROJECTION(avx2, CCP_FOR_AVX2)
CCP_CONTACT_PROJECTION(avx512, CCP_FOR_AVX512)
#undef CCP_CONTACT_PROJECTION

}  // namespace

ContactProjection contact_projection(InstructionSet set) {
  return version_for<ContactProjection>(set, project_portable, project_avx2, project_avx512);
}

void project_contacts(Index count, const double* friction, const double* from, double* to) {
  static const ContactProjection widest = contact_projection(widest_instruction_set());
  widest(count, friction, from, to);
}

}  // namespace ccp
