#pragma once

#include <memory>
#include <optional>
#include <string>

#include "problem/scene.hpp"

namespace ccp {

/// "Cohesion" of Mazhar et al. 2015: a ball of spheres that stick together, thrown against an inclined plane.
class CohesiveBall final : public Scene {
 public:
  struct Parameters {
    int spheres = 1000;
    double radius = 0.05;         ///< m
    double density = 1000.0;      ///< kg/m³
    double cohesion = 1000.0;     ///< c, N
    double range = 0.01;          ///< of the cohesion, over the radius
    double speed = 10.0;          ///< along x, m/s
    double slope = 45.0;          ///< of the plane, degrees
    double clearance = 0.02;      ///< m
    double friction = 1.0;        ///< among spheres
    double plane_friction = 0.1;  ///< of spheres on the plane
    double envelope = 0.012;      ///< m
    double gravity = 9.81;        ///< m/s²
    double time_step = 1e-3;      ///< s
  };

  CohesiveBall();
  const SceneInfo& info() const override;
  /// A range beyond the envelope, spheres that would tunnel.
  std::optional<std::string> check() const override;

 private:
  std::unique_ptr<Motion> do_motion(std::uint64_t seed) const override;

  Parameters parameters_;
};

}  // namespace ccp
