#pragma once

#include <vector>

#include "problem/motion.hpp"

namespace ccp {

/// The impulses with which a step of a motion ended, for the start of the next one.
struct StepEnd {
  std::vector<ContactKey> keys;   ///< one a block
  std::vector<Vector3> impulses;  ///< one a block, N s: of a contact in world axes; of a row of a joint its γ, 0, 0
  Vector impulse;                 ///< γ, m, as it was
  double carried = 0.0;           ///< Result::carried of the method; 0: nothing
};

/// impulse: γ of `problem`, m.
StepEnd step_end(const MotionProblem& problem, const Vector& impulse, double carried);

/// γ of a problem, m, from the step before: a contact with the key of an old one takes the old impulse as a vector of the
/// world, in its own frame; a row of a joint takes the old γ; a new block has 0. Projected on the cones.
Vector matched_impulse(const MotionProblem& problem, const StepEnd& last);

/// The old γ where the problem has the same keys and rows, else 0, m.
Vector same_impulse(const MotionProblem& problem, const StepEnd& last);

}  // namespace ccp
