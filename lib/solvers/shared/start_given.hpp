#pragma once

#include "problem/share_sums.hpp"
#include "solvers/solver.hpp"

namespace ccp {

/// Whether a run starts from impulses. A rank without rows cannot tell by itself.
inline bool start_given(const Share* share, const WarmStart& start) {
  const double given = start.impulse.size() > 0 ? 1.0 : 0.0;
  return (share == nullptr ? given : over_chunks(*share, share->blocks(), max_or_nan, [&](Index, Index) { return given; })) >
         0.0;
}

}  // namespace ccp
