#pragma once

#include <cstddef>
#include <vector>

#include "core/block_rows.hpp"
#include "core/constraints.hpp"
#include "core/types.hpp"

/// What the methods that eliminate impulses share: D by constraints, and the pattern of H + D W Dᵀ with W block-diagonal.
namespace ccp {

/// The velocities that each constraint acts on, ascending.
struct JacobianPattern {
  std::vector<std::size_t> first{0};  ///< of each constraint in the list below, and the end
  std::vector<int> dof;

  std::size_t size(std::size_t i) const { return first[i + 1] - first[i]; }
};
/// Each with its entries of D, zeros beyond the rows of the constraint: 3, or most_rows where contacts have moments.
template <int Rows>
struct PaddedJacobian : JacobianPattern {
  std::vector<BlockVector<Rows>> row;
};
using JacobianBlocks = PaddedJacobian<3>;

/// rows: how many of its leading rows each constraint takes part with; null: all.
template <int Rows = 3>
PaddedJacobian<Rows> jacobian_blocks(const ConstraintSet& constraints, const SparseMatrix& D,
                                     const std::vector<int>* rows = nullptr);

/// H in the pattern of
///     [H + D_E W_E D_Eᵀ   D_B]
///     [D_Bᵀ               W_B]
/// compressed; its lower triangle alone where `lower`. kept: the first row of each block of B, −1 for those of E; empty
/// where all are in E.
SparseMatrix eliminated_pattern(const SparseMatrix& H, const JacobianPattern& D, bool lower,
                                const ConstraintSet& constraints = {}, const std::vector<int>& kept = {});

/// Where an entry of the pattern stands in the values of a compressed matrix.
int entry_place(const SparseMatrix& matrix, int row, int column);

/// Where the entries of D_i W_i D_iᵀ stand, constraint by constraint and column by column.
std::vector<int> entry_places(const SparseMatrix& matrix, const JacobianPattern& D, bool lower);

}  // namespace ccp
