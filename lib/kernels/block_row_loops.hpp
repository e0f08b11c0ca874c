#pragma once

namespace ccp {

/// A 3×3 block stored as three columns of four numbers (the fourth is zero), so that a column is one vector register.
struct alignas(32) WideBlock {
  double column[3][4];
};

/// The rows of a block LU in the making. Row k has its blocks off the diagonal at row_start[k] … row_start[k + 1] − 1, those
/// of U from upper[k] on, and the inverse of its pivot, where it is eliminated.
struct BlockRowsOfLu {
  const int* row_start;
  const int* upper;
  const int* column;    ///< of each block
  const char* skip;     ///< != 0 for the rows that are left out
  const int* position;  ///< where the row at work has its block in a column
  WideBlock* data;
  WideBlock* pivot;
};

/// Blocks of three columns of three numbers, each with its place in the LU; −1 for that on the diagonal. width: as in
/// BlockMatrix; the padding of the LU is zero then.
struct BlocksToLoad {
  const double* blocks;
  const int* place;
  int count;
  int width = 3;
};

struct BlockRowLoops {
  /// A row becomes scale · A off the diagonal, zero where A has no block, and scale · A + diagonal on it.
  void (*load)(const BlocksToLoad& A, const WideBlock& scale, const WideBlock& diagonal, int row, const BlockRowsOfLu& lu);
  /// Eliminates the lower part of a row: each of its blocks is multiplied by the inverse of the pivot above, and the row
  /// loses that multiple of the row of U there.
  void (*eliminate)(int row, int width, const BlockRowsOfLu& lu);
};

}  // namespace ccp
