#include "solvers/proximal_newton/first_phase.hpp"

#include <algorithm>
#include <utility>

namespace ccp {
namespace {

constexpr std::int64_t expensive_flops = 30'000'000;
constexpr double flops_of_a_sweep = 3000.0, flops_of_a_planar_sweep = 900.0;  ///< over one constraint
constexpr double cheap_sweeps = 200.0, dear_sweeps = 5.0, few_sweeps = 1.5;
constexpr double least_progress = 0.8;  ///< of the residual, while sweeps double
constexpr int sweeps_per_shift = 50;    ///< lagged sweeps with the same s

}  // namespace

SweepCost::SweepCost(std::int64_t factorization_flops, const ConstraintSet& constraints) : flops_(factorization_flops) {
  const Index count = constraints.count();
  const bool planar = constraints.count(ConstraintKind::contact2d) == count;
  sweeps_ = static_cast<double>(flops_) /
            ((planar ? flops_of_a_planar_sweep : flops_of_a_sweep) * static_cast<double>(std::max<Index>(count, 1)));
}

bool SweepCost::sweeps_come_first() const { return flops_ > expensive_flops; }
bool SweepCost::sweeps_are_cheap() const { return sweeps_ > few_sweeps; }
bool SweepCost::sweeps_are_dear() const { return sweeps_ < dear_sweeps; }
int SweepCost::sweeps_for(int factorizations) const { return std::max(100, static_cast<int>(factorizations * sweeps_)); }
bool SweepCost::factorization_is_cheap() const { return sweeps_ <= cheap_sweeps; }

SweepLadder::SweepLadder(const ContactProblem& problem, Model model, bool lagged, Residual residual, Monitor& monitor)
    : problem_(problem), lagged_allowed_(lagged), residual_(std::move(residual)), nonlinear_(problem, model, monitor) {}

void SweepLadder::restart() {
  rung_ = lagged_allowed_ ? Rung::nonlinear : Rung::nonlinear_for_good;
  stuck_ = false;
  lagged_.reset();
}

bool SweepLadder::run(BestIterate& best, const Vector& shift, double target, int most, const std::vector<double>& native,
                      Monitor& monitor) {
  SweepRunner::Result swept;
  const double before = best.residual();
  const auto sweep = [&](auto& runner, const SweepRunner::Limits& limits) {
    swept = runner.run(best.impulse(), shift, limits, residual_, native, monitor);
    if (swept.residual <= best.residual() || swept.solved) best.keep(swept.residual, swept.impulse);
    stuck_ = swept.stagnated || best.residual() > least_progress * before;
  };
  switch (rung_) {
    case Rung::nonlinear:
      sweep(nonlinear_, {target, most, least_progress});
      if (stuck_) rung_ = Rung::lagged;
      break;
    case Rung::lagged:
      if (!lagged_) lagged_ = std::make_unique<LaggedSweepRunner>(problem_, sweeps_per_shift, monitor);
      sweep(*lagged_, {0.0, most, least_progress});
      monitor.note([] { return "nonlinear sweeps did not progress: lagged ones came next"; });
      if (!stuck_) break;
      rung_ = Rung::nonlinear_for_good;
      lagged_.reset();
      break;
    case Rung::nonlinear_for_good: sweep(nonlinear_, {target, most}); stuck_ = false;  // nothing else is left
  }
  return !swept.stopped;
}

}  // namespace ccp
