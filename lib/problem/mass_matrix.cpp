#include "problem/mass_matrix.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <limits>
#include <utility>

#include "core/error.hpp"

namespace ccp {
namespace {

using Block = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, 6, 6>;

Block dense_block(const SparseMatrix& H, Index start, Index size) {
  Block block = Block::Zero(size, size);
  for (Index j = 0; j < size; ++j)
    for (SparseMatrix::InnerIterator entry(H, start + j); entry; ++entry)
      if (entry.row() >= start && entry.row() < start + size) block(entry.row() - start, j) = entry.value();
  return block;
}

/// vᵀHv sees the symmetric part of H alone.
void expect_positive_part(const SparseMatrix& H) {
  const SparseMatrix part = 0.5 * (H + SparseMatrix(H.transpose()));
  const auto solver = make_linear_solver("auto", MatrixKind::spd);
  if (solver->analyze(part) != LinearStatus::ok || solver->factorize(part) != LinearStatus::ok)
    throw InputError(
        fmt::format("H is not positive definite: its symmetric part cannot be factorised ({})", solver->info().message));
}

}  // namespace

MassMatrix::MassMatrix(const SparseMatrix& H, MatrixKind kind) : size_(H.rows()) {
  if (kind == MatrixKind::unsymmetric)
    expect_positive_part(H);
  else
    blocks_ = find_body_blocks(H);
  if (block_diagonal()) {
    invert_blocks(H);
    return;
  }
  if (kind == MatrixKind::spd)
    if (BlockPartition groups = finest_groups(H); GroupInverse::suits(groups)) {
      small_groups_.emplace(H, std::move(groups));
      return;
    }
  factor_ = make_linear_solver("auto", kind);
  factor_->set_refinement_steps(1);
  if (factor_->analyze(H) != LinearStatus::ok || factor_->factorize(H) != LinearStatus::ok)
    throw InputError(fmt::format("H cannot be factorised: {}", factor_->info().message));
}

void MassMatrix::invert_blocks(const SparseMatrix& H) {
  inverses_.setZero(36 * blocks_.count());
  inverse_roots_ = inverses_;
  for (Index b = 0; b < blocks_.count(); ++b) {
    const Index size = blocks_.size(b);
    const Block block = dense_block(H, blocks_.offset(b), size);
    Eigen::Map<Eigen::Matrix<double, 6, 6>> padded(inverses_.data() + 36 * b), root(inverse_roots_.data() + 36 * b);
    if (Block(block.diagonal().asDiagonal()) == block) {  // point masses and principal axes: exact reciprocals
      if (!(block.diagonal().array() > 0.0).all())
        throw InputError(
            fmt::format("H is not positive definite (dofs {} to {})", blocks_.offset(b), blocks_.offset(b) + size - 1));
      padded.diagonal().head(size) = block.diagonal().cwiseInverse();
      root.diagonal().head(size) = block.diagonal().cwiseSqrt().cwiseInverse();
      continue;
    }
    const Eigen::LLT<Block> cholesky(block);
    if (cholesky.info() != Eigen::Success)
      throw InputError(
          fmt::format("H is not positive definite (dofs {} to {})", blocks_.offset(b), blocks_.offset(b) + size - 1));
    root.topLeftCorner(size, size) = cholesky.matrixL().solve(Block::Identity(size, size));
    const Block inverse = cholesky.solve(Block::Identity(size, size));
    padded.topLeftCorner(size, size) = 0.5 * (inverse + inverse.transpose());
  }
}

void MassMatrix::solve_group(Index group, VectorRef part) const {
  if (small_groups_) {
    small_groups_->solve_group(group, part);
    return;
  }
  const Index size = blocks_.size(group);
  const Eigen::Map<const Eigen::Matrix<double, 6, 6>> inverse(block_inverse(group));
  const Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, 6, 1> solution =
      inverse.topLeftCorner(size, size).lazyProduct(part);
  part = solution;
}

void MassMatrix::solve(ConstVectorRef rhs, VectorRef x) const {
  if (factor_) {
    // A right-hand side that overflowed has no solution: NaN, which no measure takes for convergence.
    if (factor_->solve(rhs, x) != LinearStatus::ok) x.setConstant(std::numeric_limits<double>::quiet_NaN());
    return;
  }
  if (small_groups_) {
    x = rhs;
    for (Index g = 0; g < groups().count(); ++g) solve_group(g, x.segment(groups().offset(g), groups().size(g)));
    return;
  }
  Eigen::Matrix<double, 6, 1> part;
  for (Index b = 0; b < blocks_.count(); ++b) {
    const Index size = blocks_.size(b), offset = blocks_.offset(b);
    part.setZero();
    part.head(size) = rhs.segment(offset, size);
    const Eigen::Map<const Eigen::Matrix<double, 6, 6>> inverse(block_inverse(b));
    x.segment(offset, size) = (inverse * part).head(size);
  }
}

void MassMatrix::solve_columns(DenseMatrix& X) const {
  if (factor_) {
    if (factor_->solve_columns(X) != LinearStatus::ok) X.setConstant(std::numeric_limits<double>::quiet_NaN());
    return;
  }
  for (Index column = 0; column < X.cols(); ++column) solve(X.col(column), X.col(column));
}

}  // namespace ccp
