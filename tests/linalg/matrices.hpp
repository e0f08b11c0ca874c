#pragma once

#include <cstdint>
#include <random>

#include "linalg/linear_solver.hpp"
#include "support/uniform.hpp"

/// Test matrices, the same on every machine: the engine is fixed by the standard, its distributions are not, so numbers are
/// mapped here.
namespace ccp::testing {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  /// Uniform in [low, high).
  double uniform(double low = -1, double high = 1) {
    return low + (high - low) * static_cast<double>(engine_() >> 11) * 0x1p-53;
  }
  Index below(Index bound) { return static_cast<Index>(engine_() % static_cast<std::uint64_t>(bound)); }
  Vector vector(Index size);

 private:
  std::mt19937_64 engine_;
};

/// Five-point Laplacian of a side × side grid with fixed boundary.
SparseMatrix laplacian(Index side);

/// Seven-point Laplacian of a side × side × side grid with fixed boundary.
SparseMatrix laplacian_cube(Index side);

/// Sparse symmetric positive definite, with rows whose sizes differ by up to 1e4.
SparseMatrix random_spd(Index size, Random& random);

/// Masses of rigid bodies, size 6·bodies: diagonal, from 0.1 to 1000.
SparseMatrix body_masses(Index bodies, Random& random);

/// Columns that each act on two bodies with random coefficients, 6·bodies × columns.
SparseMatrix random_joints(Index bodies, Index columns, Random& random);

/// The columns of D, each of them twice, the second time in reverse order and times −3.
SparseMatrix with_redundant_copies(const SparseMatrix& joints);

/// Mean diagonal entry of Dᵀ H⁻¹ D for a diagonal H, the scale of ρ.
double mean_delassus_diagonal(const SparseMatrix& masses, const SparseMatrix& joints);

/// [H D; Dᵀ −ρI]; without entries in the lower right block where ρ = 0.
SparseMatrix saddle_matrix(const SparseMatrix& masses, const SparseMatrix& joints, double rho);

/// Nonsingular, unsymmetric in values and pattern, with zeros on the diagonal.
SparseMatrix random_unsymmetric(Index size, Random& random);

/// A regular matrix of the kind, 50 to 80 rows; the full one for the symmetric kinds.
SparseMatrix sample_matrix(MatrixKind kind, std::uint64_t seed = 1);

/// S A S with a random positive diagonal S: same pattern, symmetry and inertia, other values.
SparseMatrix rescaled(const SparseMatrix& matrix, Random& random);

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
