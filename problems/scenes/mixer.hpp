#pragma once

#include <memory>
#include <optional>
#include <string>

#include "problem/scene.hpp"

namespace ccp {

/// "Mixer" of Mazhar et al. 2015, Fig. 6: cohesive spheres, ellipsoids and boxes in a cylinder, stirred by a turning blade.
class Mixer final : public Scene {
 public:
  struct Parameters {
    int bodies = 2000;              ///< a third each: spheres, ellipsoids, boxes
    double diameter = 1.2;          ///< of the cylinder, m
    double sphere_radius = 0.05;    ///< m
    double ellipsoid_flat = 0.035;  ///< m, the half axis along y; the others are `sphere_radius`
    double box_edge = 0.08;         ///< m
    double density = 1000.0;        ///< kg/m³
    double friction = 0.5;
    double cohesion = 200.0;                 ///< c, N
    double range = 5e-4;                     ///< m
    double blade_length = 0.9;               ///< m
    double blade_thickness = 0.05;           ///< m
    double blade_height = 0.15;              ///< m
    double blade_place = 0.1;                ///< height of its middle, m
    double blade_speed = 3.141592653589793;  ///< rad/s
    double envelope = 0.02;                  ///< m
    double gravity = 9.81;                   ///< m/s²
    double time_step = 2e-3;                 ///< s
  };

  Mixer();
  const SceneInfo& info() const override;
  /// A blade that would wedge bodies against the wall, or that is in the floor.
  std::optional<std::string> check() const override;

 private:
  std::unique_ptr<Motion> do_motion(std::uint64_t seed) const override;

  Parameters parameters_;
};

}  // namespace ccp
