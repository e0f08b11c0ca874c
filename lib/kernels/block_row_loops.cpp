#include "kernels/block_row_loops.hpp"

#include "kernels/tables.hpp"

namespace ccp::CCP_INSTRUCTION_SET {
namespace {

using Column [[gnu::vector_size(32), gnu::may_alias]] = double;

void subtract(const WideBlock& multiplier, const EliminatedRow& other, const RowAtWork& row) {
  const auto* a = reinterpret_cast<const Column*>(&multiplier);
  const Column a0 = a[0], a1 = a[1], a2 = a[2];
  const WideBlock* const U = other.U;
  const int *const column = other.column, *const position = row.position;
  const char* const skip = other.skip;
  WideBlock *const data = row.data, *const pivot = &row.pivot;
  const int diagonal = row.diagonal, n = other.n;
  for (int q = 0; q < n; ++q) {
    const int j = column[q];
    if (skip[j] != 0) continue;
    auto* c = reinterpret_cast<Column*>(j == diagonal ? pivot : &data[position[j]]);
    const WideBlock& b = U[q];
    for (int k = 0; k < 3; ++k) c[k] -= a0 * b.column[k][0] + a1 * b.column[k][1] + a2 * b.column[k][2];
  }
}

}  // namespace

const BlockRowLoops block_row_loops{subtract};

}  // namespace ccp::CCP_INSTRUCTION_SET
