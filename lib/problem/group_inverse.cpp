#include "problem/group_inverse.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <utility>

#include "core/error.hpp"

namespace ccp {

bool GroupInverse::suits(const BlockPartition& groups) {
  for (Index g = 0; g < groups.count(); ++g)
    if (groups.size(g) > most_dofs) return false;
  return !groups.empty();
}

GroupInverse::GroupInverse(const SparseMatrix& H, BlockPartition groups) : groups_(std::move(groups)) {
  Index numbers = 0;
  for (Index g = 0; g < groups_.count(); ++g) {
    start_.push_back(numbers);
    numbers += groups_.size(g) * groups_.size(g);
  }
  matrices_.setZero(numbers);
  inverses_.setZero(numbers);
  for (Index g = 0; g < groups_.count(); ++g) {
    const Index size = groups_.size(g), first = groups_.offset(g), at = start_[uz(g)];
    Eigen::Map<DenseMatrix> matrix(matrices_.data() + at, size, size), inverse(inverses_.data() + at, size, size);
    for (Index j = 0; j < size; ++j)
      for (SparseMatrix::InnerIterator entry(H, first + j); entry; ++entry)
        if (entry.value() != 0.0) matrix(entry.row() - first, j) = entry.value();
    const Eigen::LLT<DenseMatrix> cholesky(matrix);
    if (cholesky.info() != Eigen::Success)
      throw InputError(fmt::format("H is not positive definite (dofs {} to {})", first, first + size - 1));
    inverse = cholesky.solve(DenseMatrix::Identity(size, size));
  }
}

void GroupInverse::solve_group(Index group, VectorRef part) const {
  using Part = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, most_dofs, 1>;
  const Index size = groups_.size(group), at = start_[uz(group)];
  const Eigen::Map<const DenseMatrix> matrix(matrices_.data() + at, size, size), inverse(inverses_.data() + at, size, size);
  const Part x = inverse.lazyProduct(part);
  const Part residual = part - matrix.lazyProduct(x);
  part = x + inverse.lazyProduct(residual);
}

}  // namespace ccp
