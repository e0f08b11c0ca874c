#pragma once

#include <optional>
#include <string>

#include "problem/scene.hpp"
#include "problems/articulated/articulated_world.hpp"

namespace ccp {

/// A robot, of the suite or from a URDF file, whose joints are held by impedance and sway, over a floor, and balls that fall
/// on it.
class DrivenRobot final : public Scene {
 public:
  enum class Base { fixed, free };

  struct Parameters {
    std::string robot = "allegro";
    Base base = Base::fixed;
    double height = 0.1;
    double sway = 0.3;
    double period = 2.0;
    double frequency = 8.0;
    ImpedanceForm impedance = ImpedanceForm::inertia;
    int balls = 12;
    double radius = 0.02;
    double ball_mass = 0.03;
    double friction = 0.5;
    double limit_margin = 0.1;
    double envelope = 0.005;
    double gravity = 9.81;
    double time_step = 1.0 / 240.0;
  };

  DrivenRobot();
  const SceneInfo& info() const override;
  /// Reads the URDF file.
  std::optional<std::string> check() const override;

 private:
  std::unique_ptr<Motion> do_motion(std::uint64_t seed) const override;

  Parameters parameters_;
};

}  // namespace ccp
