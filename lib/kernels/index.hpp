#pragma once

#include <cstddef>

namespace ccp {

/// That of core/types.hpp. The loops know nothing of Eigen, whose inline functions would be compiled for one instruction set
/// and called on machines without it.
using Index = std::ptrdiff_t;

}  // namespace ccp
