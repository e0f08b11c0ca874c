#pragma once

#include "kernels/index.hpp"

namespace ccp {

/// The dense loops of a multifrontal factorisation, on panels cut into strips:
///
///     rows     A (rows × depth) in strips of 24 rows, of 8, 16 or 24 the last one; in a strip the rows of a column of A
///              follow each other, then the next column: what a register tile of 24 × 6 reads in order
///     columns  B (depth × columns) in strips of 6 columns; in a strip the columns of a row of B follow each other
///
/// with zeros in what the last strips have too much.
struct PanelLoops {
  /// C −= A B, C column-major with this distance between columns; rows up to the next multiple of 8 and columns up to the
  /// next of 6 are written (their values are kept, the strips being zero there).
  void (*subtract)(int rows, int columns, int depth, const double* A, const double* B, double* C, Index stride);
  /// y −= A x with A in strips of rows; y is written up to the next multiple of 8.
  void (*subtract_rows)(int rows, int depth, const double* A, const double* x, double* y);
  /// y −= B x with B in strips of columns; x is read up to the next multiple of 6.
  void (*subtract_columns)(int columns, int depth, const double* B, const double* x, double* y);
  /// Inverts the size × size matrix in place, column-major with panel_width rows a column (zeros below `size`), by
  /// Gauss–Jordan with partial pivoting. False when it is singular or not finite.
  bool (*invert)(int size, double* matrix);
};

constexpr int panel_width = 24;  ///< largest depth, and rows of a strip
constexpr int strip_columns = 6;

/// Rows and columns that the strips of a panel have room for.
[[gnu::always_inline]] constexpr int padded_rows(int rows) { return (rows + 7) / 8 * 8; }
[[gnu::always_inline]] constexpr int padded_columns(int columns) {
  return (columns + strip_columns - 1) / strip_columns * strip_columns;
}

}  // namespace ccp
