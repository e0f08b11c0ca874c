#pragma once

#include <functional>
#include <vector>

#include "problem/problem_part.hpp"
#include "solvers/shared/best_iterate.hpp"
#include "solvers/solver.hpp"

namespace ccp {

/// A packing at rest but for few bodies, as a phase of another method (H.14). Bodies are split into those that move, A (none
/// at first), and all others, R. In turn
///     R: the convex problem of the contacts that touch no body of A, the impulses of the others given. If R rests, u = û
///        there, and its solution is exact;
///     join: the bodies of R that move enter A, unless R rests;
///     A: the ncp of the contacts that touch A, with R at v = 0.
/// Ours.
class Decomposition {
 public:
  using Residual = std::function<double(const Vector&)>;

  /// Whether there are bodies to split: ncp, a symmetric, block-diagonal H, no compliance, contacts without rolling
  /// friction, and ten bodies.
  static bool applies(const ContactProblem& problem, Model model);

  /// residual(γ): that of the method, m/s. The problem must be one that it applies to.
  Decomposition(const ContactProblem& problem, Residual residual);

  /// Rounds from the convex solution on, until the best iterate no longer gets better or too many bodies move. False when
  /// the monitor ended the run. native: the values of the method's columns.
  bool run(BestIterate& best, const Vector& shift, const std::vector<double>& native, Monitor& monitor);
  /// Bodies in A.
  Index moving() const;

 private:
  bool too_many(Index bodies) const;
  bool touches_moving(Index block) const;
  ProblemPart resting_part(const Vector& shift) const;
  ProblemPart moving_part(const Vector& shift) const;
  bool solve_resting(double accuracy, BestIterate& best, const Vector& shift, const std::vector<double>& native,
                     Monitor& monitor);
  void solve_moving(double target, const Vector& shift, Monitor& monitor);
  double find_speeds();
  void join(double speed);

  ContactProblem problem_;
  Residual residual_;
  std::vector<std::vector<int>> bodies_;  ///< of each contact
  std::vector<char> moving_;              ///< of each body: whether it is in A
  Vector impulse_, speed_;                ///< γ; the largest velocity of each body at its contacts, m/s
  bool warm_ = false;                     ///< R has been solved before
};

}  // namespace ccp
