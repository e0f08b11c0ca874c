#include "kernels/contact_loops.hpp"

#include "kernels/contact_projection.hpp"
#include "kernels/tables.hpp"

namespace ccp::CCP_INSTRUCTION_SET {
namespace {

Index project(Index count, const double* __restrict friction, const double* __restrict from, double* __restrict to) {
  Index out_of_range = 0;
  for (Index k = 0; k < count; ++k) {
    ContactNumbers nearest;
    out_of_range += project_in_safe_range(friction[k], {from[3 * k], from[3 * k + 1], from[3 * k + 2]}, nearest) ? 0 : 1;
    to[3 * k] = nearest.n;
    to[3 * k + 1] = nearest.s;
    to[3 * k + 2] = nearest.t;
  }
  return out_of_range;
}

}  // namespace

const ContactLoops contact_loops{project};

}  // namespace ccp::CCP_INSTRUCTION_SET
