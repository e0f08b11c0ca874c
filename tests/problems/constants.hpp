#pragma once

#include <numbers>

inline constexpr double g = 9.81;  ///< m/s²
inline constexpr double pi = std::numbers::pi;
