#pragma once

#include <string>

namespace ccp {

/// Where mpiexec has started this process: measures messages of 8 B to 2 MiB between the first and the last rank, half a
/// round trip each, and sums of 64 to 4096 numbers over all ranks, and returns them as CSV: what, bytes, ranks, and of
/// `repeats` calls the least and the median time in s. Empty on all ranks but the first; std::runtime_error where there is
/// one rank.
std::string network_times(int repeats = 200);

}  // namespace ccp
