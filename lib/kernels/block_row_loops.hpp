#pragma once

namespace ccp {

/// A 3×3 block stored as three columns of four numbers (the fourth is zero), so that a column is one vector register.
struct alignas(32) WideBlock {
  double column[3][4];
};

/// A row of blocks in an elimination, as the row at work sees it: the n blocks U[q] with columns column[q].
struct EliminatedRow {
  const WideBlock* U;
  const int* column;
  int n;
  const char* skip;  ///< != 0 for the columns to be left
};

/// The row at work: its block in a column is data[position[column]], or pivot where the column is `diagonal`.
struct RowAtWork {
  const int* position;
  int diagonal;
  WideBlock* data;
  WideBlock& pivot;
};

struct BlockRowLoops {
  /// Each block of the row at work loses multiplier · U[q], the block of the other one in its column.
  void (*subtract)(const WideBlock& multiplier, const EliminatedRow& other, const RowAtWork& row);
};

}  // namespace ccp
