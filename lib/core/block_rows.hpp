#pragma once

#include <type_traits>

#include "core/types.hpp"

namespace ccp {

/// The part of γ or u that belongs to one block of 1, 2 or 3 rows.
template <int Rows>
using BlockVector = Eigen::Matrix<double, Rows, 1>;

/// Calls kernel with the number of rows of a block as a compile-time constant (an std::integral_constant<int, …>), so that
/// what it does with the block is unrolled.
template <typename Kernel>
auto with_rows(Index rows, const Kernel& kernel) {
  switch (rows) {
    case 3: return kernel(std::integral_constant<int, 3>());
    case 2: return kernel(std::integral_constant<int, 2>());
    default: return kernel(std::integral_constant<int, 1>());
  }
}

}  // namespace ccp
