#pragma once

#include <array>
#include <cstddef>

#include "problems/geometry/shape.hpp"

namespace ccp {

/// A plane of an obstacle. The gap of a point x is distance − into·(x − position of the obstacle).
struct Facet {
  Vector3 into;           ///< unit normal, into the obstacle, in the world frame
  double distance = 0.0;  ///< of the plane from the obstacle's position, m
  int feature = 0;        ///< for ContactId
};

/// Calls visit(facet) for the planes of a half-space or a drum.
template <typename Visit>
void for_each_facet(const HalfSpace&, const Matrix3& rotation, const Visit& visit) {
  visit(Facet{-rotation.col(2), 0.0, 0});
}

/// Facet k has its middle in the direction kπ/16 from the drum's x axis to its y axis. The numbers are written out: sine and
/// cosine of the mathematics library differ in the last bit from machine to machine.
template <typename Visit>
void for_each_facet(const Drum& drum, const Matrix3& rotation, const Visit& visit) {
  constexpr std::array<double, 9> cosine{1.0,  // of kπ/16
                                         0.98078528040323044913,
                                         0.92387953251128675613,
                                         0.83146961230254523708,
                                         0.70710678118654752440,
                                         0.55557023301960222474,
                                         0.38268343236508977173,
                                         0.19509032201612826785,
                                         0.0};
  constexpr double apothem = 0.99518472667219688624;  // cos(π/32)
  for (int k = 0; k < Drum::facets; ++k) {
    const auto turned = static_cast<std::size_t>(k % 8);
    double x = cosine[turned], y = cosine[8 - turned];
    for (int quarter = 0; quarter < k / 8; ++quarter) {
      const double before = x;
      x = -y;
      y = before;
    }
    visit(Facet{x * rotation.col(0) + y * rotation.col(1), apothem * drum.radius, k + 1});
  }
}

}  // namespace ccp
