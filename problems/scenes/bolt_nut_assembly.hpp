#pragma once

#include "problem/scene.hpp"
#include "problems/articulated/articulated_world.hpp"

namespace ccp {

/// A Franka Panda screws a nut M48 on a bolt (Lee 2025, sec. VII-A2). The nut is fixed to the flange.
class BoltNutAssembly final : public Scene {
 public:
  struct Parameters {
    double turns = 4.0;
    double engaged = -0.2;  ///< turns of thread at the start; below 0: the nut is above the bolt
    double turn_rate = 2.0;
    double press = 0.002;
    double offset = 0.002;
    double gain = 1.0;
    ImpedanceForm impedance = ImpedanceForm::inertia;
    double fit = 0.5;
    int contacts = 280;
    double friction = 0.2;
    double envelope = 0.0001;
    double gravity = 9.81;
    double time_step = 1.0 / 240.0;
  };

  BoltNutAssembly();
  const SceneInfo& info() const override;

 private:
  std::unique_ptr<Motion> do_motion(std::uint64_t seed) const override;

  Parameters parameters_;
};

}  // namespace ccp
