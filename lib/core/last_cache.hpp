#pragma once

#include <cstddef>

#include "core/types.hpp"

namespace ccp {

/// Of common processors: what is larger comes from the memory whenever it is read anew.
constexpr std::size_t last_cache_bytes = std::size_t{1} << 24;

/// Asks for `count` numbers that a loop will read soon, for loops too short for the processor to see what comes next. Only a
/// hint: no access.
[[gnu::always_inline]] inline void fetch(const double* numbers, Index count) {
  for (Index k = 0; k < count; k += 8) __builtin_prefetch(numbers + k);
}
/// Of numbers that it will write.
[[gnu::always_inline]] inline void fetch_to_write(const double* numbers, Index count) {
  for (Index k = 0; k < count; k += 8) __builtin_prefetch(numbers + k, 1);
}

}  // namespace ccp
