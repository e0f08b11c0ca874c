#pragma once

#include <memory>
#include <optional>
#include <string>

#include "problem/scene.hpp"

namespace ccp {

/// Quadrupeds of Lee et al. 2025, sec. VII-D2: Laikagos of 18 dofs that are dropped, each a tree and a subsystem.
///
/// On the `floor`, as in the paper, they lie side by side, and no contact couples two. In a `heap`, ours, they start in
/// layers one above the other and come down on each other. Yaw and joint angles are random; a robot that would touch itself
/// or one before it is drawn again.
class Quadrupeds final : public Scene {
 public:
  enum class Arrangement { floor, heap };

  struct Parameters {
    int count = 8;
    Arrangement arrangement = Arrangement::floor;
    double drop = 0.0;  ///< m
    double friction = 0.6;
    double joint_damping = 0.1;  ///< N·m·s/rad
    double limit_margin = 0.1;   ///< rad
    double envelope = 0.005;     ///< m
    double gravity = 9.81;       ///< m/s²
    double time_step = 1.0 / 240.0;  ///< s
  };

  Quadrupeds();
  const SceneInfo& info() const override;

 private:
  std::unique_ptr<Motion> do_motion(std::uint64_t seed) const override;

  Parameters parameters_;
};

}  // namespace ccp
