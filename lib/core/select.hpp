#pragma once

#include <bit>
#include <cstdint>

namespace ccp {

/// condition ? a : b by a mask. A compiler may turn the operator into a jump around one of the two, which costs more than
/// computing both where the condition is as good as random, such as whether a contact slips.
[[gnu::always_inline]] inline double select(bool condition, double a, double b) {
  const std::uint64_t mask = std::uint64_t{0} - static_cast<std::uint64_t>(condition);
  return std::bit_cast<double>((std::bit_cast<std::uint64_t>(a) & mask) | (std::bit_cast<std::uint64_t>(b) & ~mask));
}

}  // namespace ccp
