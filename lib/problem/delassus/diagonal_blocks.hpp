#pragma once

#include <vector>

#include "core/constraints.hpp"
#include "core/types.hpp"
#include "problem/contact_problem.hpp"
#include "problem/mass_matrix.hpp"

namespace ccp {

/// N_ii = D_iᵀH⁻¹D_i + C_i of all blocks (1/kg), each in the leading rows(i)×rows(i) corner and zero elsewhere, without N.
/// Symmetric where H is. Body by body where H splits into small ones. Elsewhere by the entries of H⁻¹ on the pattern of its
/// factor (B.7); blocks that need other entries, or lose digits by cancellation in them, by solving with H. All are solved
/// for where that takes fewer operations, or where the linear solver does not show its factor.
std::vector<BlockSquare> delassus_diagonal_blocks(const ConstraintSet& set, const GlobalForm& form, const MassMatrix& mass);

/// Columns that are solved for at once: enough for the solver to work by matrices, few enough for the cache.
constexpr Index columns_at_once = 64;

}  // namespace ccp
