#include <algorithm>
#include <cmath>
#include <limits>

#include "linalg/block/block_matrix.hpp"
#include "solvers/methods.hpp"
#include "solvers/newton/merit_memory.hpp"
#include "solvers/newton/sweep_phase.hpp"
#include "solvers/proximal_newton/proximal_subproblem.hpp"
#include "solvers/shared/best_iterate.hpp"
#include "solvers/shared/method.hpp"
#include "solvers/shared/native_columns.hpp"

namespace ccp {
namespace {

enum class SweepPhase { automatic, off, on };
enum class ColdStart { sticking, zero };

struct ProximalSettings {
  NewtonSpace space = NewtonSpace::automatic;
  ColdStart start = ColdStart::sticking;
  double weight = 1e-2;
  double weight_decrease = 0.03;
  double weight_increase = 4.0;
  double weight_min = 1e-12;
  double weight_max = 1e4;
  int easy_steps = 6;
  double step_factor = 1.5;
  double inner_reduction = 1e-2;
  int newton_steps = 25;
  int memory = 10;
  int backtracks = 8;
  int patience = 8;
  double patience_factor = 0.9;
  SweepPhase sweeps = SweepPhase::automatic;
  double swept_step_factor = 50.0;
  double handover = 3e-3;
  double sweep_reduction = 0.1;
  bool lagged_sweeps = true;
  int sweeps_per_shift = 50;
};

/// Sweeps come first when a factorisation costs more than this many operations.
constexpr std::int64_t expensive_factorization = 30'000'000;

struct ProximalColumns : NativeColumns {
  NativeValue weight{*this, "proximal_weight", "", "a of the present subproblem"};
  NativeValue merit{*this, "subproblem_merit", "m/s", "‖F_i/ρ_i‖₂ of the present subproblem"};
  NativeValue newton_step{*this, "newton_step", "", "Newton steps so far in the subproblem"};
  NativeValue step_length{*this, "step_length", "", "of the line search"};
};

class ProximalSession final : public Session {
 public:
  ProximalSession(const ProximalSettings& settings, const ContactProblem& problem, Model model, Monitor& monitor)
      : settings_(settings),
        problem_(problem),
        sub_(problem, model, settings.step_factor, settings.space),
        symmetric_(problem.symmetric_mass() && problem.symmetry_defect() == 0.0),
        model_(model),
        weight_(settings.weight),
        impulse_(Vector::Zero(problem.rows())),
        best_(problem.rows()),
        best_point_(Vector::Zero(sub_.size())),
        centre_(Vector::Zero(sub_.size())) {
    monitor.note([this] { return describe(sub_.system()); });
    const bool wanted = settings.sweeps == SweepPhase::on ||
                        (settings.sweeps == SweepPhase::automatic && sub_.system().flops() > expensive_factorization);
    if (wanted) sweeps_ = std::make_unique<SweepRunner>(problem, model, monitor);
  }

  Outcome run(const WarmStart& start, const Vector& shift, Monitor& monitor) override {
    begin(start, shift);
    if (!show(monitor)) return outcome();
    if (start.impulse.size() == 0 && worth_sticking() && !stick(monitor)) return outcome();
    if (sweeps_) {
      sub_.set_step_factor(settings_.swept_step_factor);
      if (!sweep(settings_.handover, shift, monitor)) return outcome();
      weight_ *= settings_.handover;  // nearer the solution, less is needed to stay near
    }
    for (int failures = 0; failures < give_up_after;) {
      sub_.begin(centre_, weight_);
      ++monitor.counters().products;
      const Inner inner = solve_subproblem(monitor);
      if (inner == Inner::stopped) return outcome();
      if (inner == Inner::solved) {
        centre_ = best_point_;
        memory_ = settings_.memory;
        if (steps_ <= settings_.easy_steps) weight_ = std::max(settings_.weight_decrease * weight_, settings_.weight_min);
        failures = 0;
      } else {
        memory_ = 1;
        failures = weight_ < settings_.weight_max ? 0 : failures + 1;
        weight_ = std::min(settings_.weight_increase * weight_, settings_.weight_max);
        // Closer to the solution the same weight may do.
        if (sweeps_ && !sweep(settings_.sweep_reduction, shift, monitor)) return outcome();
      }
    }
    return stalled("no subproblem could be solved, even with the largest proximal weight");
  }

