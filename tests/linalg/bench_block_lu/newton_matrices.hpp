#pragma once

#include <string>
#include <vector>

#include "linalg/block/block_matrix.hpp"
#include "problem/contact_problem.hpp"

namespace ccp::testing {

/// A matrix that proximal_newton factorises, in the forms that the compared solvers take.
struct NewtonMatrix {
  std::string problem;
  std::string order;  ///< "contacts": J of (H.2); "velocities": H + D S⁻¹G Dᵀ of (H.4)
  std::string point;  ///< "start": the first matrix of a run, "later": that of an iterate, where contacts are open
  SparseMatrix scalar;
  /// The same as scale_i blocks_i· + diagonal_i, with identity rows where identity[i] != 0; without scale, blocks alone.
  BlockMatrix blocks;
  std::vector<Matrix3> scale, diagonal;
  std::vector<char> identity;

  Index left_out() const;
};

/// The matrices of one problem (model ncp): both points in contact space, and in velocity space where H is block-diagonal
/// with blocks of 3 or 6 velocities. The second point is where a run of proximal_newton is at a relative residual of 1e-4,
/// or after 300 iterations.
std::vector<NewtonMatrix> newton_matrices(const std::string& name, const ContactProblem& problem);

}  // namespace ccp::testing
