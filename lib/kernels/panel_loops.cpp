#include "kernels/panel_loops.hpp"

#include <cmath>

#include "kernels/fused.hpp"
#include "kernels/tables.hpp"

namespace ccp::CCP_INSTRUCTION_SET {
namespace {

/// Doubles in the widest register: 2, 4 or 8.
constexpr int width = __BIGGEST_ALIGNMENT__ / sizeof(double);
/// As many neighbours in the memory, wherever they begin.
using V [[gnu::vector_size(width * sizeof(double)), gnu::may_alias, gnu::aligned(sizeof(double))]] = double;
/// The same as a variable, with the alignment of its size: with less, code of GCC 12 crashed under the address sanitizer
/// where it detects use after return. The cause was not found.
using Register [[gnu::vector_size(width * sizeof(double))]] = double;

inline int smaller(int a, int b) { return a < b ? a : b; }
inline void swap(double& a, double& b) {
  const double kept = a;
  a = b;
  b = kept;
}

/// A tile of C in registers: `vectors` vectors down, `columns` across.
template <int vectors, int columns>
[[gnu::always_inline]] inline void subtract_tile(int depth, const double* A, int rows_of_strip, const double* B, double* C,
                                                 Index stride) {
  Register c[columns][vectors];
  for (int j = 0; j < columns; ++j)
    for (int i = 0; i < vectors; ++i) c[j][i] = *reinterpret_cast<const V*>(C + j * stride + i * width);
  for (int p = 0; p < depth; ++p) {
    Register a[vectors];
    for (int i = 0; i < vectors; ++i) a[i] = *reinterpret_cast<const V*>(A + i * width);
#pragma GCC unroll 8
    for (int j = 0; j < columns; ++j) {
      const Register b = Register{} + B[j];
#pragma GCC unroll 8
      for (int i = 0; i < vectors; ++i) c[j][i] = minus_product(c[j][i], a[i], b);
    }
    A += rows_of_strip;
    B += strip_columns;
  }
  for (int j = 0; j < columns; ++j)
    for (int i = 0; i < vectors; ++i) *reinterpret_cast<V*>(C + j * stride + i * width) = c[j][i];
}

/// One strip of rows times one of columns, by the tiles that fit into the registers of this width.
[[gnu::always_inline]] inline void subtract_strip(int rows, int depth, const double* A, const double* B, double* C,
                                                  Index stride) {
  if constexpr (width == 8) {
    if (rows == 24)
      subtract_tile<3, 6>(depth, A, 24, B, C, stride);
    else if (rows == 16)
      subtract_tile<2, 6>(depth, A, 16, B, C, stride);
    else
      subtract_tile<1, 6>(depth, A, 8, B, C, stride);
  } else if constexpr (width == 4) {
    for (int i = 0; i < rows; i += 8) subtract_tile<2, 6>(depth, A + i, rows, B, C + i, stride);
  } else {
    for (int i = 0; i < rows; i += 4) {
      subtract_tile<2, 3>(depth, A + i, rows, B, C + i, stride);
      subtract_tile<2, 3>(depth, A + i, rows, B + 3, C + i + 3 * stride, stride);
    }
  }
}

void subtract(int rows, int columns, int depth, const double* A, const double* B, double* C, Index stride) {
  for (int j = 0; j < columns; j += strip_columns) {
    const double* strip = A;
    for (int i = 0; i < rows; i += panel_width) {
      const int height = smaller(panel_width, padded_rows(rows - i));
      subtract_strip(height, depth, strip, B, C + i + j * stride, stride);
      strip += height * depth;
    }
    B += depth * strip_columns;
  }
}

template <int vectors>
[[gnu::always_inline]] inline void subtract_rows_strip(int depth, const double* A, const double* x, double* y) {
  Register sum[vectors];
  for (int i = 0; i < vectors; ++i) sum[i] = *reinterpret_cast<const V*>(y + i * width);
  for (int p = 0; p < depth; ++p, A += vectors * width) {
    const Register value = Register{} + x[p];
#pragma GCC unroll 16
    for (int i = 0; i < vectors; ++i)
      sum[i] = minus_product(sum[i], Register(*reinterpret_cast<const V*>(A + i * width)), value);
  }
  for (int i = 0; i < vectors; ++i) *reinterpret_cast<V*>(y + i * width) = sum[i];
}

void subtract_rows(int rows, int depth, const double* A, const double* x, double* y) {
  for (int i = 0; i < rows; i += panel_width) {
    const int height = smaller(panel_width, padded_rows(rows - i));
    if (height == 24)
      subtract_rows_strip<24 / width>(depth, A, x, y + i);
    else if (height == 16)
      subtract_rows_strip<16 / width>(depth, A, x, y + i);
    else
      subtract_rows_strip<8 / width>(depth, A, x, y + i);
    A += height * depth;
  }
}

void subtract_columns(int columns, int depth, const double* B, const double* x, double* y) {
  for (int j = 0; j < columns; j += strip_columns, x += strip_columns)
    for (int p = 0; p < depth; ++p, B += strip_columns)
      y[p] -= ((B[0] * x[0] + B[1] * x[1]) + (B[2] * x[2] + B[3] * x[3])) + (B[4] * x[4] + B[5] * x[5]);
}

/// column[j] −= factor · pivot column, for all columns but that of the pivot.
bool invert(int size, double* matrix) {
  const int used = padded_rows(size);
  int exchanged[panel_width];
  for (int k = 0; k < size; ++k) {
    double* own = matrix + k * panel_width;
    int best = k;
    for (int i = k + 1; i < size; ++i)
      if (std::fabs(own[i]) > std::fabs(own[best])) best = i;
    if (!(std::fabs(own[best]) > 0.0) || !__builtin_isfinite(own[best])) return false;
    exchanged[k] = best;
    if (best != k)
      for (int j = 0; j < size; ++j) swap(matrix[j * panel_width + k], matrix[j * panel_width + best]);
    const double pivot = 1.0 / own[k];
    own[k] = 0.0;
    for (int j = 0; j < size; ++j) {
      if (j == k) continue;
      double* column = matrix + j * panel_width;
      const double factor = column[k] * pivot;
      const Register factors = Register{} + factor;
      for (int i = 0; i < used; i += width) {
        const Register entries = *reinterpret_cast<const V*>(column + i), pivots = *reinterpret_cast<const V*>(own + i);
        *reinterpret_cast<V*>(column + i) = minus_product(entries, pivots, factors);
      }
      column[k] = factor;
    }
    for (int i = 0; i < size; ++i) own[i] *= -pivot;
    own[k] = pivot;
  }
  for (int k = size - 1; k >= 0; --k)
    if (exchanged[k] != k)
      for (int i = 0; i < size; ++i) swap(matrix[k * panel_width + i], matrix[exchanged[k] * panel_width + i]);
  double sum = 0.0;
  for (int j = 0; j < size; ++j)
    for (int i = 0; i < size; ++i) sum += 0.0 * matrix[j * panel_width + i];
  return sum == 0.0;
}

}  // namespace

const PanelLoops panel_loops{subtract, subtract_rows, subtract_columns, invert};

}  // namespace ccp::CCP_INSTRUCTION_SET
