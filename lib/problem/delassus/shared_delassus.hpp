#pragma once

#include <memory>

#include "problem/delassus/factored_delassus.hpp"
#include "problem/shared_form.hpp"

namespace ccp {

/// The rows of N of one rank (E.9): impulses of foreign blocks come from their ranks, then each rank finds the velocities of
/// all its bodies, and of these its own rows. Bodies take their blocks in the order of the cells, whatever the number of
/// ranks. Products use memory of the object: one at a time.
class SharedDelassus final : public DelassusOperator {
 public:
  /// own: the blocks of this rank; D: n × their rows; C: compliance of these rows (may have no entries); k: n. `form` must
  /// outlive the operator. It takes the foreign blocks, and D unless the form keeps matrices: they are empty then.
  SharedDelassus(const ConstraintSet& own, SharedForm& form, SparseMatrix& D, const SparseMatrix& C, const MassMatrix& mass,
                 const Vector& k);

  void multiply(ConstVectorRef x, VectorRef y, int threads = 1) const override;
  std::unique_ptr<SplitProduct> split_product() const override;
  BlockSquare diagonal_block(Index block) const override { return all_.diagonal_block(first_block_ + block); }
  /// r = (L⁻¹D)ᵀ L⁻¹k + b (E.14)
  Vector free_velocity(const Vector& b) const;
  /// u <- (L⁻¹D)ᵀ(L⁻¹k + L⁻¹D γ) + C γ + b (E.14) with the impulses of all ranks. u: as many rows as b.
  void local_velocity(ConstVectorRef impulse, const Vector& b, Vector& u) const;
  /// N with foreign blocks: those before, its own from first_block() on, those behind.
  const FactoredDelassus& all() const { return all_; }
  Index first_block() const { return first_block_; }
  std::size_t bytes() const override {
    return all_.bytes() + uz(impulse_.size() + free_w_.size() + w_.size()) * sizeof(double);
  }

 private:
  class Split;
  void find_rows(BlockSpan span, const double* w, ConstVectorRef x, VectorRef y) const;

  const SharedForm& form_;
  FactoredDelassus all_;           ///< of foreign blocks, too
  Index first_block_, first_row_;  ///< of its own there
  mutable Vector impulse_;         ///< of all of them
  Vector free_w_;                  ///< L⁻¹k of all bodies
  mutable Vector w_;               ///< of multiply() and local_velocity()
};

}  // namespace ccp