 private:
  static constexpr int give_up_after = 10;
  enum class Inner { solved, failed, stopped };

  void begin(const WarmStart& start, const Vector& shift) {
    Vector padded = Vector::Zero(sub_.size());
    pad(problem_.constraints(), problem_.free_velocity() + shift, padded);
    sub_.set_free_velocity(padded);
    free_velocity_ = max_norm(padded);
    if (start.impulse.size() > 0)
      pad(problem_.constraints(), start.impulse, centre_);
    else
      centre_.setZero();
    weight_ = settings_.weight;
    memory_ = settings_.memory;
    may_lag_ = settings_.lagged_sweeps && model_ == Model::ncp && symmetric_;
    lagged_.reset();
    best_.restart(impulse_);
    sub_.begin(centre_, weight_);
  }

  /// Moves to where every contact sticks, if that is nearer to a solution than zero impulses are (H.3). False when the run
  /// is over.
  bool stick(Monitor& monitor) {
    const double before = sub_.merit();
    ++monitor.counters().factorizations;
    ++monitor.counters().back_solves;
    if (!sub_.sticking_point(best_point_)) return true;
    ++monitor.counters().products;
    sub_.begin(best_point_, weight_);
    if (!(sub_.merit() < before)) return true;
    monitor.note([] { return "starts where every contact sticks"; });
    centre_ = best_point_;
    return show(monitor);
  }

  /// Nonlinear Gauss–Seidel from the best iterate until its residual has fallen by `reduction` (H.7), for at most the time
  /// that the Newton steps of one subproblem take. Where that does not progress, lagged sweeps for as long; where these do
  /// not either, all the rest of it. False when the run is over.
  bool sweep(double reduction, const Vector& shift, Monitor& monitor) {
    const auto residual = [this](const Vector& impulse) {
      pad(problem_.constraints(), impulse, centre_);
      sub_.begin(centre_, weight_);
      return sub_.residual();
    };
    const auto improve = [&](auto& sweeps, const SweepRunner::Limits& limits) {
      const SweepRunner::Result swept = sweeps.run(best_.impulse(), shift, limits, residual, native_.values(), monitor);
      if (swept.residual <= best_.residual() || swept.solved) best_.keep(swept.residual, swept.impulse);
      return swept;
    };
    native_.clear();
    const double target = reduction * best_.residual();
    const int most = sweeps_budget();
    SweepRunner::Result swept;
    if (!lagged_) swept = improve(*sweeps_, {target, most, may_lag_ ? least_progress : 0.0});
    if (lagged_ || swept.stagnated) {
      if (!lagged_) lagged_ = std::make_unique<LaggedSweepRunner>(problem_, settings_.sweeps_per_shift, monitor);
      swept = improve(*lagged_, {0.0, most, least_progress});
      monitor.note([] { return "nonlinear sweeps did not progress: lagged ones came next"; });
    }
    if (swept.stagnated) {
      may_lag_ = false;
      lagged_.reset();
      swept = improve(*sweeps_, {target, most});
    }
    pad(problem_.constraints(), best_.impulse(), centre_);
    return !swept.stopped;
  }

  /// Sweeps that take as long as one factorisation.
  double factorization_in_sweeps() const {
    const double sweep = sweep_cost * static_cast<double>(std::max<Index>(problem_.constraints().count(), 1));
    return static_cast<double>(sub_.system().flops()) / sweep;
  }

  /// Sweeps that take as long as `newton_steps` factorisations.
  int sweeps_budget() const { return std::max(100, static_cast<int>(settings_.newton_steps * factorization_in_sweeps())); }

