#pragma once

#include <vector>

#include "core/constraints.hpp"
#include "core/types.hpp"
#include "problem/contact_problem.hpp"
#include "problem/mass_matrix.hpp"

namespace ccp {

/// N = DᵀH⁻¹D + C of an H that splits into bodies, column after column by bodies, none of which is kept: from D and H⁻¹
/// themselves, not from the square root of the factored operator, so that what is exact in them stays so. Form and mass must
/// outlive it.
class BodyColumns {
 public:
  /// mass: must have groups(), the bodies.
  BodyColumns(ConstraintSet constraints, const GlobalForm& form, const MassMatrix& mass);

  /// N, m×m; what is exactly zero is not stored.
  SparseMatrix assembled();
  /// N_ii of block i in the leading rows(i)×rows(i) corner, zero elsewhere.
  BlockSquare diagonal_block(Index block);
  /// ½(N_ii + N_iiᵀ) of all blocks, as delassus_diagonal_blocks() gives them.
  std::vector<BlockSquare> diagonal_blocks();

 private:
  template <typename Take>
  void for_column(Index block, Index column, const std::vector<int>& coupled, const Take& take);
  const std::vector<int>& coupled_with(Index block);
  double compliance(Index row, Index column) const;

  ConstraintSet constraints_;
  const GlobalForm& form_;
  const MassMatrix& mass_;
  std::vector<std::vector<int>> bodies_;  ///< of each block, ascending
  std::vector<std::vector<int>> blocks_;  ///< of each body, ascending
  std::vector<int> coupled_;              ///< blocks that share a body with the one at hand
  Vector response_;                       ///< H⁻¹D_j; zero between columns
};

}  // namespace ccp
