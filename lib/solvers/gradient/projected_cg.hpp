#pragma once

#include <memory>

#include "solvers/solver.hpp"

namespace ccp {

/// Projected conjugate gradient with active-set expansion for the ccp model: the Krylov comparator of Heyn, Anitescu,
/// Tasora, Negrut 2013, after the methods of Moré and Toraldo 1991 and Kučera 2008. Conjugate gradients run in the span of
/// the faces of the cones that the impulses are on (F.12); where the gradient would rather leave them (F.13), a projected
/// gradient step frees blocks; where a conjugate step leaves the cones, the step to its projection takes up new faces
/// (F.14). One product with N per step, two when a conjugate step is projected. Without inequalities this is the conjugate
/// gradient method.
std::unique_ptr<Solver> make_projected_cg();

}  // namespace ccp
