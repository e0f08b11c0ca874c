#include "linalg/block/block_lu.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

namespace ccp {
namespace {

WideBlock widened(const Matrix3& block) {
  WideBlock wide;
  for (int k = 0; k < 3; ++k) {
    for (int i = 0; i < 3; ++i) wide.column[k][i] = block(i, k);
    wide.column[k][3] = 0.0;
  }
  return wide;
}

Eigen::Map<const Matrix3, 0, Eigen::OuterStride<4>> view(const WideBlock& block) {
  return Eigen::Map<const Matrix3, 0, Eigen::OuterStride<4>>(&block.column[0][0]);
}

/// A 3×3 matrix in registers: all loops over it are unrolled.
struct Small {
  double a[3][3];  ///< a[row][column]

  [[gnu::always_inline]] bool larger_pivot_below(int k, int below) const {
    return std::abs(a[below][k]) > std::abs(a[k][k]);
  }
  [[gnu::always_inline]] void swap_rows(int i, int k) {
    for (int j = 0; j < 3; ++j) std::swap(a[i][j], a[k][j]);
  }
  [[gnu::always_inline]] void swap_columns(int i, int k) {
    for (int j = 0; j < 3; ++j) std::swap(a[j][i], a[j][k]);
  }
  /// One Gauss–Jordan step in place. A pivot of zero leaves entries that are not finite.
  template <int Width>
  [[gnu::always_inline]] void eliminate(int k) {
    const double pivot = 1.0 / a[k][k];
    for (int i = 0; i < Width; ++i) {
      if (i == k) continue;
      const double factor = a[i][k] * pivot;
      for (int j = 0; j < Width; ++j)
        if (j != k) a[i][j] -= factor * a[k][j];
      a[i][k] = -factor;
    }
    for (int j = 0; j < Width; ++j) a[k][j] *= pivot;
    a[k][k] = pivot;
  }
};

/// Inverts a pivot by Gauss–Jordan with partial pivoting; false when it is singular or not finite. Padding takes no part.
template <int Width>
bool invert(WideBlock& pivot) {
  Small m;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) m.a[i][j] = pivot.column[j][i];
  const bool first = m.larger_pivot_below(0, 1);
  if (first) m.swap_rows(0, 1);
  const bool second = Width == 3 && m.larger_pivot_below(0, 2);
  if (second) m.swap_rows(0, 2);
  m.eliminate<Width>(0);
  const bool third = Width == 3 && m.larger_pivot_below(1, 2);
  if (third) m.swap_rows(1, 2);
  m.eliminate<Width>(1);
  if constexpr (Width == 3)
    m.eliminate<3>(2);
  else
    m.a[2][2] = 1.0 / m.a[2][2];
  if (third) m.swap_columns(1, 2);
  if (second) m.swap_columns(0, 2);
  if (first) m.swap_columns(0, 1);
  double zero = 0.0;  // NaN as soon as an entry is not finite
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      pivot.column[j][i] = m.a[i][j];
      zero += 0.0 * m.a[i][j];
    }
  return zero == 0.0;
}

}  // namespace

BlockLu::BlockLu(const BlockMatrix& A) : BlockLu(best_ordering(A)) {}

BlockLu::BlockLu(BlockOrdering ordering) : rows_(ordering.order.size()), flops_(ordering.flops) {
  place_.resize(rows_);
  for (std::size_t k = 0; k < rows_; ++k) place_[uz(ordering.order[k])] = static_cast<int>(k);
  // The lower part of a row is a column of the upper ones; with the rows in order its columns come sorted.
  row_start_.assign(rows_ + 1, 0);
  for (const int column : ordering.upper) ++row_start_[uz(column) + 1];
  upper_.resize(rows_);
  for (std::size_t k = 0; k < rows_; ++k) {
    upper_[k] = row_start_[k];  // moves on with each column of the lower part
    row_start_[k + 1] += row_start_[k] + static_cast<int>(ordering.beyond(k).size());
  }
  column_.resize(2 * ordering.upper.size());
  for (std::size_t k = 0; k < rows_; ++k) {
    const auto beyond = ordering.beyond(k);
    std::copy(beyond.begin(), beyond.end(), column_.begin() + upper_[k]);
    for (const int column : beyond) column_[uz(upper_[uz(column)]++)] = static_cast<int>(k);
  }
  order_ = std::move(ordering.order);
  identity_.resize(rows_);
  position_.assign(rows_, -1);
  work_.resize(3 * static_cast<Index>(rows_));
}

