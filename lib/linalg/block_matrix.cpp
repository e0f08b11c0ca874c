#include "linalg/block_matrix.hpp"

#include <algorithm>
#include <cassert>

namespace ccp {
namespace {

/// Constraint and position in it of every scalar row.
struct RowPlace {
  int block;
  int row;
};

std::vector<RowPlace> row_places(const ConstraintSet& constraints) {
  std::vector<RowPlace> places;
  places.reserve(static_cast<std::size_t>(constraints.rows()));
  for (Index i = 0; i < constraints.count(); ++i)
    for (int row = 0; row < constraints.rows(i); ++row) places.push_back({static_cast<int>(i), row});
  return places;
}

/// Sorted block columns of each block row: those of the matrix, of its transpose, and the diagonal.
std::vector<std::vector<int>> symmetric_pattern(const ConstraintSet& constraints, const SparseMatrix& scalar,
                                                const std::vector<RowPlace>& places) {
  std::vector<std::vector<int>> pattern(static_cast<std::size_t>(constraints.count()));
  for (std::size_t i = 0; i < pattern.size(); ++i) pattern[i].push_back(static_cast<int>(i));
  for (int c = 0; c < scalar.outerSize(); ++c) {
    const int column = places[static_cast<std::size_t>(c)].block;
    int last = -1;
    for (SparseMatrix::InnerIterator entry(scalar, c); entry; ++entry) {
      const int row = places[static_cast<std::size_t>(entry.row())].block;
      if (row == last) continue;
      last = row;
      pattern[static_cast<std::size_t>(row)].push_back(column);
      pattern[static_cast<std::size_t>(column)].push_back(row);
    }
  }
  for (auto& row : pattern) {
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
  }
  return pattern;
}

}  // namespace

BlockMatrix block_matrix(const ConstraintSet& constraints, const SparseMatrix& scalar) {
  assert(scalar.rows() == constraints.rows() && scalar.cols() == constraints.rows());
  const auto places = row_places(constraints);
  const auto pattern = symmetric_pattern(constraints, scalar, places);
  BlockMatrix matrix;
  matrix.row_start.push_back(0);
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const auto own = std::lower_bound(pattern[i].begin(), pattern[i].end(), static_cast<int>(i));
    matrix.diagonal.push_back(matrix.row_start.back() + static_cast<int>(own - pattern[i].begin()));
    matrix.column.insert(matrix.column.end(), pattern[i].begin(), pattern[i].end());
    matrix.row_start.push_back(static_cast<int>(matrix.column.size()));
  }
  matrix.block.assign(matrix.column.size(), Matrix3::Zero());
  for (int c = 0; c < scalar.outerSize(); ++c) {
    const RowPlace column = places[static_cast<std::size_t>(c)];
    for (SparseMatrix::InnerIterator entry(scalar, c); entry; ++entry) {
      const RowPlace row = places[static_cast<std::size_t>(entry.row())];
      const auto& columns = pattern[static_cast<std::size_t>(row.block)];
      const auto found = std::lower_bound(columns.begin(), columns.end(), column.block);
      const auto position = matrix.row_start[static_cast<std::size_t>(row.block)] + (found - columns.begin());
      matrix.block[static_cast<std::size_t>(position)](row.row, column.row) = entry.value();
    }
  }
  return matrix;
}

void BlockMatrix::multiply(const Vector& x, Vector& y) const {
  assert(x.size() == 3 * rows() && y.size() == 3 * rows());
  for (std::size_t i = 0; i < diagonal.size(); ++i) {
    Vector3 sum = Vector3::Zero();
    for (int p = row_start[i]; p < row_start[i + 1]; ++p)
      sum.noalias() += block[static_cast<std::size_t>(p)] * x.segment<3>(3 * column[static_cast<std::size_t>(p)]);
    y.segment<3>(3 * static_cast<Index>(i)) = sum;
  }
}

void pad(const ConstraintSet& constraints, const Vector& x, Vector& padded) {
  assert(x.size() == constraints.rows() && padded.size() == 3 * constraints.count());
  if (constraints.all_contacts_3d()) {
    padded = x;
    return;
  }
  padded.setZero();
  for (Index i = 0; i < constraints.count(); ++i)
    for (Index row = 0; row < constraints.rows(i); ++row) padded[3 * i + row] = x[constraints.offset(i) + row];
}

void unpad(const ConstraintSet& constraints, const Vector& padded, Vector& x) {
  assert(x.size() == constraints.rows() && padded.size() == 3 * constraints.count());
  if (constraints.all_contacts_3d()) {
    x = padded;
    return;
  }
  for (Index i = 0; i < constraints.count(); ++i)
    for (Index row = 0; row < constraints.rows(i); ++row) x[constraints.offset(i) + row] = padded[3 * i + row];
}

}  // namespace ccp
