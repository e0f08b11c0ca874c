#pragma once

#include <memory>
#include <optional>
#include <string>

#include "problem/scene.hpp"

namespace ccp {

/// TEST 2 of Tasora et al. 2021: parallel walls of dry bricks, and a heavy ball that is held in front of them, let go and
/// runs into them.
class WreckingBall final : public Scene {
 public:
  struct Parameters {
    int walls = 4;
    int rows = 10;                 ///< of bricks in a wall
    int columns = 15;              ///< bricks in a row
    double bond = 1.5;             ///< by which every other row is shifted, m
    double length = 3.96;          ///< of a brick, along the wall, m
    double width = 4.0;            ///< of a brick, through the wall, m
    double height = 2.0;           ///< of a brick, m
    double pitch = 4.0;            ///< from brick to brick in a row, m
    double spacing = 9.0;          ///< from the middle of a wall to that of the next one, m
    double brick_density = 100.0;  ///< kg/m³
    double ball_radius = 4.0;      ///< m
    double ball_density = 8000.0;  ///< kg/m³
    double ball_height = 10.0;     ///< of its centre, m
    double ball_gap = 0.4;         ///< to the first wall, m
    double ball_speed = 16.0;      ///< when it is let go, m/s
    double hold = 1.0;             ///< s
    double friction = 0.4;
    double compliance = 0.0;  ///< of a contact, m/N
    double envelope = 0.35;   ///< m
    double gravity = 9.8;     ///< m/s²
    double time_step = 0.02;  ///< s
  };

  WreckingBall();
  const SceneInfo& info() const override;
  /// Bricks or walls or a ball that overlap, bonds with bricks that nothing carries, a ball that would tunnel.
  std::optional<std::string> check() const override;

 private:
  std::unique_ptr<Motion> do_motion(std::uint64_t seed) const override;

  Parameters parameters_;
};

}  // namespace ccp
