#pragma once

#include "core/constraints.hpp"
#include "linalg/block/block_matrix.hpp"

namespace ccp {

/// Whether sweeps contract by ten or nearly so: the blocks of N right of its diagonal are small beside those on it.
bool nearly_lower_triangular(const BlockMatrix& N);

/// One nonlinear Gauss–Seidel sweep over contacts in space, ncp: each in turn gets the impulse that solves it, the others
/// being as they are (E.6). x: 3 entries a contact, N·s, in place; r: free velocity, m/s. No allocation.
void sweep_contacts(const BlockMatrix& N, const Vector& r, const ConstraintSet& contacts, Vector& x);

}  // namespace ccp
