#pragma once

#include <memory>
#include <optional>
#include <string>

#include "problem/scene.hpp"

namespace ccp {

/// The stacked spheres of Mangoni's thesis, sec. 5.3.3: a column at rest on a fixed floor, every centre kept on a vertical
/// axis by a bilateral guide of two rows. All masses equal, or each sphere `growth` times as heavy as the one below it;
/// constant density, so the radius follows from the mass. All contacts touch (Φ = 0), and each carries the weight above it;
/// with `drop` they start apart.
///
/// Rows of build(), sphere by sphere from the floor: the contact below it, then the guide along x and the guide along y;
/// a motion has all contacts first. Without friction a contact is one unilateral row, as in the thesis.
class GuidedStack final : public Scene {
 public:
  struct Parameters {
    int spheres = 10;
    double mass = 100.0;      ///< of the lowest sphere, kg
    double growth = 1.0;      ///< mass of a sphere over that of the one below it
    double density = 1000.0;  ///< kg/m³
    double friction = 0.0;
    double drop = 0.0;        ///< gap under each sphere at the start, over its radius
    double gravity = 9.81;    ///< m/s²
    double time_step = 0.05;  ///< s
  };

  GuidedStack();
  const SceneInfo& info() const override;
  /// Masses that leave the range of numbers.
  std::optional<std::string> check() const override;

 private:
  ContactProblem do_build(std::uint64_t seed) const override;
  SceneGeometry do_geometry(std::uint64_t seed) const override;
  std::unique_ptr<Motion> do_motion(std::uint64_t seed) const override;

  Parameters parameters_;
};

}  // namespace ccp
