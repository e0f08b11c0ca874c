#pragma once

#include <string>
#include <vector>

#include "problems/dynamics/world.hpp"

namespace ccp {

/// First dof of each body, −1 where it has not entered.
struct DofMap {
  std::vector<Index> start;
  Index size = 0;

  bool has(int body) const { return start[static_cast<std::size_t>(body)] >= 0; }
};

DofMap dof_map(const WorldParts& parts, const std::vector<bool>& present);

/// The inputs of a problem: a world and the configuration at the time of the geometry.
struct StepView {
  const WorldSettings& settings;
  const WorldParts& parts;
  const Stepper& stepper;
  const Configuration& at;
  double start_time;       ///< of the step, s
  const Vector& velocity;  ///< v⁽ˡ⁾, n
};

/// The block of a contact.
ConstraintKind block_kind(const WorldContact& contact);

/// The contacts of a configuration, without those between two that a joint holds in a step that begins at `time` (s). Throws
/// InputError for contacts that are out of order, between two obstacles or with a body that is not there.
std::vector<WorldContact> free_contacts(const WorldParts& parts, const Configuration& at, double time);

/// The problem of a step (see problems/docs/dynamics.md). Throws as free_contacts().
MotionProblem assemble(const StepView& view, const DofMap& dofs);

/// Whether a joint takes part in a step that begins at `time` (s): it lasts, and its bodies have entered.
bool takes_part(const Joint& joint, double time, const WorldParts& parts, const std::vector<bool>& present);

/// Placement of a side of a joint.
Placement side_of(const Configuration& at, int side);

}  // namespace ccp
