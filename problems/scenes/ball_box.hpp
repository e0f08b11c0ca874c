#pragma once

#include <memory>
#include <optional>
#include <string>

#include "problem/scene.hpp"

namespace ccp {

/// "Balls in the Box" of Mangoni's thesis, sec. 5.3.1: spheres that fall into an upright cylinder with a floor. They start
/// on a cubic grid, filled layer by layer inside a column as high as wide, each moved a little at random.
class BallBox final : public Scene {
 public:
  struct Parameters {
    int spheres = 280;
    double radius = 0.035;    ///< m
    double diameter = 1.0;    ///< of the cylinder, m
    double density = 1000.0;  ///< kg/m³
    double spacing = 2.2;     ///< of the grid, over the radius
    double jitter = 0.05;     ///< largest random shift of a centre, over the radius
    double friction = 0.0;
    double envelope = 0.06;   ///< m
    double gravity = 9.81;    ///< m/s²
    double time_step = 0.02;  ///< s
  };

  BallBox();
  const SceneInfo& info() const override;
  /// Spheres that overlap at the start, and more than the cylinder takes.
  std::optional<std::string> check() const override;

 private:
  std::unique_ptr<Motion> do_motion(std::uint64_t seed) const override;

  Parameters parameters_;
};

}  // namespace ccp
