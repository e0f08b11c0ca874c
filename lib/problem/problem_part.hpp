#pragma once

#include <vector>

#include "problem/contact_problem.hpp"

namespace ccp {

/// Some bodies of a problem and some of its constraint blocks: the other bodies stand still (v = 0), the other blocks are
/// gone.
struct ProblemPart {
  ContactProblem problem;
  std::vector<Index> blocks;  ///< of the whole problem, ascending: those of the part

  /// The rows of these blocks out of a vector of the whole problem (m) into `own`, resized; and back into `whole`.
  void gather(const ConstraintSet& constraints, const Vector& whole, Vector& own) const;
  void scatter(const ConstraintSet& constraints, const Vector& own, Vector& whole) const;
};

/// The part of a problem that was given in global form with a block-diagonal H and no compliance. bodies: a flag for each of
/// mass().blocks(); blocks: for each constraint block; k: n, kg·m/s, and b: m, m/s, in the place of those of the problem.
/// Throws std::logic_error where there is compliance or no bodies.
ProblemPart part_of(const ContactProblem& problem, const std::vector<char>& bodies, const std::vector<char>& blocks,
                    const Vector& k, const Vector& b);

}  // namespace ccp
