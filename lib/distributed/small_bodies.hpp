#pragma once

#include "problem/contact_problem.hpp"

namespace ccp {

/// The same problem with bodies of at most 6 velocities, which RankParts takes. Where H has larger ones, of at most
/// GroupInverse::most_dofs (H = L Lᵀ), it is the problem in w = Lᵀv, whose H is the identity (E.14): the w of a body are cut
/// into pieces of six, the last one filled up with rows of no body. u, γ and N are as before. Throws InputError when bodies
/// are larger than that.
GlobalForm with_small_bodies(GlobalForm form);

}  // namespace ccp
