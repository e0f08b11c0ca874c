#pragma once

#include <optional>
#include <string>

#include "problem/scene.hpp"

namespace ccp {

/// TEST 1 of Tasora et al. 2021, sec. 8.1: a column of equal spheres at rest, one of them far heavier than the others, and
/// one more sphere alone on the floor. One step from rest, all contacts touching (Φ = 0, or `gap`). TEST 1.A has lift_factor
/// 0: each contact carries the weight above it. TEST 1.B has lift_factor 2: the contact under the heavy sphere opens.
///
/// Global form, 6 dofs a body (velocity of the centre, then angular velocity, both in the world frame), bodies from the
/// floor upwards, then the lone one; contacts likewise, the lower one of each body in the order of the bodies. The normal is
/// e_z, from the lower body to the upper; the tangents are e_x and e_y.
class OddMassStack final : public Scene {
 public:
  struct Parameters {
    int spheres = 20;
    double mass = 10.0;           ///< kg
    int heavy_index = 10;         ///< counted from the floor, from 1; 0: none
    double heavy_mass = 10000.0;  ///< kg
    double lone_mass = 1000.0;    ///< kg; 0: no such sphere
    double lift_factor = 0.0;     ///< upward force on the heavy sphere over its weight
    double gravity = 9.8;         ///< m/s²
    double radius = 0.5;          ///< m
    double friction = 0.4;
    double time_step = 0.01;  ///< s
    double gap = 0.0;         ///< m, at every contact: b = gap/h
  };

  OddMassStack();
  const SceneInfo& info() const override;
  /// heavy_index beyond the column, or a lift without a heavy sphere.
  std::optional<std::string> check() const override;

 private:
  ContactProblem do_build(std::uint64_t seed) const override;
  SceneGeometry do_geometry(std::uint64_t seed) const override;

  Parameters parameters_;
};

}  // namespace ccp
