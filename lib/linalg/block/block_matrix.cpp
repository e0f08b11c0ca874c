#include "linalg/block/block_matrix.hpp"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <numeric>
#include <utility>

namespace ccp {
namespace {

/// The constraint of every scalar row.
std::vector<int> blocks_of_rows(const ConstraintSet& constraints) {
  std::vector<int> blocks(uz(constraints.rows()));
  for (Index i = 0; i < constraints.count(); ++i)
    for (Index row = constraints.offset(i); row < constraints.offset(i + 1); ++row) blocks[uz(row)] = static_cast<int>(i);
  return blocks;
}

/// Where the entries of scalar columns are, compressed or not.
struct Entries {
  const int *start, *count, *row;
  int begin(int column) const { return start[column]; }
  int end(int column) const { return count != nullptr ? start[column] + count[column] : start[column + 1]; }
  bool same_rows(int a, int b) const {
    return end(a) - begin(a) == end(b) - begin(b) && std::equal(row + begin(a), row + end(a), row + begin(b));
  }
};
Entries entries_of(const SparseMatrix& matrix) {
  return {matrix.outerIndexPtr(), matrix.innerNonZeroPtr(), matrix.innerIndexPtr()};
}

/// visit(c, beyond) for the scalar columns c … beyond − 1 of a constraint that have entries in the same rows.
template <typename Visit>
void for_alike_columns(const ConstraintSet& constraints, const Entries& entries, int constraint, const Visit& visit) {
  const auto last = static_cast<int>(constraints.offset(constraint + 1));
  for (auto c = static_cast<int>(constraints.offset(constraint)); c < last;) {
    int beyond = c + 1;
    while (beyond < last && entries.same_rows(c, beyond)) ++beyond;
    visit(c, beyond);
    c = beyond;
  }
}

/// visit(block, p, q) for the entries p … q − 1 of a scalar column that belong to one block.
template <typename Visit>
void for_parts(const ConstraintSet& constraints, const std::vector<int>& blocks, const Entries& entries, int column,
               const Visit& visit) {
  for (int p = entries.begin(column), end = entries.end(column); p < end;) {
    const int block = blocks[uz(entries.row[p])];
    const Index beyond = constraints.offset(block + 1);
    int q = p + 1;
    while (q < end && entries.row[q] < beyond) ++q;
    visit(block, p, q);
    p = q;
  }
}

/// One list of numbers per row, all in one array.
struct Lists {
  std::vector<int> start;  ///< rows + 1
  std::vector<int> item;
};

/// The block rows of each block column of the matrix, and the diagonal, sorted.
Lists rows_of_columns(const ConstraintSet& constraints, const SparseMatrix& scalar, const std::vector<int>& blocks) {
  const auto count = uz(constraints.count());
  const Entries entries = entries_of(scalar);
  Lists rows;
  rows.start.reserve(count + 1);
  rows.start.push_back(0);
  rows.item.reserve(count + uz(scalar.nonZeros()) / 6);
  std::vector<int> seen(count, -1);
  for (int column = 0; column < static_cast<int>(count); ++column) {
    bool sorted = true;
    const auto take = [&](int row) {
      if (seen[uz(row)] == column) return;
      seen[uz(row)] = column;
      sorted = sorted && (static_cast<int>(rows.item.size()) == rows.start.back() || rows.item.back() < row);
      rows.item.push_back(row);
    };
    for_alike_columns(constraints, entries, column, [&](int c, int) {
      for_parts(constraints, blocks, entries, c, [&](int row, int, int) { take(row); });
    });
    take(column);
    if (!sorted) std::sort(rows.item.begin() + rows.start.back(), rows.item.end());
    rows.start.push_back(static_cast<int>(rows.item.size()));
  }
  return rows;
}

/// The lists of the transposed pattern; sorted, because the columns come in order.
Lists transposed(const Lists& lists) {
  Lists result;
  result.start.assign(lists.start.size(), 0);
  for (const int row : lists.item) ++result.start[uz(row) + 1];
  std::partial_sum(result.start.begin(), result.start.end(), result.start.begin());
  result.item.resize(lists.item.size());
  std::vector<int> next(result.start.begin(), result.start.end() - 1);
  for (std::size_t column = 0; column + 1 < lists.start.size(); ++column)
    for (int p = lists.start[column]; p < lists.start[column + 1]; ++p)
      result.item[uz(next[uz(lists.item[uz(p)])]++)] = static_cast<int>(column);
  return result;
}

/// Sorted block columns of each block row: those of the matrix and of its transpose.
Lists symmetric_pattern(Lists rows_of_column) {
  const Lists columns_of_row = transposed(rows_of_column);
  if (columns_of_row.start == rows_of_column.start && columns_of_row.item == rows_of_column.item) return rows_of_column;
  Lists both;
  both.start.reserve(rows_of_column.start.size());
  both.start.push_back(0);
  both.item.reserve(rows_of_column.item.size());
  const auto begin = [](const Lists& lists, std::size_t i) { return lists.item.begin() + lists.start[i]; };
  for (std::size_t i = 0; i + 1 < rows_of_column.start.size(); ++i) {
    std::set_union(begin(columns_of_row, i), begin(columns_of_row, i + 1), begin(rows_of_column, i),
                   begin(rows_of_column, i + 1), std::back_inserter(both.item));
    both.start.push_back(static_cast<int>(both.item.size()));
  }
  return both;
}

/// Appends the block rows of a block column between contacts in space, sorted; whether it consists of whole blocks.
bool append_block_rows(const Entries& entries, int column, std::vector<int>& seen, std::vector<int>& rows) {
  const int c = 3 * column, begin = entries.begin(c), end = entries.end(c);
  const std::size_t first = rows.size();
  bool whole = (end - begin) % 3 == 0 && entries.same_rows(c, c + 1) && entries.same_rows(c, c + 2);
  for (int p = begin; whole && p < end; p += 3) {
    const auto row = static_cast<unsigned>(entries.row[p]), block = row / 3U;
    whole = row == 3U * block && entries.row[p + 2] == entries.row[p] + 2;
    rows.push_back(static_cast<int>(block));
  }
  if (whole) return true;
  rows.resize(first);
  for (int k = c; k < c + 3; ++k)
    for (int p = entries.begin(k), beyond = entries.end(k); p < beyond; ++p) {
      const auto row = static_cast<int>(static_cast<unsigned>(entries.row[p]) / 3U);
      if (seen[uz(row)] == column) continue;
      seen[uz(row)] = column;
      rows.push_back(row);
    }
  std::sort(rows.begin() + static_cast<std::ptrdiff_t>(first), rows.end());
  return false;
}

}  // namespace

std::optional<ContactBlocks> ContactBlocks::of(const ConstraintSet& constraints, const SparseMatrix& scalar) {
  if (!constraints.all_contacts_3d()) return std::nullopt;
  const Entries entries = entries_of(scalar);
  const auto count = static_cast<int>(constraints.count());
  ContactBlocks blocks(scalar);
  blocks.row_start.reserve(uz(count) + 1);
  blocks.row_start.push_back(0);
  blocks.column.reserve(uz(scalar.nonZeros()) / 9 + uz(count));
  blocks.diagonal.reserve(uz(count));
  blocks.whole_.reserve(uz(count));
  std::vector<int> seen(uz(count), -1);
  for (int j = 0; j < count; ++j) {
    const std::ptrdiff_t first = blocks.row_start.back();
    blocks.whole_.push_back(append_block_rows(entries, j, seen, blocks.column) ? 1 : 0);
    const auto own = std::lower_bound(blocks.column.begin() + first, blocks.column.end(), j);
    if (own == blocks.column.end() || *own != j) return std::nullopt;
    blocks.diagonal.push_back(static_cast<int>(own - blocks.column.begin()));
    blocks.row_start.push_back(static_cast<int>(blocks.column.size()));
  }
  return blocks;
}

bool ContactBlocks::copy(double* numbers) const {
  const Entries entries = entries_of(*scalar_);
  const double* const value = scalar_->valuePtr();
  std::vector<int> next(row_start.begin(), row_start.end() - 1);  // of each row, its block of this column or beyond
  const auto count = static_cast<int>(whole_.size());
  for (int j = 0; j < count; ++j) {
    const int first = row_start[uz(j)], beyond = row_start[uz(j) + 1];
    const double *a = value + entries.begin(3 * j), *b = value + entries.begin(3 * j + 1),
                 *c = value + entries.begin(3 * j + 2);
    for (int p = first; p < beyond; ++p) {
      const auto i = uz(column[uz(p)]);
      if (next[i] == row_start[i + 1] || column[uz(next[i])] != j) return false;
      double* const block = numbers + 9 * next[i]++;
      if (whole_[uz(j)] == 0) {
        std::fill_n(block, 9, 0.0);
        continue;
      }
      for (int r = 0; r < 3; ++r) {
        block[r] = *a++;
        block[3 + r] = *b++;
        block[6 + r] = *c++;
      }
    }
    if (whole_[uz(j)] != 0) continue;
    for (int k = 3 * j; k < 3 * j + 3; ++k)
      for (int p = entries.begin(k), end = entries.end(k); p < end; ++p) {
        const auto row = static_cast<unsigned>(entries.row[p]), block = row / 3U;
        numbers[9 * (next[block] - 1) + 3 * (k - 3 * j) + static_cast<int>(row - 3U * block)] = value[p];
      }
  }
  return true;
}

BlockMatrix block_matrix(const ConstraintSet& constraints, const SparseMatrix& scalar) {
  assert(scalar.rows() == constraints.rows() && scalar.cols() == constraints.rows());
  if (auto contacts = ContactBlocks::of(constraints, scalar)) {
    BlockMatrix matrix;
    matrix.block.resize(contacts->column.size());
    if (matrix.block.empty() || contacts->copy(matrix.block.front().data())) {
      matrix.row_start = std::move(contacts->row_start);
      matrix.column = std::move(contacts->column);
      matrix.diagonal = std::move(contacts->diagonal);
      return matrix;
    }
  }
  const std::vector<int> blocks = blocks_of_rows(constraints);
  Lists pattern = symmetric_pattern(rows_of_columns(constraints, scalar, blocks));
  BlockMatrix matrix;
  Index widest = 0;
  matrix.row_start = std::move(pattern.start);
  matrix.column = std::move(pattern.item);
  matrix.block.assign(matrix.column.size(), Matrix3::Zero());
  // Columns come in order, as they are sorted in every row: a row's next block is where its last one was, or beyond.
  std::vector<int> at(matrix.row_start.begin(), matrix.row_start.end() - 1);
  const Entries entries = entries_of(scalar);
  for (int j = 0; j < static_cast<int>(constraints.count()); ++j)
    for_alike_columns(constraints, entries, j, [&](int c, int beyond) {
      for_parts(constraints, blocks, entries, c, [&](int row, int p, int q) {
        int& position = at[uz(row)];
        while (matrix.column[uz(position)] < j) ++position;
        Matrix3& block = matrix.block[uz(position)];
        for (int k = c; k < beyond; ++k) {
          const double* const value = scalar.valuePtr() + entries.begin(k) + (p - entries.begin(c));
          auto column = block.col(k - constraints.offset(j));
          if (q - p == 3)
            column = Eigen::Map<const Vector3>(value);
          else
            for (int e = p; e < q; ++e) column[entries.row[e] - constraints.offset(row)] = value[e - p];
        }
      });
    });
  for (Index i = 0; i < constraints.count(); ++i) widest = std::max(widest, constraints.rows(i));
  matrix.width = widest > 2 ? 3 : 2;
  matrix.diagonal.reserve(uz(constraints.count()));
  for (int i = 0; i < static_cast<int>(constraints.count()); ++i) {
    const auto first = matrix.column.begin() + matrix.row_start[uz(i)];
    const auto last = matrix.column.begin() + matrix.row_start[uz(i) + 1];
    matrix.diagonal.push_back(static_cast<int>(std::lower_bound(first, last, i) - matrix.column.begin()));
  }
  return matrix;
}

void BlockMatrix::multiply(const Vector& x, Vector& y) const {
  assert(x.size() == 3 * rows() && y.size() == 3 * rows());
  if (width == 2) {
    for (std::size_t i = 0; i < diagonal.size(); ++i) {
      double sum0 = 0.0, sum1 = 0.0;
      for (int p = row_start[i]; p < row_start[i + 1]; ++p) {
        const double *a = block[uz(p)].data(), *from = x.data() + 3 * column[uz(p)];
        sum0 += a[0] * from[0] + a[3] * from[1];
        sum1 += a[1] * from[0] + a[4] * from[1];
      }
      y.segment<3>(3 * static_cast<Index>(i)) << sum0, sum1, 0.0;
    }
    return;
  }
  for (std::size_t i = 0; i < diagonal.size(); ++i) {
    Vector3 sum = Vector3::Zero();
    for (int p = row_start[i]; p < row_start[i + 1]; ++p) sum.noalias() += block[uz(p)] * x.segment<3>(3 * column[uz(p)]);
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
