#pragma once

#include <utility>
#include <vector>

#include "problems/articulated/articulated_world.hpp"

namespace ccp {

/// What makes a task of the first robot of a world fail, besides what its scene asks for.
struct TaskLimits {
  double path_error;  ///< of a joint, rad
  double overlap;     ///< m
  double jitter;      ///< rad/s
};

/// What a task remembers of its steps, in the memory of the world from `first` on: the most that a guided joint has been off
/// its path (rad), the deepest overlap (m), and the sum over the steps of the mean change of a joint's rate besides that of
/// its path (rad/s).
struct TaskMemory {
  static constexpr Index size = 3;

  std::vector<std::size_t> guided;  ///< links whose joints must stay on the path
  TaskLimits limits;
  Index first = 0;

  /// To be called at the end of each step, see ArticulatedWorldSettings::remember.
  void remember(const ArticulatedWorld& world, const Vector& change, Vector& memory) const;
  /// `done` (the goal is reached and nothing has failed), the measures, path_error, overlap, jitter (the mean over the
  /// steps); the failures, off_path, pressed_in, shakes.
  std::vector<MotionFact> facts(const ArticulatedWorld& world, bool reached, const std::vector<MotionFact>& measures,
                                const std::vector<std::pair<const char*, bool>>& failures) const;
};

/// The joints of a tree, rad or m, a number for each link.
inline Vector joint_angles(const TreePose& pose) {
  return Eigen::Map<const Vector>(pose.joints.data(), static_cast<Index>(pose.joints.size()));
}

}  // namespace ccp