  /// Sweeps may be all that is needed, so a factorisation before them must be cheap.
  bool worth_sticking() const {
    return settings_.start == ColdStart::sticking && (!sweeps_ || factorization_in_sweeps() <= sweeps_for_sticking);
  }

  /// Newton steps on one subproblem (H.2); its best point ends up in best_point_.
  Inner solve_subproblem(Monitor& monitor) {
    const double target = std::max(settings_.inner_reduction * sub_.merit(), rounding * free_velocity_);
    double lowest = std::numeric_limits<double>::infinity(), reference = sub_.merit();
    int without_progress = 0;
    merits_.restart(memory_, sub_.merit());
    for (steps_ = 1; steps_ <= settings_.newton_steps; ++steps_) {
      if (!take_step(monitor)) return Inner::failed;
      if (sub_.merit() < lowest) {
        lowest = sub_.merit();
        best_point_ = sub_.point();
      }
      if (!show(monitor)) return Inner::stopped;
      if (sub_.merit() <= target) return Inner::solved;
      if (lowest <= settings_.patience_factor * reference) {
        reference = lowest;
        without_progress = 0;
      } else if (++without_progress >= settings_.patience) {
        return Inner::failed;
      }
    }
    return Inner::failed;
  }

  /// One damped Newton step; the last trial is accepted even when it is no better.
  bool take_step(Monitor& monitor) {
    if (!sub_.find_direction()) return false;
    Counters& counters = monitor.counters();
    ++counters.factorizations;
    ++counters.back_solves;
    ++counters.products;
    const double bound = merits_.largest();
    length_ = 1.0;
    for (int trial = 0;; ++trial, length_ *= 0.5) {
      ++counters.projections;
      const double merit = sub_.try_step(length_);
      if (merit < (1.0 - 1e-4 * length_) * bound || trial + 1 >= settings_.backtracks) break;
    }
    sub_.accept();
    merits_.add(sub_.merit());
    return std::isfinite(sub_.merit());
  }

  bool show(Monitor& monitor) {
    sub_.feasible_point(impulse_);
    const double residual = sub_.residual();
    native_.weight = weight_;
    native_.merit = sub_.merit();
    native_.newton_step = steps_;
    native_.step_length = length_;
    const bool converged = residual <= rounding * free_velocity_;
    return best_.show(monitor, residual, impulse_, {impulse_, nullptr, native_.values(), converged});
  }

  Outcome outcome() const { return {best_.impulse(), {}, 0.0, std::nullopt, ""}; }
  Outcome stalled(const char* reason) const { return {best_.impulse(), {}, 0.0, Status::stalled, reason}; }

  static constexpr double rounding = 1e-14;
  /// A sweep over one contact takes as long as this many operations of a factorisation.
  static constexpr double sweep_cost = 3000.0;
  static constexpr double sweeps_for_sticking = 200.0;
  static constexpr double least_progress = 0.8;  ///< of the residual, while sweeps double

