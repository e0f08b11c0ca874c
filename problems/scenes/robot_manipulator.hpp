#pragma once

#include <memory>
#include <optional>
#include <string>

#include "problem/scene.hpp"

namespace ccp {

/// TEST 3 of Tasora 2021, sec. 8.3: a six-axis arm pushes boxes. Its end effector has a prescribed pose, and the joints
/// alone decide how the heavy links follow; a gravity compensator between links 1 and 2 makes the loop redundant. The arm is
/// 8 bodies on 50 rows of rank 48.
class RobotManipulator final : public Scene {
 public:
  /// Bodies on joints behind the tool, or the tool alone as an obstacle that moves: what is left when the joints are
  /// eliminated exactly.
  enum class Arm { jointed, prescribed };

  struct Parameters {
    int boxes = 15;
    Arm arm = Arm::jointed;
    double tool_mass = 2.5;     ///< of link 6, kg
    double wrist_angle = 0.01;  ///< least q₅ on the way, rad
    double distance = 1.5;      ///< from the base to the first row of boxes, m
    double push = 0.25;         ///< how far the tip goes beyond that, m
    double swing = 1.2;         ///< q₄ in the end, rad
    double box_mass = 20.0;     ///< kg
    double row_gap = 0.01;      ///< between boxes one behind the other, m
    double column_gap = 0.05;   ///< between boxes side by side, m
    double friction = 0.4;
    double envelope = 0.02;   ///< m
    double gravity = 9.81;    ///< m/s²
    double time_step = 0.01;  ///< s
  };

  RobotManipulator();
  const SceneInfo& info() const override;
  /// A path that the arm does not reach, or that comes too near to the singular wrist.
  std::optional<std::string> check() const override;

 private:
  std::unique_ptr<Motion> do_motion(std::uint64_t seed) const override;

  Parameters parameters_;
};

}  // namespace ccp
