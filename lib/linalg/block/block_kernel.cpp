#include "linalg/block/block_kernel.hpp"

#include "core/instruction_set.hpp"

namespace ccp {
namespace {

using Column [[gnu::vector_size(32), gnu::may_alias]] = double;

[[gnu::always_inline]] inline void subtract_row(const WideBlock& multiplier, const WideBlock* U, const int* column, int n,
                                                const char* skip, const int* position, int diagonal, WideBlock* data,
                                                WideBlock& pivot) {
  const auto* a = reinterpret_cast<const Column*>(&multiplier);
  const Column a0 = a[0], a1 = a[1], a2 = a[2];
  for (int q = 0; q < n; ++q) {
    const int j = column[q];
    if (skip[j] != 0) continue;
    auto* c = reinterpret_cast<Column*>(j == diagonal ? &pivot : &data[position[j]]);
    const WideBlock& b = U[q];
    for (int k = 0; k < 3; ++k) c[k] -= a0 * b.column[k][0] + a1 * b.column[k][1] + a2 * b.column[k][2];
  }
}

void subtract_row_portable(const WideBlock& multiplier, const WideBlock* U, const int* column, int n, const char* skip,
                           const int* position, int diagonal, WideBlock* data, WideBlock& pivot) {
  subtract_row(multiplier, U, column, n, skip, position, diagonal, data, pivot);
}

// avx2 without fma: the same roundings as the portable version.
CCP_FOR_AVX2 void subtract_row_avx2(const WideBlock& multiplier, const WideBlock* U, const int* column, int n,
                                    const char* skip, const int* position, int diagonal, WideBlock* data, WideBlock& pivot) {
  subtract_row(multiplier, U, column, n, skip, position, diagonal, data, pivot);
}

}  // namespace

SubtractRow subtract_row_kernel() { return can_run(InstructionSet::avx2) ? subtract_row_avx2 : subtract_row_portable; }

}  // namespace ccp
