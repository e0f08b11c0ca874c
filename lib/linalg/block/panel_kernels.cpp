#include "linalg/block/panel_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ccp {
namespace {

template <int width>
struct Lanes {
  using Vector [[gnu::vector_size(width * sizeof(double)), gnu::may_alias, gnu::aligned(sizeof(double))]] = double;
};

/// A tile of C in registers: `vectors` vectors down, `columns` across.
template <int width, int vectors, int columns>
[[gnu::always_inline]] inline void subtract_tile(int depth, const double* A, int rows_of_strip, const double* B, double* C,
                                                 Index stride) {
  using V = typename Lanes<width>::Vector;
  V c[columns][vectors];
  for (int j = 0; j < columns; ++j)
    for (int i = 0; i < vectors; ++i) c[j][i] = *reinterpret_cast<const V*>(C + j * stride + i * width);
  for (int p = 0; p < depth; ++p) {
    V a[vectors];
    for (int i = 0; i < vectors; ++i) a[i] = *reinterpret_cast<const V*>(A + i * width);
#pragma GCC unroll 8
    for (int j = 0; j < columns; ++j) {
      const V b = V{} + B[j];
#pragma GCC unroll 8
      for (int i = 0; i < vectors; ++i) c[j][i] -= a[i] * b;
    }
    A += rows_of_strip;
    B += strip_columns;
  }
  for (int j = 0; j < columns; ++j)
    for (int i = 0; i < vectors; ++i) *reinterpret_cast<V*>(C + j * stride + i * width) = c[j][i];
}

/// One strip of rows times one of columns, by the tiles that fit into the registers of this width.
template <int width>
[[gnu::always_inline]] inline void subtract_strip(int rows, int depth, const double* A, const double* B, double* C,
                                                  Index stride) {
  if constexpr (width == 8) {
    if (rows == 24)
      subtract_tile<8, 3, 6>(depth, A, 24, B, C, stride);
    else if (rows == 16)
      subtract_tile<8, 2, 6>(depth, A, 16, B, C, stride);
    else
      subtract_tile<8, 1, 6>(depth, A, 8, B, C, stride);
  } else if constexpr (width == 4) {
    for (int i = 0; i < rows; i += 8) subtract_tile<4, 2, 6>(depth, A + i, rows, B, C + i, stride);
  } else {
    for (int i = 0; i < rows; i += 4) {
      subtract_tile<2, 2, 3>(depth, A + i, rows, B, C + i, stride);
      subtract_tile<2, 2, 3>(depth, A + i, rows, B + 3, C + i + 3 * stride, stride);
    }
  }
}

template <int width>
[[gnu::always_inline]] inline void subtract_body(int rows, int columns, int depth, const double* A, const double* B,
                                                 double* C, Index stride) {
  for (int j = 0; j < columns; j += strip_columns) {
    const double* strip = A;
    for (int i = 0; i < rows; i += panel_width) {
      const int height = std::min(panel_width, padded_rows(rows - i));
      subtract_strip<width>(height, depth, strip, B, C + i + j * stride, stride);
      strip += height * depth;
    }
    B += depth * strip_columns;
  }
}

template <int width, int vectors>
[[gnu::always_inline]] inline void subtract_rows_strip(int depth, const double* A, const double* x, double* y) {
  using V = typename Lanes<width>::Vector;
  V sum[vectors];
  for (int i = 0; i < vectors; ++i) sum[i] = *reinterpret_cast<const V*>(y + i * width);
  for (int p = 0; p < depth; ++p, A += vectors * width) {
    const V value = V{} + x[p];
#pragma GCC unroll 16
    for (int i = 0; i < vectors; ++i) sum[i] -= *reinterpret_cast<const V*>(A + i * width) * value;
  }
  for (int i = 0; i < vectors; ++i) *reinterpret_cast<V*>(y + i * width) = sum[i];
}

template <int width>
[[gnu::always_inline]] inline void subtract_rows_body(int rows, int depth, const double* A, const double* x, double* y) {
  for (int i = 0; i < rows; i += panel_width) {
    const int height = std::min(panel_width, padded_rows(rows - i));
    if (height == 24)
      subtract_rows_strip<width, 24 / width>(depth, A, x, y + i);
    else if (height == 16)
      subtract_rows_strip<width, 16 / width>(depth, A, x, y + i);
    else
      subtract_rows_strip<width, 8 / width>(depth, A, x, y + i);
    A += height * depth;
  }
}

[[gnu::always_inline]] inline void subtract_columns_body(int columns, int depth, const double* B, const double* x,
                                                         double* y) {
  for (int j = 0; j < columns; j += strip_columns, x += strip_columns)
    for (int p = 0; p < depth; ++p, B += strip_columns)
      y[p] -= ((B[0] * x[0] + B[1] * x[1]) + (B[2] * x[2] + B[3] * x[3])) + (B[4] * x[4] + B[5] * x[5]);
}

/// column[j] −= factor · pivot column, for all columns but that of the pivot.
template <int width>
[[gnu::always_inline]] inline bool invert_body(int size, double* matrix) {
  using V = typename Lanes<width>::Vector;
  const int used = padded_rows(size);
  int exchanged[panel_width];
  for (int k = 0; k < size; ++k) {
    double* own = matrix + k * panel_width;
    int best = k;
    for (int i = k + 1; i < size; ++i)
      if (std::abs(own[i]) > std::abs(own[best])) best = i;
    if (!(std::abs(own[best]) > 0.0) || !std::isfinite(own[best])) return false;
    exchanged[k] = best;
    if (best != k)
      for (int j = 0; j < size; ++j) std::swap(matrix[j * panel_width + k], matrix[j * panel_width + best]);
    const double pivot = 1.0 / own[k];
    own[k] = 0.0;
    for (int j = 0; j < size; ++j) {
      if (j == k) continue;
      double* column = matrix + j * panel_width;
      const double factor = column[k] * pivot;
      for (int i = 0; i < used; i += width)
        *reinterpret_cast<V*>(column + i) -= *reinterpret_cast<const V*>(own + i) * factor;
      column[k] = factor;
    }
    for (int i = 0; i < size; ++i) own[i] *= -pivot;
    own[k] = pivot;
  }
  for (int k = size - 1; k >= 0; --k)
    if (exchanged[k] != k)
      std::swap_ranges(matrix + k * panel_width, matrix + k * panel_width + size, matrix + exchanged[k] * panel_width);
  double sum = 0.0;
  for (int j = 0; j < size; ++j)
    for (int i = 0; i < size; ++i) sum += 0.0 * matrix[j * panel_width + i];
  return sum == 0.0;
}

// One set of functions per instruction set: the templates are inlined into them.
#define CCP_PANEL_KERNELS(name, width, ...)                                                                       \
  __VA_ARGS__ void subtract_##name(int rows, int columns, int depth, const double* A, const double* B, double* C, \
                                   Index stride) {                                                                \
    subtract_body<width>(rows, columns, depth, A, B, C, stride);                                                  \
  }                                                                                                               \
  __VA_ARGS__ void subtract_rows_##name(int rows, int depth, const double* A, const double* x, double* y) {       \
    subtract_rows_body<width>(rows, depth, A, x, y);                                                              \
  }                                                                                                               \
  __VA_ARGS__ void subtract_columns_##name(int columns, int depth, const double* B, const double* x, double* y) { \
    subtract_columns_body(columns, depth, B, x, y);                                                               \
  }                                                                                                               \
  __VA_ARGS__ bool invert_##name(int size, double* matrix) { return invert_body<width>(size, matrix); }           \
  constexpr PanelKernels kernels_##name{subtract_##name, subtract_rows_##name, subtract_columns_##name, invert_##name};

