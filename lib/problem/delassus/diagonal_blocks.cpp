#include "problem/delassus/diagonal_blocks.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "linalg/selected_inverse.hpp"
#include "problem/body_columns.hpp"

namespace ccp {
namespace {

/// An entry of N_ii below this share of the sum of the sizes of its terms is solved for.
constexpr double least_share = 1e-4;

/// A block that touches more degrees of freedom than this is solved for: it would ask for thousands of entries.
constexpr std::size_t most_dofs = 64;

/// Columns of D of one block, by the degrees of freedom that any of them touches.
struct TouchedColumns {
  std::vector<int> dofs;  ///< ascending
  DenseMatrix weights;    ///< dofs × rows of the block
};

TouchedColumns touched_columns(const ConstraintSet& set, const SparseMatrix& D, Index block) {
  const Index rows = set.rows(block), offset = set.offset(block);
  TouchedColumns touched;
  for (Index c = 0; c < rows; ++c)
    for (SparseMatrix::InnerIterator entry(D, offset + c); entry; ++entry)
      if (entry.value() != 0.0) touched.dofs.push_back(static_cast<int>(entry.row()));
  std::sort(touched.dofs.begin(), touched.dofs.end());
  touched.dofs.erase(std::unique(touched.dofs.begin(), touched.dofs.end()), touched.dofs.end());
  touched.weights.setZero(std::ssize(touched.dofs), rows);
  for (Index c = 0; c < rows; ++c)
    for (SparseMatrix::InnerIterator entry(D, offset + c); entry; ++entry) {
      const auto dof = std::lower_bound(touched.dofs.begin(), touched.dofs.end(), static_cast<int>(entry.row()));
      if (entry.value() != 0.0) touched.weights(dof - touched.dofs.begin(), c) = entry.value();
    }
  return touched;
}

/// D_iᵀH⁻¹D_i of the blocks of a list, by solving for their columns.
void solve_for_blocks(const ConstraintSet& set, const SparseMatrix& D, const MassMatrix& mass,
                      const std::vector<Index>& list, std::vector<BlockSquare>& blocks) {
  for (auto begin = list.begin(); begin != list.end();) {
    Index columns = 0;
    auto end = begin;
    while (end != list.end() && columns + set.rows(*end) <= columns_at_once) columns += set.rows(*end++);
    DenseMatrix X = DenseMatrix::Zero(D.rows(), columns);
    Index place = 0;
    for (auto i = begin; i != end; ++i)
      for (Index c = 0; c < set.rows(*i); ++c) X.col(place++) += D.col(set.offset(*i) + c);
    mass.solve_columns(X);
    place = 0;
    for (; begin != end; ++begin) {
      const Index rows = set.rows(*begin), offset = set.offset(*begin);
      DenseMatrix N(rows, rows);
      for (Index r = 0; r < rows; ++r)
        for (Index c = 0; c < rows; ++c) N(r, c) = D.col(offset + r).dot(X.col(place + c));
      if (mass.symmetric()) N = 0.5 * (N + N.transpose()).eval();
      blocks[uz(*begin)].topLeftCorner(rows, rows) = N;
      place += rows;
    }
  }
}

/// The blocks by the entries of H⁻¹ that they need.
class BlocksByEntries {
 public:
  BlocksByEntries(const ConstraintSet& set, const SparseMatrix& D, const SupernodalFactor& factor)
      : set_(set), D_(D), inverse_(factor), factor_numbers_(static_cast<double>(factor.value.size())) {
    for (Index i = 0; i < set.count(); ++i) ask_for(i);
  }

