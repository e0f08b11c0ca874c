#pragma once

#include "core/types.hpp"
#include "kernels/block_row_loops.hpp"

/// Arithmetic of wide blocks.
namespace ccp {

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
