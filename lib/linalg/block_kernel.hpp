#pragma once

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

/// a b
WideBlock product(const WideBlock& a, const WideBlock& b);

}  // namespace ccp