void BlockLu::find_places(const BlockMatrix& A) {
  target_.resize(A.column.size());
  for (std::size_t row = 0; row < rows_; ++row) {
    const auto old = uz(order_[row]);
    const auto begin = column_.begin() + row_start_[row], end = column_.begin() + row_start_[row + 1];
    for (int p = A.row_start[old]; p < A.row_start[old + 1]; ++p) {
      const int column = place_[uz(A.column[uz(p)])];
      const bool diagonal = column == static_cast<int>(row);
      target_[uz(p)] = diagonal ? -1 : static_cast<int>(std::lower_bound(begin, end, column) - column_.begin());
    }
  }
}

bool BlockLu::factorize(const BlockMatrix& A, const std::vector<Matrix3>& scale, const std::vector<Matrix3>& diagonal,
                        const std::vector<char>& identity) {
  if (target_.size() != A.column.size()) find_places(A);
  data_.resize(column_.size());  // here, not in the constructor: an analysis alone is to cost no memory
  pivot_inverse_.resize(rows_);
  for (std::size_t row = 0; row < rows_; ++row) identity_[row] = identity[uz(order_[row])];
  const BlockRowsOfLu lu{row_start_.data(), upper_.data(), column_.data(),       identity_.data(),
                         position_.data(),  data_.data(),  pivot_inverse_.data()};
  for (std::size_t row = 0; row < rows_; ++row) {
    if (identity_[row] != 0) continue;
    const auto old = uz(order_[row]);
    const int first = A.row_start[old];
    const BlocksToLoad own{A.block[uz(first)].data(), target_.data() + first, A.row_start[old + 1] - first, A.width};
    loops_.load(own, widened(scale[old]), widened(diagonal[old]), static_cast<int>(row), lu);
    for (int p = row_start_[row]; p < row_start_[row + 1]; ++p) position_[uz(column_[uz(p)])] = p;
    loops_.eliminate(static_cast<int>(row), A.width, lu);
    if (!(A.width == 2 ? invert<2>(pivot_inverse_[row]) : invert<3>(pivot_inverse_[row]))) return false;
  }
  return true;
}

void BlockLu::solve(const Vector& rhs, Vector& x) {
  assert(rhs.size() == work_.size() && x.size() == work_.size());
  const auto part = [this](std::size_t row) { return work_.segment<3>(3 * static_cast<Index>(row)); };
  for (std::size_t row = 0; row < rows_; ++row) part(row) = rhs.segment<3>(3 * static_cast<Index>(order_[row]));
  // The unknowns of identity rows are known: they go to the right-hand side, on both sides of the diagonal. Their columns
  // kept the values of the matrix itself; what elimination would have added to them comes with the eliminated rows.
  for (std::size_t row = 0; row < rows_; ++row) {
    if (identity_[row] != 0) continue;
    Vector3 sum = part(row);
    for (int p = row_start_[row]; p < row_start_[row + 1]; ++p) {
      const auto k = uz(column_[uz(p)]);
      if (identity_[k] != 0 || p < upper_[row]) sum.noalias() -= view(data_[uz(p)]) * part(k);
    }
    part(row) = sum;
  }
  for (std::size_t row = rows_; row-- > 0;) {
    if (identity_[row] != 0) continue;
    Vector3 sum = part(row);
    for (int p = upper_[row]; p < row_start_[row + 1]; ++p) {
      const auto k = uz(column_[uz(p)]);
      if (identity_[k] == 0) sum.noalias() -= view(data_[uz(p)]) * part(k);
    }
    part(row).noalias() = view(pivot_inverse_[row]) * sum;
  }
  for (std::size_t row = 0; row < rows_; ++row) x.segment<3>(3 * static_cast<Index>(order_[row])) = part(row);
}

}  // namespace ccp
