#pragma once

#include <numbers>

inline constexpr double g = 9.81;  ///< m/s²
inline constexpr double mm = 1e-3;  ///< m
inline constexpr double pi = std::numbers::pi;