  /// Writes the blocks it can and returns the others.
  std::vector<Index> find(std::vector<BlockSquare>& blocks) {
    Index columns = 0;
    for (const Needed& needed : held_) columns += set_.rows(needed.block);
    // Solving has a step of refinement, and each solution goes through the factor twice.
    if (inverse_.operations() > 8.0 * factor_numbers_ * static_cast<double>(columns)) {
      for (const Needed& needed : held_) others_.push_back(needed.block);
      return others_;
    }
    const Vector entries = inverse_.entries();
    for (const Needed& needed : held_)
      if (!combine(needed, entries, blocks[uz(needed.block)])) others_.push_back(needed.block);
    return others_;
  }

 private:
  static constexpr Index zero = -1;
  struct Needed {
    Index block;
    std::vector<Index> entries;  ///< numbers of (H⁻¹)_pq, q <= p, of the dofs touched; `zero` where it is
  };

  void ask_for(Index block) {
    const std::vector<int> dofs = touched_columns(set_, D_, block).dofs;
    const auto lacks = [&](int p, int q) { return q <= p && inverse_.coupled(p, q) && !inverse_.holds(p, q); };
    const auto lacks_any = [&](int p) { return std::any_of(dofs.begin(), dofs.end(), [&](int q) { return lacks(p, q); }); };
    if (dofs.size() > most_dofs || std::any_of(dofs.begin(), dofs.end(), lacks_any)) {
      others_.push_back(block);
      return;
    }
    Needed needed{block, {}};
    for (const int p : dofs)
      for (const int q : dofs)
        if (q <= p) needed.entries.push_back(inverse_.coupled(p, q) ? inverse_.ask(p, q) : zero);
    held_.push_back(std::move(needed));
  }

  /// Σ D_pr (H⁻¹)_pq D_qc. False where the sum has lost too many digits.
  bool combine(const Needed& needed, const Vector& entries, BlockSquare& block) const {
    const TouchedColumns touched = touched_columns(set_, D_, needed.block);
    const auto count = std::ssize(touched.dofs), rows = set_.rows(needed.block);
    DenseMatrix inverse(count, count);
    auto number = needed.entries.begin();
    for (Index p = 0; p < count; ++p)
      for (Index q = 0; q <= p; ++q, ++number) inverse(p, q) = inverse(q, p) = *number == zero ? 0.0 : entries[*number];
    const DenseMatrix& W = touched.weights;
    const DenseMatrix N = W.transpose() * inverse * W;
    const DenseMatrix sizes = W.cwiseAbs().transpose() * inverse.cwiseAbs() * W.cwiseAbs();
    block.topLeftCorner(rows, rows) = 0.5 * (N + N.transpose());
    return !(N.diagonal().array() < least_share * sizes.diagonal().array()).any();
  }

  const ConstraintSet& set_;
  const SparseMatrix& D_;
  SelectedInverse inverse_;
  double factor_numbers_;
  std::vector<Needed> held_;
  std::vector<Index> others_;
};

}  // namespace

std::vector<BlockSquare> delassus_diagonal_blocks(const ConstraintSet& set, const GlobalForm& form, const MassMatrix& mass) {
  if (!mass.groups().empty()) return BodyColumns(set, form, mass).diagonal_blocks();
  std::vector<BlockSquare> blocks;
  for (Index i = 0; i < set.count(); ++i) blocks.push_back(zero_square(set.rows(i)));
  const SparseMatrix &D = form.D, &C = form.C;
  std::vector<Index> solved;
  if (const auto factor = mass.factor()) {
    solved = BlocksByEntries(set, D, *factor).find(blocks);
  } else {
    for (Index i = 0; i < set.count(); ++i) solved.push_back(i);
  }
  solve_for_blocks(set, D, mass, solved, blocks);
  if (C.nonZeros() == 0) return blocks;
  for (Index i = 0; i < set.count(); ++i)
    for (Index c = 0; c < set.rows(i); ++c)
      for (SparseMatrix::InnerIterator entry(C, set.offset(i) + c); entry; ++entry)
        blocks[uz(i)](entry.row() - set.offset(i), c) += entry.value();
  return blocks;
}

}  // namespace ccp
