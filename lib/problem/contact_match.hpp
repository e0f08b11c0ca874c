#pragma once

#include <vector>

#include "problem/motion.hpp"

namespace ccp {

/// The impulses with which a step of a motion ended, and the multipliers of a method that keeps some, for the start of the
/// next one.
struct StepEnd {
  std::vector<ContactKey> keys;  ///< one a block
  /// One a block, N s: of a contact in world axes; of a row of a joint its γ, 0, 0. Where contacts have moments, these
  /// follow, again one a block, N m s.
  std::vector<Vector3> impulses;
  Vector impulse;                      ///< γ, m, as it was
  double carried = 0.0;                ///< Result::carried of the method; 0: nothing
  std::vector<Vector3> multipliers{};  ///< m/s, as the impulses; empty: none
  Vector multiplier{};                 ///< y, m, as it was; empty: none
};

/// impulse: γ of `problem`, m. multiplier: y of the method, m; empty: none.
StepEnd step_end(const MotionProblem& problem, const Vector& impulse, double carried, const Vector& multiplier = {});

/// The same end as a start of another method: without what only the method that made it can use.
StepEnd for_another_method(StepEnd end);

/// γ of a problem, m, from the step before: a contact with the key of an old one takes the old impulse as a vector of the
/// world, in its own frame; a row of a joint takes the old γ; a new block has 0. Projected on the cones.
Vector matched_impulse(const MotionProblem& problem, const StepEnd& last);

/// The old γ where the problem has the same keys and rows, else 0, m.
Vector same_impulse(const MotionProblem& problem, const StepEnd& last);

/// The same of the multipliers, not projected: y of a problem, m, m/s. Empty where the step before has none.
Vector matched_multiplier(const MotionProblem& problem, const StepEnd& last);
Vector same_multiplier(const MotionProblem& problem, const StepEnd& last);

}  // namespace ccp
