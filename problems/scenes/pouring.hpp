#pragma once

#include <optional>
#include <string>

#include "problem/scene.hpp"
#include "problems/articulated/articulated_world.hpp"

namespace ccp {

/// A robot of two arms that lifts a bottle from a table and pours its balls into another one (Lee 2025, sec. VII-C).
class Pouring final : public Scene {
 public:
  struct Parameters {
    int balls = 45;
    double ball_radius = 0.005;
    double friction = 0.4;
    double stiffness = 1000.0;
    double finger_stiffness = 20.0;
    double damping_time = 0.02;
    ImpedanceForm impedance = ImpedanceForm::inertia;
    double squeeze = 0.1;
    double mouth = 0.08;
    double envelope = 0.001;
    double gravity = 9.81;
    double time_step = 1.0 / 240.0;
  };

  Pouring();
  const SceneInfo& info() const override;
  std::optional<std::string> check() const override;

 private:
  std::unique_ptr<Motion> do_motion(std::uint64_t seed) const override;

  Parameters parameters_;
};

}  // namespace ccp
