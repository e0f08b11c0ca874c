#include "solvers/shared/jacobian_blocks.hpp"

#include <algorithm>

namespace ccp {

template <int Rows>
PaddedJacobian<Rows> jacobian_blocks(const ConstraintSet& constraints, const SparseMatrix& D, const std::vector<int>* rows) {
  PaddedJacobian<Rows> blocks;
  for (Index i = 0; i < constraints.count(); ++i) {
    const Index offset = constraints.offset(i);
    const Index own = rows != nullptr ? (*rows)[uz(i)] : constraints.rows(i);
    const auto first = static_cast<std::ptrdiff_t>(blocks.dof.size());
    for (Index c = 0; c < own; ++c)
      for (SparseMatrix::InnerIterator entry(D, offset + c); entry; ++entry)
        blocks.dof.push_back(static_cast<int>(entry.row()));
    std::sort(blocks.dof.begin() + first, blocks.dof.end());
    blocks.dof.erase(std::unique(blocks.dof.begin() + first, blocks.dof.end()), blocks.dof.end());
    blocks.row.resize(blocks.dof.size(), BlockVector<Rows>(BlockVector<Rows>::Zero()));
    for (Index c = 0; c < own; ++c)
      for (SparseMatrix::InnerIterator entry(D, offset + c); entry; ++entry) {
        const auto dof = std::lower_bound(blocks.dof.begin() + first, blocks.dof.end(), entry.row());
        blocks.row[uz(dof - blocks.dof.begin())][c] = entry.value();
      }
    blocks.first.push_back(blocks.dof.size());
  }
  return blocks;
}
template PaddedJacobian<3> jacobian_blocks(const ConstraintSet&, const SparseMatrix&, const std::vector<int>*);
template PaddedJacobian<most_rows> jacobian_blocks(const ConstraintSet&, const SparseMatrix&, const std::vector<int>*);

SparseMatrix eliminated_pattern(const SparseMatrix& H, const JacobianPattern& D, bool lower,
                                const ConstraintSet& constraints, const std::vector<int>& kept) {
  const auto n = static_cast<int>(H.rows());
  int size = n;
  for (std::size_t i = 0; i < kept.size(); ++i)
    if (kept[i] >= 0) size = kept[i] + static_cast<int>(constraints.rows(static_cast<Index>(i)));
  const auto at = [](std::size_t place) { return static_cast<std::ptrdiff_t>(place); };
  std::vector<std::vector<std::size_t>> touching(uz(n));
  for (std::size_t i = 0; i + 1 < D.first.size(); ++i)
    for (std::size_t d = D.first[i]; d < D.first[i + 1]; ++d) touching[uz(D.dof[d])].push_back(i);
  std::vector<int> outer{0}, inner, last_column(uz(size), -1);
  for (int j = 0; j < n; ++j) {
    const std::size_t first = inner.size();
    const auto take = [&](int row) {
      int& seen = last_column[uz(row)];
      if ((row >= j || !lower) && seen != j) inner.push_back(row);
      seen = j;
    };
    for (SparseMatrix::InnerIterator entry(H, j); entry; ++entry) take(static_cast<int>(entry.row()));
    for (const std::size_t i : touching[uz(j)])
      if (kept.empty() || kept[i] < 0)
        std::for_each_n(D.dof.begin() + at(D.first[i]), D.size(i), take);
      else
        for (int c = 0; c < constraints.rows(static_cast<Index>(i)); ++c) take(kept[i] + c);
    std::sort(inner.begin() + static_cast<std::ptrdiff_t>(first), inner.end());
    outer.push_back(static_cast<int>(inner.size()));
  }
  for (std::size_t i = 0; i < kept.size(); ++i)
    for (int c = 0, rows = static_cast<int>(constraints.rows(static_cast<Index>(i))); kept[i] >= 0 && c < rows; ++c) {
      if (!lower) inner.insert(inner.end(), D.dof.begin() + at(D.first[i]), D.dof.begin() + at(D.first[i + 1]));
      for (int r = lower ? c : 0; r < rows; ++r) inner.push_back(kept[i] + r);
      outer.push_back(static_cast<int>(inner.size()));
    }
  SparseMatrix matrix(size, size);
  matrix.resizeNonZeros(std::ssize(inner));
  std::copy(outer.begin(), outer.end(), matrix.outerIndexPtr());
  std::copy(inner.begin(), inner.end(), matrix.innerIndexPtr());
  std::fill_n(matrix.valuePtr(), matrix.nonZeros(), 0.0);
  for (int j = 0; j < n; ++j)
    for (SparseMatrix::InnerIterator entry(H, j); entry; ++entry)
      if (entry.row() >= j || !lower)
        matrix.valuePtr()[entry_place(matrix, static_cast<int>(entry.row()), j)] = entry.value();
  return matrix;
}

int entry_place(const SparseMatrix& matrix, int row, int column) {
  const int* inner = matrix.innerIndexPtr();
  const int* end = inner + matrix.outerIndexPtr()[column + 1];
  return static_cast<int>(std::lower_bound(inner + matrix.outerIndexPtr()[column], end, row) - inner);
}

std::vector<int> entry_places(const SparseMatrix& matrix, const JacobianPattern& D, bool lower) {
  std::vector<int> places;
  for (std::size_t i = 0; i + 1 < D.first.size(); ++i)
    for (std::size_t b = D.first[i]; b < D.first[i + 1]; ++b)
      for (std::size_t a = lower ? b : D.first[i]; a < D.first[i + 1]; ++a)
        places.push_back(entry_place(matrix, D.dof[a], D.dof[b]));
  return places;
}

}  // namespace ccp