  ProximalSettings settings_;
  ContactProblem problem_;
  ProximalSubproblem sub_;
  bool symmetric_, may_lag_ = false;
  Model model_;
  std::unique_ptr<SweepRunner> sweeps_;        ///< where there is a first phase
  std::unique_ptr<LaggedSweepRunner> lagged_;  ///< where those did not progress
  MeritMemory merits_;
  double weight_, free_velocity_ = 0.0, length_ = 1.0;
  int memory_ = 10, steps_ = 0;
  ProximalColumns native_;
  Vector impulse_;
  BestIterate best_;
  Vector best_point_, centre_;
};

class ProximalNewton final : public Method<ProximalSettings, ProximalSession> {
 public:
  ProximalNewton()
      : Method({"proximal_newton",
                "Proximal semismooth Newton",
                "ours; map of Alart and Curnier 1991, proximal point method of Rockafellar 1976",
                {Model::ncp, Model::ccp},
                ProximalColumns().columns(),
                true}) {
    fields_
        .add("linear_system", &settings_.space,
             {{"auto", NewtonSpace::automatic}, {"contact", NewtonSpace::contacts}, {"velocity", NewtonSpace::velocities}},
             "space of the Newton systems; auto: the one with the cheaper factorisation, velocity where H is block-diagonal",
             "ours")
        .add("first_phase", &settings_.sweeps,
             {{"auto", SweepPhase::automatic}, {"none", SweepPhase::off}, {"sweeps", SweepPhase::on}},
             "nonlinear Gauss–Seidel sweeps before the Newton steps, and after a subproblem that failed; auto: where a "
             "factorisation takes more than 3e7 operations",
             "ours")
        .add("handover", &settings_.handover, Range::open_closed(0, 1), "",
             "the first sweeps end when the residual has fallen by this factor", "ours")
        .add("sweep_reduction", &settings_.sweep_reduction, Range::open_closed(0, 1), "",
             "later sweeps end when the residual has fallen by this factor", "ours")
        .add("lagged_sweeps", &settings_.lagged_sweeps,
             "where nonlinear sweeps do not progress (ncp), sweeps on the convex problem whose shift s is that of earlier "
             "ones",
             "ours")
        .add("sweeps_per_shift", &settings_.sweeps_per_shift, Range::at_least(1), "such sweeps with the same s", "ours")
        .add("start", &settings_.start, {{"sticking", ColdStart::sticking}, {"zero", ColdStart::zero}},
             "where a run without a warm start begins; sticking: with the impulses that hold every contact, where their "
             "merit "
             "is less than that of none",
             "ours")
        .add("weight", &settings_.weight, Range::positive(), "", "proximal weight a at the start, relative to tr(N_ii)/3",
             "ours")
        .add("weight_decrease", &settings_.weight_decrease, Range::open_closed(0, 1), "",
             "factor of a after an easy subproblem", "ours")
        .add("weight_increase", &settings_.weight_increase, Range::at_least(1), "",
             "factor of a after a subproblem that failed", "ours")
        .add("weight_min", &settings_.weight_min, Range::positive(), "", "smallest a", "ours")
        .add("weight_max", &settings_.weight_max, Range::positive(), "", "largest a", "ours")
        .add("easy_steps", &settings_.easy_steps, Range::at_least(1), "a subproblem is easy up to this many Newton steps",
             "ours")
        .add("step_factor", &settings_.step_factor, Range::positive(), "", "ρ_i = step_factor/(t_i (1 + a))", "ours")
        .add("swept_step_factor", &settings_.swept_step_factor, Range::positive(), "",
             "the same after sweeps: nearer the solution a longer step finds the contacts that slip sooner", "ours")
        .add("inner_reduction", &settings_.inner_reduction, Range::positive(), "",
             "a subproblem is solved when its merit fell by this factor", "ours")
        .add("newton_steps", &settings_.newton_steps, Range::at_least(1), "Newton steps a subproblem at most", "ours")
        .add("memory", &settings_.memory, Range::closed(1, MeritMemory::capacity),
             "merits the non-monotone line search looks back on", "Grippo, Lampariello and Lucidi 1986")
        .add("backtracks", &settings_.backtracks, Range::at_least(1), "trials of a line search, each half as long", "ours")
        .add("patience", &settings_.patience, Range::at_least(1),
             "Newton steps without progress before a subproblem is given up", "ours")
        .add("patience_factor", &settings_.patience_factor, Range::open_closed(0, 1), "",
             "what counts as progress of the merit", "ours");
  }

 private:
  std::optional<std::string> do_supports(const ContactProblem& problem, Model) const override {
    if (settings_.space == NewtonSpace::velocities && !problem.has_factored())
      return "linear_system = velocity needs a problem in global form with a symmetric, block-diagonal H";
    return std::nullopt;
  }
};

}  // namespace

std::unique_ptr<Solver> make_proximal_newton() { return std::make_unique<ProximalNewton>(); }

}  // namespace ccp
