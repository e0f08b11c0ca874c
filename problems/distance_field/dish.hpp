#pragma once

#include <array>

#include "core/types.hpp"
#include "problems/distance_field/signed_distance.hpp"
#include "problems/distance_field/triangle_mesh.hpp"

namespace ccp {

/// A dish: the midline O–A–B in the half-plane (r, z), O the origin, A on the r axis, padded by `thickness` to all sides and
/// turned about z (Lee et al., App. B, eq. 45). m.
struct DishProfile {
  Vector2 foot = {0.035, 0.0};   ///< A
  Vector2 rim = {0.075, 0.045};  ///< B
  double thickness = 0.003;      ///< d: half of the wall

  static DishProfile bowl() { return {{0.035, 0.0}, {0.075, 0.045}, 0.003}; }
  static DishProfile plate() { return {{0.075, 0.0}, {0.115, 0.015}, 0.003}; }
  static DishProfile pot() { return {{0.065, 0.0}, {0.075, 0.110}, 0.004}; }

  std::array<Vector2, 3> midline() const { return {Vector2::Zero(), foot, rim}; }
};

/// φ = min(‖q − OA‖, ‖q − AB‖) − d at q = (√(x² + y²), z). Exact outside, a bound inside near A (eq. 45).
class DishDistance final : public SignedDistance {
 public:
  explicit DishDistance(const DishProfile& profile) : profile_(profile) {}
  double distance(const Vector3& p) const override;
  Vector3 gradient(const Vector3& p) const override;
  double lipschitz() const override { return 1.0; }
  /// Those of OA and of AB.
  int parts() const override { return 2; }
  double part_distance(int part, const Vector3& p) const override;
  Vector3 part_gradient(int part, const Vector3& p) const override;

 private:
  DishProfile profile_;
};

/// The height of an upper dish over a lower one, both upright on one axis, m: the lowest at which their surfaces have the
/// distance −overlap, found by bisection from above. Not below it by rounding.
double stacking_height(const DishProfile& lower, const DishProfile& upper, double overlap);

/// Mass properties of the surface of revolution of O–A–B with equal mass per area: height of the centre of mass over O, m,
/// and the principal moments about it over the mass, m².
struct ShellInertia {
  double centre = 0.0;
  double across = 0.0;  ///< about x and y
  double axial = 0.0;   ///< about z
};
ShellInertia shell_inertia(const DishProfile& profile);

/// The surface: from the axis below along OA, an arc about A, along AB, an arc about B, back to the sharp inner corner and
/// the axis, 6 + 2 + 6 + 6 + 6 + 6 segments, each at `azimuths` angles.
TriangleMesh dish_mesh(const DishProfile& profile, int azimuths);

}  // namespace ccp
