#include "solvers/fixed_point/direct_joints.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

#include "solvers/shared/linear_work.hpp"

namespace ccp {

DirectJoints::DirectJoints(const ConstraintSet& blocks, const SparseMatrix& N, Monitor& monitor) {
  constexpr double redundancy = 1e-12;  // ε: above rounding, far below what sweeps reach in a step
  std::vector<Index> place(uz(blocks.rows()), -1);
  for (Index i = 0; i < blocks.count(); ++i) {
    if (blocks.kind(i) != ConstraintKind::bilateral) continue;
    place[uz(blocks.offset(i))] = static_cast<Index>(blocks_.size());
    blocks_.push_back(static_cast<int>(i));
  }
  std::vector<Eigen::Triplet<double, SparseMatrix::StorageIndex>> entries;
  double largest = std::numeric_limits<double>::min();
  for (Index k = 0; k < N.outerSize(); ++k)
    for (SparseMatrix::InnerIterator entry(N, k); entry; ++entry) {
      const Index row = place[uz(entry.row())], column = place[uz(entry.col())];
      if (row < 0 || column < 0) continue;
      entries.emplace_back(row, column, 0.5 * entry.value());
      entries.emplace_back(column, row, 0.5 * entry.value());
      if (row == column) largest = std::max(largest, entry.value());
    }
  const auto count = static_cast<Index>(blocks_.size());
  for (Index i = 0; i < count; ++i) entries.emplace_back(i, i, redundancy * largest);
  SparseMatrix part(count, count);
  part.setFromTriplets(entries.begin(), entries.end());
  factor_ = analysed_solver("eigen_ldlt", MatrixKind::spd, part, monitor);
  std::string message;
  if (!counted_factorize(*factor_, part, monitor, message))
    throw std::runtime_error("the joints' part of N has no factor: " + message);
}

void DirectJoints::solve(const Vector& velocity, Vector& change, Counters& counters) {
  const LinearWork counted(*factor_, counters);
  if (factor_->solve(velocity, change) != LinearStatus::ok) change.setConstant(std::numeric_limits<double>::quiet_NaN());
  change = -change;
}

}  // namespace ccp
