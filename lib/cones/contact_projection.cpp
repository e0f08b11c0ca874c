#include "cones/contact_projection.hpp"

#include "cones/common_projection.hpp"

namespace ccp {
namespace {

#define CCP_CONTACT_PROJECTION(name, ...)                                                                               \
  __VA_ARGS__ void project_##name(Index count, const double* friction, const double* from, double* to) {                \
    if (project_common_contacts(count, friction, from, to) > 0) project_contacts_one_by_one(count, friction, from, to); \
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
