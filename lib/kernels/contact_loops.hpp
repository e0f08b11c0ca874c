#pragma once

#include "kernels/index.hpp"

namespace ccp {

struct ContactLoops {
  /// to <- Π_K(from) for `count` contacts in space that follow each other; friction: count, from and to: 3·count, from and
  /// to must not overlap. Returns how many of the contacts are outside the safe range (safe_range.hpp): their result means
  /// nothing.
  Index (*project)(Index count, const double* friction, const double* from, double* to);
};

}  // namespace ccp
