#pragma once

#include <memory>
#include <optional>
#include <string>

#include "problem/scene.hpp"

namespace ccp {

/// A body that rolls on a plane, or spins on it, and is stopped by rolling and spinning friction. One contact, below the
/// centre, at every distance. Each step has an exact solution: while it rolls, the spin falls by (h g μ_r cos α − h g R sin
/// α) m/(J + m R²) a step, and to zero in the last one.
class RollingBody final : public Scene {
 public:
  enum class Form { sphere, cylinder, disc };
  struct Parameters {
    Form form = Form::sphere;
    bool planar = false;             ///< the contact is in the plane of x and z
    double radius = 0.5;             ///< m
    double mass = 2.0;               ///< kg
    double slope = 0.0;              ///< α of the plane, °
    double speed = 2.0;              ///< along x, downhill, rolling, m/s
    double spin = 0.0;               ///< about the normal, rad/s
    double friction = 0.5;           ///< μ
    double rolling_friction = 0.02;  ///< μ_r, m
    double spinning_friction = 0.0;  ///< μ_s, m
    double gravity = 9.81;           ///< m/s²
    double time_step = 0.01;         ///< s
  };

  RollingBody();
  const SceneInfo& info() const override;
  std::optional<std::string> check() const override;

 private:
  std::unique_ptr<Motion> do_motion(std::uint64_t seed) const override;

  Parameters parameters_;
};

}  // namespace ccp
