#pragma once

#include <vector>

#include "problems/articulated/articulated_world.hpp"

namespace ccp {

/// The inputs of the problem of a step: robots at its start.
struct ArticulatedView {
  const ArticulatedWorldSettings& settings;
  const std::vector<Robot>& robots;
  const std::vector<PlacedTree>& placed;  ///< of each robot
  const std::vector<ShapeOwner>& owners;  ///< of each shape; larger numbers in contacts are obstacles
};

/// The step of a robot of n dofs alone, without contact.
struct FreeStep {
  DenseMatrix H;    ///< M + h B + h² K, n×n, exactly symmetric
  Vector k;         ///< M v − h bias + h (torques of the controller), n
  Vector velocity;  ///< H⁻¹ k, n
  /// With ImpedanceForm::rows what is missing in H and k: a row of each dof has γ = impulse − resistance v⁺. Else empty.
  Vector impulse, resistance;
};
/// time: at the start of the step, s.
FreeStep free_step(const ArticulatedWorldSettings& settings, const Robot& robot, const PlacedTree& placed, double time);

/// The problem of a step with those of the contacts that are within reach, see ArticulatedWorld. free: of each robot.
MotionProblem articulated_step(const ArticulatedView& view, const std::vector<FreeStep>& free, const Contacts& contacts);

}  // namespace ccp
