#pragma once

#if defined(__FMA__)
#include <immintrin.h>
#endif

/// Fused multiply-add, with one rounding in every instruction set, so that none changes a bit. The compiler is told never to
/// fuse by itself. Without the instruction (x86-64 before 2013) the function of the C library takes its place.
namespace ccp::CCP_INSTRUCTION_SET {
namespace {

/// c − a b, in each lane of vectors of 2, 4 or 8 doubles.
template <typename Lanes>
[[gnu::always_inline]] inline Lanes minus_product(Lanes c, Lanes a, Lanes b) {
#if defined(__FMA__)
#if defined(__AVX512F__)
  if constexpr (sizeof(Lanes) == 64) return (Lanes)_mm512_fnmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#endif
  if constexpr (sizeof(Lanes) == 32) return (Lanes)_mm256_fnmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#endif
  for (unsigned i = 0; i < sizeof(Lanes) / sizeof(double); ++i) c[i] = __builtin_fma(-a[i], b[i], c[i]);
  return c;
}

}  // namespace
}  // namespace ccp::CCP_INSTRUCTION_SET
