#pragma once

#include "core/instruction_set.hpp"
#include "core/types.hpp"

namespace ccp {

/// to <- Π_K(from) for `count` contacts in space that follow each other, with the bits that project_friction_cone has for
/// each of them; friction: count, from and to: 3·count, from and to must not overlap. Without branches that depend on the
/// data, and several contacts in one instruction: a root and two divisions of one contact alone are most of its time.
void project_contacts(Index count, const double* friction, const double* from, double* to);

/// One version of it; the processor must be able to run it.
using ContactProjection = void (*)(Index count, const double* friction, const double* from, double* to);
ContactProjection contact_projection(InstructionSet set);

}  // namespace ccp
