#pragma once

#include <cstdint>

#include "linalg/linear_solver.hpp"
#include "support/uniform.hpp"

/// Test matrices, the same on every machine.
namespace ccp::testing {

/// Five-point Laplacian of a side × side grid with fixed boundary.
SparseMatrix laplacian(Index side);

/// Seven-point Laplacian of a side × side × side grid with fixed boundary.
SparseMatrix laplacian_cube(Index side);

/// Sparse symmetric positive definite, with rows whose sizes differ by up to 1e4.
SparseMatrix random_spd(Index size, Uniform& random);

/// Masses of rigid bodies, size 6·bodies: diagonal, from 0.1 to 1000.
SparseMatrix body_masses(Index bodies, Uniform& random);

/// Columns that each act on two bodies with random coefficients, 6·bodies × columns.
SparseMatrix random_joints(Index bodies, Index columns, Uniform& random);

/// The columns of D, each of them twice, the second time in reverse order and times −3.
SparseMatrix with_redundant_copies(const SparseMatrix& joints);

/// Mean diagonal entry of Dᵀ H⁻¹ D for a diagonal H, the scale of ρ.
double mean_delassus_diagonal(const SparseMatrix& masses, const SparseMatrix& joints);

/// [H D; Dᵀ −ρI]; without entries in the lower right block where ρ = 0.
SparseMatrix saddle_matrix(const SparseMatrix& masses, const SparseMatrix& joints, double rho);

/// Nonsingular, unsymmetric in values and pattern, with zeros on the diagonal.
SparseMatrix random_unsymmetric(Index size, Uniform& random);

/// A regular matrix of the kind, 50 to 80 rows; the full one for the symmetric kinds.
SparseMatrix sample_matrix(MatrixKind kind, std::uint64_t seed = 1);

/// S A S with a random positive diagonal S: same pattern, symmetry and inertia, other values.
SparseMatrix rescaled(const SparseMatrix& matrix, Uniform& random);

/// ‖b − A x‖∞/‖b‖∞, of a full matrix.
double relative_residual(const SparseMatrix& matrix, const Vector& x, const Vector& rhs);

/// One backend and a kind it takes.
struct SolverCase {
  std::string backend;
  MatrixKind kind;
};

/// All of them: a new backend is tested without a line here.
std::vector<SolverCase> all_solver_cases();

/// The backends that take the kind.
std::vector<std::string> backends_for(MatrixKind kind);

std::string kind_name(MatrixKind kind);

}  // namespace ccp::testing
