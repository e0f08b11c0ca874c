#include "linalg/block/panels.hpp"

#include <algorithm>

#include "kernels/panel_loops.hpp"

namespace ccp {

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
