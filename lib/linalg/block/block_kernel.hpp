#pragma once

#include "core/types.hpp"

namespace ccp {

/// A 3×3 block stored as three columns of four numbers (the fourth is zero), so that a column is one vector register.
struct alignas(32) WideBlock {
  double column[3][4];
};

/// One pair of rows of an elimination: for the n blocks U[q] with columns column[q], the block of the row at work in that
/// column (data[position[column]], or pivot where the column is `diagonal`) loses multiplier · U[q]. Columns with skip != 0
/// are left.
using SubtractRow = void (*)(const WideBlock& multiplier, const WideBlock* U, const int* column, int n, const char* skip,
                             const int* position, int diagonal, WideBlock* data, WideBlock& pivot);

/// The fastest version this processor runs. All versions do the same operations in the same order (no fused multiply-add),
/// so that results are the same on every machine.
SubtractRow subtract_row_kernel();

inline WideBlock widened(const Matrix3& block) {
  WideBlock wide;
  for (int k = 0; k < 3; ++k) {
    for (int i = 0; i < 3; ++i) wide.column[k][i] = block(i, k);
    wide.column[k][3] = 0.0;
  }
  return wide;
}

inline WideBlock sum(const WideBlock& a, const WideBlock& b) {
  WideBlock c;
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < 4; ++i) c.column[k][i] = a.column[k][i] + b.column[k][i];
  return c;
}

/// a b, with the entries of b in columns of `stride` numbers.
template <int stride>
inline WideBlock product(const WideBlock& a, const double* b) {
  WideBlock c;
  for (int k = 0; k < 3; ++k, b += stride)
    for (int i = 0; i < 4; ++i) c.column[k][i] = a.column[0][i] * b[0] + a.column[1][i] * b[1] + a.column[2][i] * b[2];
  return c;
}
inline WideBlock product(const WideBlock& a, const WideBlock& b) { return product<4>(a, &b.column[0][0]); }
inline WideBlock product(const WideBlock& a, const Matrix3& b) { return product<3>(a, b.data()); }

}  // namespace ccp
