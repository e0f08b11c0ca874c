#pragma once

#include "core/constraints.hpp"
#include "core/types.hpp"
#include "kernels/kernels.hpp"

/// The set Υ of all constraint blocks: K for contacts, [0, ∞) for unilateral, R for bilateral rows. Plain loops over the
/// blocks of a ConstraintSet; vectors have constraints.rows() entries (asserted). No allocation. Extreme values as in
/// friction_cone.hpp; a NaN stays within its block in the vector functions and makes the distances NaN.
namespace ccp {

/// x <- Π_Υ(x), block by block, on `threads` threads (bit-identical for any number).
void project_product(const ConstraintSet& constraints, VectorRef x, int threads = 1);

/// to <- Π_Υ(from) for the blocks [begin, end) alone; from and to begin with the first row of block `begin`, and must not
/// overlap.
void project_blocks(const ConstraintSet& constraints, Index begin, Index end, const double* from, double* to);

/// The same for `count` contacts in space, with the bits that project_friction_cone has for each of them; friction: count.
void project_contacts(Index count, const double* friction, const double* from, double* to,
                      const ContactLoops& loops = kernels().contacts);

/// Largest distance of a block to its set (max_i dist(x_i, Υ_i)), unit of x; 0 without blocks.
double product_distance(const ConstraintSet& constraints, ConstVectorRef x);

/// De Saxcé correction: out_i = (μ_i ‖u_T,i‖, 0, …) on contacts, with the terms of their moments, 0 elsewhere; unit of u.
/// out may not alias u.
void de_saxce_shift(const ConstraintSet& constraints, ConstVectorRef u, VectorRef out);

}  // namespace ccp
