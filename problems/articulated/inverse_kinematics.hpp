#pragma once

#include <optional>

#include "problems/articulated/tree.hpp"

namespace ccp {

/// A point of a link, and where it shall be.
struct LinkGoal {
  std::size_t link = 0;
  Vector3 point = Vector3::Zero();       ///< frame of the link, m
  Vector3 position = Vector3::Zero();    ///< of the point in the world, m
  std::optional<Matrix3> rotation = {};  ///< of the link there; any
  Index held = -1;                       ///< a dof that keeps its value, so that an arm of seven does not wander; none
};

/// The pose of a tree on the ground that puts the link there, near a pose: Δq = Jᵀ(J Jᵀ + λ² I)⁻¹ e, damped least squares
/// (Wampler 1986), λ = 0.01, until the point is off by less than 1e-12 m and 1e-12 rad. Joint bounds are not respected.
/// Throws std::logic_error where that takes more than 200 steps.
TreePose reaching_pose(const Tree& tree, TreePose pose, const LinkGoal& goal);

}  // namespace ccp
