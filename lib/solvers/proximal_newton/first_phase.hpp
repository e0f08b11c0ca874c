#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "solvers/newton/sweep_phase.hpp"
#include "solvers/shared/best_iterate.hpp"

namespace ccp {

/// What a factorisation costs beside sweeps of Gauss–Seidel. A sweep over one contact takes as long as 3000 operations of an
/// LU by blocks, or as 900 where all contacts are in the plane.
class SweepCost {
 public:
  SweepCost(std::int64_t factorization_flops, const ConstraintSet& constraints);

  /// Whether a factorisation is expensive enough for sweeps to come first.
  bool sweeps_come_first() const;
  /// Whether a factorisation takes longer than a sweep or two.
  bool sweeps_are_cheap() const;
  /// Whether five sweeps take longer than a factorisation.
  bool sweeps_are_dear() const;
  /// Sweeps that take as long as so many factorisations, at least 100 (H.7).
  int sweeps_for(int factorizations) const;
  /// Whether one factorisation before the sweeps, which may be all that is needed, costs little beside them.
  bool factorization_is_cheap() const;

 private:
  std::int64_t flops_;
  double sweeps_;  ///< of one factorisation
};

/// Sweeps from the best iterate of a run, which they improve. Nonlinear sweeps come first. Where they make no progress,
/// lagged sweeps take their place; where these make none either, nonlinear sweeps do, for the rest of the run.
class SweepLadder {
 public:
  using Residual = std::function<double(const Vector&)>;

  /// lagged: whether lagged sweeps are allowed; N must be symmetric then. residual(γ): that of the method, m/s.
  SweepLadder(const ContactProblem& problem, Model model, bool lagged, Residual residual, Monitor& monitor);

  /// A run begins: with nonlinear sweeps.
  void restart();
  /// At most `most` sweeps of one kind, until the residual is below `target`; lagged ones have no target. False when the
  /// monitor ended the run. native: the values of the method's columns.
  bool run(BestIterate& best, const Vector& shift, double target, int most, const std::vector<double>& native,
           Monitor& monitor);
  /// Whether the last ones made no progress, so that the next ones are of another kind.
  bool stuck() const { return stuck_; }
  /// Whether no kind that makes progress is left.
  bool spent() const { return rung_ == Rung::nonlinear_for_good; }

 private:
  enum class Rung { nonlinear, lagged, nonlinear_for_good };

  ContactProblem problem_;
  bool lagged_allowed_;
  Residual residual_;
  SweepRunner nonlinear_;
  std::unique_ptr<LaggedSweepRunner> lagged_;  ///< made when first used
  Rung rung_ = Rung::nonlinear;
  bool stuck_ = false;
};

}  // namespace ccp
