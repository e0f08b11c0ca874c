#pragma once

#include <memory>
#include <optional>
#include <string>

#include "problem/scene.hpp"

namespace ccp {

/// A pile that comes to rest: spheres of different sizes start as a loose column above a rough plane, fall, and spread
/// until friction and rolling friction hold them. In the plane of x and z, or in space. The angle of repose grows with μ_r.
class Pile final : public Scene {
 public:
  enum class Layout { plane, space };
  struct Parameters {
    int spheres = 80;
    Layout layout = Layout::plane;
    int across = 8;                   ///< spheres along a side of the column
    double radius = 0.05;             ///< mean, m
    double spread = 0.2;              ///< of the radii, over the mean
    double density = 2500.0;          ///< kg/m³
    double friction = 0.5;            ///< μ
    double rolling_friction = 0.005;  ///< μ_r, m
    double envelope = 0.01;           ///< m
    double gravity = 9.81;            ///< m/s²
    double time_step = 0.005;         ///< s
  };

  Pile();
  const SceneInfo& info() const override;
  std::optional<std::string> check() const override;

 private:
  std::unique_ptr<Motion> do_motion(std::uint64_t seed) const override;

  Parameters parameters_;
};

}  // namespace ccp
