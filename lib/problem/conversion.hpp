#pragma once

#include <vector>

#include "problem/contact_problem.hpp"
#include "problem/delassus/diagonal_blocks.hpp"

/// The exact conversions between the two forms. ContactProblem calls them once and keeps the result.
namespace ccp {

/// N = DᵀH⁻¹D + C (A.3), m×m, symmetric where H is: body by body where H splits into small ones, else by solving with H for
/// all columns of D.
SparseMatrix assemble_delassus(const ConstraintSet& set, const GlobalForm& form, const MassMatrix& mass);

/// How many numbers N has by blocks of constraints, of those that share a group of dofs that H couples (those of a problem
/// given in local form as they are); does not form N.
Index delassus_numbers(const ContactProblem& problem);

/// r = DᵀH⁻¹k + b (A.3).
Vector free_velocity(const GlobalForm& form, const MassMatrix& mass);

/// H = I, D = Lᵀ, k = 0, b = r with L Lᵀ the PSD part of (N + Nᵀ)/2, L of size m × rank (B.4). First by Cholesky with
/// complete pivoting, which stops at the numerical rank; when what is left is above rounding (N is indefinite), by the
/// eigenvalues, clipped at zero. clipped: max-norm of N − LLᵀ relative to that of N.
GlobalForm global_from_local(const LocalForm& form, double* clipped);

/// diag(N), m, without forming N.
Vector delassus_diagonal(const ContactProblem& problem);

/// diag(N), m, of the diagonal blocks N_ii.
Vector diagonal_of(const ConstraintSet& set, const std::vector<BlockSquare>& blocks);

/// Σ_j |N_ij||x_j| per row, m (D.2), without storing N: solves with H for the x_j that are not zero, those of bodies that
/// share no constraint at once. |C_ij| is added to that of the rest of N_ij.
Vector absolute_product(const GlobalForm& form, const MassMatrix& mass, const Vector& x);

/// N − N_sym of a problem given by an unsymmetric N; no entries otherwise.
SparseMatrix antisymmetric_part(const ContactProblem& problem);

/// max|N − Nᵀ| / max|N|; 0 for an empty N.
double symmetry_defect(const SparseMatrix& N);

}  // namespace ccp
