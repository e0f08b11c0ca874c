#pragma once

#include <atomic>
#include <cstddef>

/// Counts what an executable's own objects allocate, Eigen's among them (Eigen allocates with malloc). The linker sends every
/// call of malloc here, so the executable needs -Wl,--wrap=malloc, and exactly one of its sources includes this header.
namespace ccp::testing {

inline std::atomic<long> allocations{0};

}  // namespace ccp::testing

// The names are those of the linker.
// NOLINTBEGIN(bugprone-reserved-identifier, readability-identifier-naming, misc-definitions-in-headers)
extern "C" {
void* __real_malloc(std::size_t size);
void* __wrap_malloc(std::size_t size);
void* __wrap_malloc(std::size_t size) {
  ++ccp::testing::allocations;
  return __real_malloc(size);
}
}
// NOLINTEND(bugprone-reserved-identifier, readability-identifier-naming, misc-definitions-in-headers)
