#include "kernels/contact_loops.hpp"

#include "kernels/common_contact.hpp"
#include "kernels/tables.hpp"

namespace ccp::CCP_INSTRUCTION_SET {
namespace {

Index project(Index count, const double* __restrict friction, const double* __restrict from, double* __restrict to) {
  Index uncommon = 0;
  for (Index k = 0; k < count; ++k) {
    ContactNumbers nearest;
    uncommon += project_common(friction[k], {from[3 * k], from[3 * k + 1], from[3 * k + 2]}, nearest) ? 0 : 1;
    to[3 * k] = nearest.n;
    to[3 * k + 1] = nearest.s;
    to[3 * k + 2] = nearest.t;
  }
  return uncommon;
}

}  // namespace

const ContactLoops contact_loops{project};

}  // namespace ccp::CCP_INSTRUCTION_SET
