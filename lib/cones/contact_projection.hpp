#pragma once

#include "core/types.hpp"
#include "kernels/kernels.hpp"

namespace ccp {

/// to <- Π_K(from) for `count` contacts in space that follow each other, with the bits that project_friction_cone has for
/// each of them; friction: count, from and to: 3·count, from and to must not overlap.
void project_contacts(Index count, const double* friction, const double* from, double* to,
                      const ContactLoops& loops = kernels().contacts);

}  // namespace ccp
