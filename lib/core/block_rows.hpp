#pragma once

#include <type_traits>

#include "core/constraints.hpp"
#include "core/types.hpp"

namespace ccp {

/// The part of γ or u that belongs to one block of 1 to 6 rows.
template <int Rows>
using BlockVector = Eigen::Matrix<double, Rows, 1>;

/// The same for a number of rows known at run time, and a square matrix of such a block; no allocation.
using BlockColumn = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, most_rows, 1>;
using BlockSquare = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, most_rows, most_rows>;

/// Zeros in which a block of so many rows has the leading corner: 3×3, or more where it has more rows.
inline BlockSquare zero_square(Index rows) { return BlockSquare::Zero(rows > 3 ? rows : 3, rows > 3 ? rows : 3); }

/// Calls kernel with the number of rows of a block as a compile-time constant (an std::integral_constant<int, …>), so that
/// what it does with the block is unrolled.
template <typename Kernel>
auto with_rows(Index rows, const Kernel& kernel) {
  switch (rows) {
    case 3: return kernel(std::integral_constant<int, 3>());
    case 2: return kernel(std::integral_constant<int, 2>());
    case 4: return kernel(std::integral_constant<int, 4>());
    case 5: return kernel(std::integral_constant<int, 5>());
    case 6: return kernel(std::integral_constant<int, 6>());
    default: return kernel(std::integral_constant<int, 1>());
  }
}

}  // namespace ccp
