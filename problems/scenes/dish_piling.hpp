#pragma once

#include "problem/scene.hpp"
#include "problems/articulated/articulated_world.hpp"

namespace ccp {

/// A Franka Panda with an Allegro hand that grasps dishes and piles them (Lee 2025, sec. VII-B2).
class DishPiling final : public Scene {
 public:
  struct Parameters {
    int dishes = 3;
    double friction = 0.4;
    double gain = 10.0;
    double finger_stiffness = 200.0;
    double damping_time = 0.02;
    ImpedanceForm impedance = ImpedanceForm::inertia;
    double grip = 0.001;
    double pot_grip = 0.004;
    double drop = 0.002;
    int patches = 60;
    double envelope = 0.001;
    double gravity = 9.81;
    double time_step = 1.0 / 240.0;
  };

  DishPiling();
  const SceneInfo& info() const override;

 private:
  std::unique_ptr<Motion> do_motion(std::uint64_t seed) const override;

  Parameters parameters_;
};

}  // namespace ccp
