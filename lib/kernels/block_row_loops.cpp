#include "kernels/block_row_loops.hpp"

#include "kernels/tables.hpp"

namespace ccp::CCP_INSTRUCTION_SET {
namespace {

using Column [[gnu::vector_size(32), gnu::may_alias]] = double;

/// The columns of a block without its padding.
template <int Width>
struct Columns {
  Column a0, a1, a2;

  [[gnu::always_inline]] explicit Columns(const WideBlock& block)
      : a0(reinterpret_cast<const Column*>(&block)[0]),
        a1(reinterpret_cast<const Column*>(&block)[1]),
        a2(reinterpret_cast<const Column*>(&block)[2]) {}
  /// c <- this block times a column of another one.
  [[gnu::always_inline]] void times(const double* b, Column& c) const {
    if constexpr (Width == 3)
      c = a0 * b[0] + a1 * b[1] + a2 * b[2];
    else
      c = a0 * b[0] + a1 * b[1];
  }
  /// c <- c − that.
  [[gnu::always_inline]] void subtract_times(const double* b, Column& c) const {
    if constexpr (Width == 3)
      c -= a0 * b[0] + a1 * b[1] + a2 * b[2];
    else
      c -= a0 * b[0] + a1 * b[1];
  }
};

template <int Width>
void load_row(const BlocksToLoad& A, const WideBlock& scale, const WideBlock& diagonal, int row, const BlockRowsOfLu& lu) {
  const Columns<Width> factor(scale);
  for (int p = lu.row_start[row], end = lu.row_start[row + 1]; p < end; ++p) {
    auto* c = reinterpret_cast<Column*>(&lu.data[p]);
    for (int k = 0; k < Width; ++k) c[k] = Column{};
  }
  const double* block = A.blocks;
  for (int q = 0; q < A.count; ++q, block += 9) {
    const int place = A.place[q];
    auto* c = reinterpret_cast<Column*>(place < 0 ? &lu.pivot[row] : &lu.data[place]);
    for (int k = 0; k < Width; ++k) factor.times(block + 3 * k, c[k]);
    if (place >= 0) continue;
    const auto* d = reinterpret_cast<const Column*>(&diagonal);
    for (int k = 0; k < Width; ++k) c[k] = c[k] + d[k];
    if constexpr (Width < 3) c[2] = d[2];
  }
}

template <int Width>
void eliminate_row(int row, const BlockRowsOfLu& lu) {
  const int* const column = lu.column;
  for (int p = lu.row_start[row], end = lu.upper[row]; p < end; ++p) {
    const int above = column[p];
    if (lu.skip[above] != 0) continue;
    auto* multiplier = reinterpret_cast<Column*>(&lu.data[p]);
    const Columns<Width> own(lu.data[p]);
    for (int k = 0; k < Width; ++k) own.times(lu.pivot[above].column[k], multiplier[k]);
    const Columns<Width> factor(lu.data[p]);
    for (int q = lu.upper[above], last = lu.row_start[above + 1]; q < last; ++q) {
      const int j = column[q];
      if (lu.skip[j] != 0) continue;
      auto* c = reinterpret_cast<Column*>(j == row ? &lu.pivot[row] : &lu.data[lu.position[j]]);
      const WideBlock& b = lu.data[q];
      for (int k = 0; k < Width; ++k) factor.subtract_times(b.column[k], c[k]);
    }
  }
}

void load(const BlocksToLoad& A, const WideBlock& scale, const WideBlock& diagonal, int row, const BlockRowsOfLu& lu) {
  if (A.width == 2) return load_row<2>(A, scale, diagonal, row, lu);
  load_row<3>(A, scale, diagonal, row, lu);
}
void eliminate(int row, int width, const BlockRowsOfLu& lu) {
  if (width == 2) return eliminate_row<2>(row, lu);
  eliminate_row<3>(row, lu);
}

}  // namespace

const BlockRowLoops block_row_loops{load, eliminate};

}  // namespace ccp::CCP_INSTRUCTION_SET
