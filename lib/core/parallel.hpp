#pragma once

#include <algorithm>

#include "core/types.hpp"

namespace ccp {

/// Calls body(begin, end) on contiguous parts of [0, count), on up to `threads` threads. Every index is handled by exactly
/// one call and bodies must not reduce across indices, so results are bit-identical for any number of threads. A thread gets
/// at least `grain` indices: waking a team costs as much as some hundreds of contacts.
template <typename Body>
void parallel_ranges(int threads, Index count, const Body& body, Index grain = 256) {
  const int parts = static_cast<int>(std::min(static_cast<Index>(threads), count / grain));
  if (parts <= 1) {
    body(Index{0}, count);
    return;
  }
#pragma omp parallel for num_threads(parts) schedule(static)
  for (int part = 0; part < parts; ++part) body(count * part / parts, count * (part + 1) / parts);
}

}  // namespace ccp
