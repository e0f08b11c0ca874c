#pragma once

#include <vector>

#include "problem/delassus/delassus.hpp"
#include "problem/mass_matrix.hpp"

namespace ccp {

/// N = DᵀH⁻¹D + C for any H, as the product Dᵀ(H⁻¹(D x)) + C x by the factor of H: never forms N, which is dense where H
/// couples everything. A product costs one solve with H (by one thread) and two passes over D. multiply() uses an internal
/// scratch vector: one product at a time per object.
class SolvedDelassus final : public DelassusOperator {
 public:
  /// D: n×m; C: m×m, block-diagonal by constraint (may have no entries); diagonal: N_ii of all blocks. D, C and mass must
  /// outlive the operator.
  SolvedDelassus(ConstraintSet constraints, const SparseMatrix& D, const SparseMatrix& C, const MassMatrix& mass,
                 std::vector<BlockSquare> diagonal);

  void multiply(ConstVectorRef x, VectorRef y, int threads = 1) const override;
  std::unique_ptr<SplitProduct> split_product() const override;
  BlockSquare diagonal_block(Index block) const override { return diagonal_[uz(block)]; }
  /// With that of D, C and the factor.
  std::size_t bytes() const override;

 private:
  class Split;
  void add_momentum(BlockSpan span, ConstVectorRef x, Vector& v) const;
  void find_rows(BlockSpan span, const Vector& v, ConstVectorRef x, VectorRef y) const;
  BlockSpan all() const { return {0, constraints().count()}; }

  const SparseMatrix &D_, &C_;
  const MassMatrix& mass_;
  std::vector<BlockSquare> diagonal_;
  mutable Vector scratch_;  ///< v of multiply()
};

}  // namespace ccp
