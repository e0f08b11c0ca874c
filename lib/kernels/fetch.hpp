#pragma once

#include "kernels/index.hpp"

namespace ccp::CCP_INSTRUCTION_SET {
namespace {

/// Asks for `count` numbers that a loop will read soon, for loops too short for the processor to see what comes next. Only a
/// hint: no access.
[[gnu::always_inline]] inline void fetch(const double* numbers, Index count) {
  for (Index k = 0; k < count; k += 8) __builtin_prefetch(numbers + k);
}
/// The same for numbers that the loop will write.
[[gnu::always_inline]] inline void fetch_to_write(const double* numbers, Index count) {
  for (Index k = 0; k < count; k += 8) __builtin_prefetch(numbers + k, 1);
}

}  // namespace
}  // namespace ccp::CCP_INSTRUCTION_SET
