#include "linalg/block/block_matrix.hpp"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <numeric>
#include <utility>

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

/// One list of numbers per row, all in one array.
struct Lists {
  std::vector<int> start;  ///< rows + 1
  std::vector<int> item;
};

/// The block rows met in each block column of the matrix, each once, in the order met, and the diagonal.
Lists rows_of_columns(const ConstraintSet& constraints, const SparseMatrix& scalar, const std::vector<RowPlace>& places) {
  const auto count = static_cast<std::size_t>(constraints.count());
  Lists rows;
  rows.start.reserve(count + 1);
  rows.start.push_back(0);
  std::vector<int> seen(count, -1);
  for (int column = 0; column < static_cast<int>(count); ++column) {
    seen[static_cast<std::size_t>(column)] = column;
    rows.item.push_back(column);
    const auto first = static_cast<int>(constraints.offset(column)), own = static_cast<int>(constraints.rows(column));
    for (int c = first; c < first + own; ++c)
      for (SparseMatrix::InnerIterator entry(scalar, c); entry; ++entry) {
        const int row = places[static_cast<std::size_t>(entry.row())].block;
        if (seen[static_cast<std::size_t>(row)] == column) continue;
        seen[static_cast<std::size_t>(row)] = column;
        rows.item.push_back(row);
      }
    rows.start.push_back(static_cast<int>(rows.item.size()));
  }
  return rows;
}

/// The lists of the transposed pattern; sorted, because the columns come in order.
Lists transposed(const Lists& lists) {
  Lists result;
  result.start.assign(lists.start.size(), 0);
  for (const int row : lists.item) ++result.start[static_cast<std::size_t>(row) + 1];
  std::partial_sum(result.start.begin(), result.start.end(), result.start.begin());
  result.item.resize(lists.item.size());
  std::vector<int> next(result.start.begin(), result.start.end() - 1);
  for (std::size_t column = 0; column + 1 < lists.start.size(); ++column)
    for (int p = lists.start[column]; p < lists.start[column + 1]; ++p)
      result.item[static_cast<std::size_t>(next[static_cast<std::size_t>(lists.item[static_cast<std::size_t>(p)])]++)] =
          static_cast<int>(column);
  return result;
}

/// Sorted block columns of each block row: those of the matrix and of its transpose.
Lists symmetric_pattern(const Lists& rows_of_column) {
  const Lists columns_of_row = transposed(rows_of_column), sorted = transposed(columns_of_row);
  Lists both;
  both.start.reserve(sorted.start.size());
  both.start.push_back(0);
  both.item.reserve(sorted.item.size());
  const auto begin = [](const Lists& lists, std::size_t i) { return lists.item.begin() + lists.start[i]; };
  for (std::size_t i = 0; i + 1 < sorted.start.size(); ++i) {
    std::set_union(begin(columns_of_row, i), begin(columns_of_row, i + 1), begin(sorted, i), begin(sorted, i + 1),
                   std::back_inserter(both.item));
    both.start.push_back(static_cast<int>(both.item.size()));
  }
  return both;
}

}  // namespace

BlockMatrix block_matrix(const ConstraintSet& constraints, const SparseMatrix& scalar) {
  assert(scalar.rows() == constraints.rows() && scalar.cols() == constraints.rows());
  const auto places = row_places(constraints);
  Lists pattern = symmetric_pattern(rows_of_columns(constraints, scalar, places));
  BlockMatrix matrix;
  matrix.row_start = std::move(pattern.start);
  matrix.column = std::move(pattern.item);
  matrix.block.assign(matrix.column.size(), Matrix3::Zero());
  // Columns come in order, as they are sorted in every row: a row's next block is where its last one was, or beyond.
  std::vector<int> at(matrix.row_start.begin(), matrix.row_start.end() - 1);
  for (int c = 0; c < scalar.outerSize(); ++c) {
    const RowPlace column = places[static_cast<std::size_t>(c)];
    for (SparseMatrix::InnerIterator entry(scalar, c); entry; ++entry) {
      const RowPlace row = places[static_cast<std::size_t>(entry.row())];
      int& position = at[static_cast<std::size_t>(row.block)];
      while (matrix.column[static_cast<std::size_t>(position)] < column.block) ++position;
      matrix.block[static_cast<std::size_t>(position)](row.row, column.row) = entry.value();
    }
  }
  for (int i = 0; i < static_cast<int>(constraints.count()); ++i) {
    const auto first = matrix.column.begin() + matrix.row_start[static_cast<std::size_t>(i)];
    const auto last = matrix.column.begin() + matrix.row_start[static_cast<std::size_t>(i) + 1];
    matrix.diagonal.push_back(static_cast<int>(std::lower_bound(first, last, i) - matrix.column.begin()));
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
