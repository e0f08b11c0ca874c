#include "linalg/block/block_lu.hpp"

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

WideBlock sum(const WideBlock& a, const WideBlock& b) {
  WideBlock c;
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < 4; ++i) c.column[k][i] = a.column[k][i] + b.column[k][i];
  return c;
}

/// a b, with the entries of b in columns of `stride` numbers.
template <int stride>
WideBlock product(const WideBlock& a, const double* b) {
  WideBlock c;
  for (int k = 0; k < 3; ++k, b += stride)
    for (int i = 0; i < 4; ++i) c.column[k][i] = a.column[0][i] * b[0] + a.column[1][i] * b[1] + a.column[2][i] * b[2];
  return c;
}
WideBlock product(const WideBlock& a, const WideBlock& b) { return product<4>(a, &b.column[0][0]); }
WideBlock product(const WideBlock& a, const Matrix3& b) { return product<3>(a, b.data()); }

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
  [[gnu::always_inline]] void eliminate(int k) {
    const double pivot = 1.0 / a[k][k];
    for (int i = 0; i < 3; ++i) {
      if (i == k) continue;
      const double factor = a[i][k] * pivot;
      for (int j = 0; j < 3; ++j)
        if (j != k) a[i][j] -= factor * a[k][j];
      a[i][k] = -factor;
    }
    for (int j = 0; j < 3; ++j) a[k][j] *= pivot;
    a[k][k] = pivot;
  }
};

/// Inverts a pivot by Gauss–Jordan with partial pivoting; false when it is singular or not finite.
bool invert(WideBlock& pivot) {
  Small m;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) m.a[i][j] = pivot.column[j][i];
  const bool first = m.larger_pivot_below(0, 1);
  if (first) m.swap_rows(0, 1);
  const bool second = m.larger_pivot_below(0, 2);
  if (second) m.swap_rows(0, 2);
  m.eliminate(0);
  const bool third = m.larger_pivot_below(1, 2);
  if (third) m.swap_rows(1, 2);
  m.eliminate(1);
  m.eliminate(2);
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

BlockLu::BlockLu(const BlockOrdering& ordering)
    : rows_(ordering.order.size()), order_(ordering.order), flops_(ordering.flops) {
  place_.resize(rows_);
  for (std::size_t k = 0; k < rows_; ++k) place_[static_cast<std::size_t>(order_[k])] = static_cast<int>(k);
  std::vector<std::vector<int>> lower(rows_);
  for (std::size_t k = 0; k < rows_; ++k)
    for (const int column : ordering.upper[k]) lower[static_cast<std::size_t>(column)].push_back(static_cast<int>(k));
  row_start_.push_back(0);
  for (std::size_t k = 0; k < rows_; ++k) {
    column_.insert(column_.end(), lower[k].begin(), lower[k].end());
    upper_.push_back(static_cast<int>(column_.size()));
    column_.insert(column_.end(), ordering.upper[k].begin(), ordering.upper[k].end());
    row_start_.push_back(static_cast<int>(column_.size()));
  }
  identity_.resize(rows_);
  position_.assign(rows_, -1);
  work_.resize(3 * static_cast<Index>(rows_));
}

void BlockLu::load_row(const BlockMatrix& A, const WideBlock& scale, const WideBlock& diagonal, std::size_t row) {
  const auto old = static_cast<std::size_t>(order_[row]);
  for (int p = row_start_[row]; p < row_start_[row + 1]; ++p) {
    data_[static_cast<std::size_t>(p)] = {};
    position_[static_cast<std::size_t>(column_[static_cast<std::size_t>(p)])] = p;
  }
  for (int p = A.row_start[old]; p < A.row_start[old + 1]; ++p) {
    const auto column = static_cast<std::size_t>(place_[static_cast<std::size_t>(A.column[static_cast<std::size_t>(p)])]);
    const Matrix3& block = A.block[static_cast<std::size_t>(p)];
    if (column == row)
      pivot_inverse_[row] = sum(product(scale, block), diagonal);  // the pivot itself until it is inverted
    else
      data_[static_cast<std::size_t>(position_[column])] = product(scale, block);
  }
}

bool BlockLu::eliminate_row(std::size_t row) {
  for (int p = row_start_[row]; p < upper_[row]; ++p) {
    const auto k = static_cast<std::size_t>(column_[static_cast<std::size_t>(p)]);
    if (identity_[k] != 0) continue;
    const auto first = static_cast<std::size_t>(upper_[k]);
    data_[static_cast<std::size_t>(p)] = product(data_[static_cast<std::size_t>(p)], pivot_inverse_[k]);
    loops_.subtract(data_[static_cast<std::size_t>(p)],
                    {data_.data() + first, column_.data() + first, row_start_[k + 1] - upper_[k], identity_.data()},
                    {position_.data(), static_cast<int>(row), data_.data(), pivot_inverse_[row]});
  }
  return invert(pivot_inverse_[row]);
}

bool BlockLu::factorize(const BlockMatrix& A, const std::vector<Matrix3>& scale, const std::vector<Matrix3>& diagonal,
                        const std::vector<char>& identity) {
  data_.resize(column_.size());  // here, not in the constructor: an analysis alone is to cost no memory
  pivot_inverse_.resize(rows_);
  for (std::size_t row = 0; row < rows_; ++row) identity_[row] = identity[static_cast<std::size_t>(order_[row])];
  for (std::size_t row = 0; row < rows_; ++row) {
    if (identity_[row] != 0) continue;
    const auto old = static_cast<std::size_t>(order_[row]);
    load_row(A, widened(scale[old]), widened(diagonal[old]), row);
    if (!eliminate_row(row)) return false;
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
      const auto k = static_cast<std::size_t>(column_[static_cast<std::size_t>(p)]);
      if (identity_[k] != 0 || p < upper_[row]) sum.noalias() -= view(data_[static_cast<std::size_t>(p)]) * part(k);
    }
    part(row) = sum;
  }
  for (std::size_t row = rows_; row-- > 0;) {
    if (identity_[row] != 0) continue;
    Vector3 sum = part(row);
    for (int p = upper_[row]; p < row_start_[row + 1]; ++p) {
      const auto k = static_cast<std::size_t>(column_[static_cast<std::size_t>(p)]);
      if (identity_[k] == 0) sum.noalias() -= view(data_[static_cast<std::size_t>(p)]) * part(k);
    }
    part(row).noalias() = view(pivot_inverse_[row]) * sum;
  }
  for (std::size_t row = 0; row < rows_; ++row) x.segment<3>(3 * static_cast<Index>(order_[row])) = part(row);
}

}  // namespace ccp