CCP_PANEL_KERNELS(portable, 2)
CCP_PANEL_KERNELS(avx2, 4, CCP_FOR_AVX2)
CCP_PANEL_KERNELS(avx512, 8, CCP_FOR_AVX512)
#undef CCP_PANEL_KERNELS

}  // namespace

const PanelKernels& panel_kernels(InstructionSet set) {
  return version_for(set, kernels_portable, kernels_avx2, kernels_avx512);
}

const PanelKernels& panel_kernels() { return panel_kernels(widest_instruction_set()); }

void pack_rows(int rows, int depth, const double* from, Index stride, double* strips) {
  for (int i = 0; i < rows; i += panel_width) {
    const int height = std::min(panel_width, rows - i), padded = std::min(panel_width, padded_rows(rows - i));
    for (int p = 0; p < depth; ++p, strips += padded) {
      std::copy_n(from + i + p * stride, height, strips);
      std::fill(strips + height, strips + padded, 0.0);
    }
  }
}

void pack_columns(int columns, int depth, const double* from, Index stride, double sign, double* strips) {
  for (int j = 0; j < columns; j += strip_columns, strips += depth * strip_columns) {
    const int width = std::min(strip_columns, columns - j);
    for (int q = 0; q < width; ++q)
      for (int p = 0; p < depth; ++p) strips[p * strip_columns + q] = sign * from[p + (j + q) * stride];
    for (int q = width; q < strip_columns; ++q)
      for (int p = 0; p < depth; ++p) strips[p * strip_columns + q] = 0.0;
  }
}

}  // namespace ccp
