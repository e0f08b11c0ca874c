#pragma once

#include "core/types.hpp"
#include "problems/dynamics/elementary.hpp"

/// The bolt M48 × 5 and its nut of Lee et al. 2025, sec. VII-A. Sizes in m.
namespace ccp::m48 {

constexpr double half_height = 0.019;  ///< of the nut, ISO 4032
constexpr double half_bolt = 0.040;
constexpr int nut_azimuths = 96, flank_rows = 2;  ///< of the mesh of the nut
constexpr double across_flats = 0.075;
constexpr double nut_mass = 0.983;  ///< kg: hexagon 75 mm, bore 44.8 mm, steel
/// Of the nut, axis along z, kg m²: the ring of equal area.
inline const Vector3 nut_moments(6.23e-4, 6.23e-4, 10.09e-4);

/// About z, rad.
inline Matrix3 turn_about_axis(double angle) {
  const double c = taylor_cos(angle), s = taylor_sin(angle);
  Matrix3 turn;
  turn << c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0;
  return turn;
}

}  // namespace ccp::m48
