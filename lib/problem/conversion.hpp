#pragma once

#include "problem/contact_problem.hpp"

/// The exact conversions between the two forms. ContactProblem calls them once and keeps the result.
namespace ccp {

/// N = DᵀH⁻¹D + C (A.3), m×m, by blocks of bodies for a block-diagonal H (through `factored`, may be null otherwise), else
/// by one solve with H per row.
SparseMatrix assemble_delassus(const GlobalForm& form, const MassMatrix& mass, const FactoredDelassus* factored);

/// r = DᵀH⁻¹k + b (A.3).
Vector free_velocity(const GlobalForm& form, const MassMatrix& mass);

/// H = I, D = Lᵀ, k = 0, b = r with L Lᵀ the PSD part of (N + Nᵀ)/2, L of size m × rank (B.4). First by Cholesky with
/// complete pivoting, which stops at the numerical rank; when what is left is above rounding (N is indefinite), by the
/// eigenvalues, clipped at zero. clipped: max-norm of N − LLᵀ relative to that of N.
GlobalForm global_from_local(const LocalForm& form, double* clipped);

/// diag(N), m, without forming N: for a global form with the block-diagonal of H (groups of 3 dofs, or single ones) in place
/// of an H that is not block-diagonal (design of ρ_i in D.1). Exact otherwise.
Vector delassus_diagonal(const ContactProblem& problem);

/// max|N − Nᵀ| / max|N|; 0 for an empty N.
double symmetry_defect(const SparseMatrix& N);

}  // namespace ccp
