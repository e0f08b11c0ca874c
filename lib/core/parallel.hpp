#pragma once

#include "core/types.hpp"

namespace ccp {

/// Calls body(begin, end) on contiguous parts of [0, count), on up to `threads` threads. Every index is handled by exactly one
/// call and bodies must not reduce across indices, so results are bit-identical for any number of threads.
template <typename Body>
void parallel_ranges(int threads, Index count, const Body& body) {
  if (threads <= 1 || count < Index{2} * threads) {
    body(Index{0}, count);
    return;
  }
#pragma omp parallel for num_threads(threads) schedule(static)
  for (int part = 0; part < threads; ++part) body(count * part / threads, count * (part + 1) / threads);
}

}  // namespace ccp
