#include <algorithm>
#include <cmath>
#include <limits>

#include "linalg/block/block_matrix.hpp"
#include "solvers/methods.hpp"
#include "solvers/newton/merit_memory.hpp"
#include "solvers/proximal_newton/decomposition.hpp"
#include "solvers/proximal_newton/first_phase.hpp"
#include "solvers/proximal_newton/proximal_subproblem.hpp"
#include "solvers/shared/best_iterate.hpp"
#include "solvers/shared/method.hpp"
#include "solvers/shared/native_columns.hpp"

namespace ccp {
namespace {

enum class FirstPhase { automatic, off, on };
enum class ColdStart { sticking, zero };

struct ProximalSettings {
  NewtonSpace space = NewtonSpace::automatic;
  ColdStart start = ColdStart::sticking;
  FirstPhase first_phase = FirstPhase::automatic;
  double handover = 3e-3;
  bool lagged_sweeps = true;
  bool decomposition = true;
  double weight = 1e-2;
  double weight_decrease = 0.03;
};

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
        model_(model),
        sub_(problem, model, step_factor, settings.space),
        cost_(sub_.system().flops(), problem.constraints()),
        impulse_(Vector::Zero(problem.rows())),
        best_(problem.rows()),
        best_point_(Vector::Zero(sub_.size())),
        centre_(Vector::Zero(sub_.size())) {
    monitor.note([this] { return describe(sub_.system()); });
    repeats_pay_ = static_cast<double>(sub_.system().flops()) > dear_factors * sub_.system().solve_flops();
    sweeps_first_ = settings.first_phase == FirstPhase::on ||
                    (settings.first_phase == FirstPhase::automatic && cost_.sweeps_come_first());
    // A sweep over deforming bodies costs a solve with H for each contact.
    const bool rigid = problem.has_factored() || !problem.given_global();
    sweeps_later_ = !sweeps_first_ && settings.first_phase == FirstPhase::automatic && rigid && cost_.sweeps_are_cheap();
    if (sweeps_first_) make_sweeps(monitor);
  }

  Outcome run(const WarmStart& start, const Vector& shift, Monitor& monitor) override {
    begin(start, shift);
    if (!show(monitor)) return outcome();
    const bool cold = start.impulse.size() == 0;
    if (cold && worth_sweeping() && !sweep_start(monitor)) return outcome();
    if (cold && worth_sticking() && !stick(monitor)) return outcome();
    if (sweeps_first_ && !sweep_first(shift, monitor)) return outcome();
    reduction_ = 1.0;
    while (failures_ < give_up_after) {
      switch (solve_subproblem(monitor)) {
        case Inner::stopped: return outcome();
        case Inner::solved: move_centre(); break;
        case Inner::failed:
          if (!recover(shift, monitor)) return outcome();
      }
    }
    return stalled("no subproblem could be solved, even with the largest proximal weight");
  }

 private:
  enum class Inner { solved, failed, stopped };

  void begin(const WarmStart& start, const Vector& shift) {
    Vector padded = Vector::Zero(sub_.size());
    pad(sub_.blocks(), problem_.free_velocity() + shift, padded);
    sub_.set_free_velocity(padded);
    free_velocity_ = max_norm(padded);
    if (start.impulse.size() > 0)
      pad(sub_.blocks(), start.impulse, centre_);
    else
      centre_.setZero();
    weight_ = settings_.weight;
    solved_weight_ = near_weight();
    memory_ = usual_memory;
    failures_ = 0;
    failed_ = 0;
    swept_ = false;
    sub_.set_step_factor(step_factor);
    shown_ = 0.0;
    decomposed_ = !settings_.decomposition || !Decomposition::applies(problem_, model_);
    if (sweeps_) sweeps_->restart();
    best_.restart(impulse_);
    sub_.begin(centre_, weight_);
  }

  /// Whether sweeps soon take over from a subproblem, so that little is spent on it. Where this has not helped, it ends; on
  /// the ccp it does not help.
  bool hasty() const { return model_ == Model::ncp && sweeps_later_ && failed_ < most_hasty; }

  /// Nearer the solution, less is needed to stay near.
  double near_weight() const { return settings_.handover * settings_.weight; }

  bool worth_sweeping() const { return settings_.start == ColdStart::sticking && !sweeps_first_ && sub_.sweeps_contract(); }

  /// Moves to where one sweep ends, if that is nearer to a solution than zero impulses are, and on while sweeps contract.
  /// False when the run is over.
  bool sweep_start(Monitor& monitor) {
    best_point_ = centre_;
    for (bool contracts = true; contracts;) {
      const double before = sub_.merit();
      sub_.sweep(best_point_);
      sub_.begin(best_point_, weight_);
      monitor.counters().products += 2;
      ++monitor.counters().projections;
      if (!(sub_.merit() < before)) {
        sub_.begin(centre_, weight_);
        ++monitor.counters().products;
        return true;
      }
      centre_ = best_point_;
      if (!show(monitor)) return false;
      contracts = sub_.merit() <= contraction * before;
    }
    return true;
  }

  /// Sweeps may be all that is needed, so a factorisation before them must be cheap.
  bool worth_sticking() const {
    return settings_.start == ColdStart::sticking && (!sweeps_first_ || cost_.factorization_is_cheap());
  }

  /// Moves to where every contact sticks, if that is nearer to a solution than zero impulses are (H.3). False when the run
  /// is over.
  bool stick(Monitor& monitor) {
    const double before = sub_.merit();
    ++monitor.counters().factorizations;
    ++monitor.counters().back_solves;
    monitor.counters().flops += sub_.system().step_flops();
    if (!sub_.sticking_point(best_point_)) return true;
    ++monitor.counters().products;
    sub_.begin(best_point_, weight_);
    if (!(sub_.merit() < before)) return true;
    monitor.note([] { return "starts where every contact sticks"; });
    centre_ = best_point_;
    return show(monitor);
  }

  /// The sweeps of a run, when first needed.
  void make_sweeps(Monitor& monitor) {
    const bool symmetric = problem_.symmetric_mass() && problem_.symmetry_defect() == 0.0;
    const bool lagged = settings_.lagged_sweeps && model_ == Model::ncp && symmetric;
    const auto residual = [this](const Vector& impulse) { return residual_at(impulse); };
    sweeps_ = std::make_unique<SweepLadder>(problem_, model_, lagged, residual, monitor);
    sweeps_->restart();
  }

  /// After a subproblem that failed: its weight is raised, bodies that move are split, and sweeps go on from the best
  /// iterate, closer to the solution, where the last weight that did may do again. False when the run is over.
  bool recover(const Vector& shift, Monitor& monitor) {
    const double before = best_.residual();
    reduction_ = 1.0;
    raise_weight();
    if (++failed_ == most_before_split && !decomposed_ && !decompose(shift, monitor)) return false;
    if (sweeps_first_) return sweep(sweep_reduction, shift, monitor);
    if (!sweeps_later_) return true;
    if (!swept_) return sweep_first(shift, monitor);
    sub_.set_step_factor(failed_ % 2 == 1 ? long_step_factor : hasty() ? step_factor : short_step_factor);
    if (!sweeps_->spent() && !sweep(sweep_reduction, shift, monitor)) return false;
    if (hasty() && best_.residual() <= recovered * before) weight_ = solved_weight_;
    return true;
  }

  /// The first sweeps of a run. False when it is over.
  bool sweep_first(const Vector& shift, Monitor& monitor) {
    if (!sweeps_) make_sweeps(monitor);
    swept_ = true;
    if (!hasty()) sub_.set_step_factor(sweeps_first_ ? long_step_factor : short_step_factor);
    if (!sweep(first_reduction(), shift, monitor)) return false;
    weight_ = hasty() ? solved_weight_ : near_weight();
    return true;
  }

  /// Of the residual, by the first sweeps, which end sooner where factorisations are cheap.
  double first_reduction() const {
    return sweeps_first_ ? settings_.handover : std::min(cheap_handover * settings_.handover, 1.0);
  }

  /// Sweeps from the best iterate, which becomes the centre, until its residual has fallen by `reduction`, for at most the
  /// time that the Newton steps of one subproblem take (H.7). False when the run is over.
  bool sweep(double reduction, const Vector& shift, Monitor& monitor) {
    const double target = reduction * best_.residual();
    do {
      native_.clear();
      if (!sweeps_->run(best_, shift, target, cost_.sweeps_for(newton_steps), native_.values(), monitor)) return false;
      if (sweeps_->stuck() && sweeps_->spent() && !decomposed_ && !decompose(shift, monitor)) return false;
    } while (sweeps_->stuck() && best_.residual() > target);
    pad(sub_.blocks(), best_.impulse(), centre_);
    return true;
  }

  /// Splits off the bodies that move, once a run, from the convex solution on (H.14). False when the run is over.
  bool decompose(const Vector& shift, Monitor& monitor) {
    decomposed_ = true;
    native_.clear();
    Decomposition decomposition(problem_, [this](const Vector& impulse) { return residual_at(impulse); });
    if (!decomposition.run(best_, shift, native_.values(), monitor)) return false;
    pad(sub_.blocks(), best_.impulse(), centre_);
    return true;
  }

  /// Of the problem itself, m/s; moves the subproblem to that point.
  double residual_at(const Vector& impulse) {
    pad(sub_.blocks(), impulse, centre_);
    sub_.begin(centre_, weight_);
    return sub_.residual();
  }

  /// Newton steps on one subproblem (H.2); its best point ends up in best_point_.
  Inner solve_subproblem(Monitor& monitor) {
    sub_.begin(centre_, weight_);
    ++monitor.counters().products;
    const double reduction = hasty() ? rough_reduction : inner_reduction;
    const double target = std::max(reduction * sub_.merit(), rounding * free_velocity_);
    double lowest = std::numeric_limits<double>::infinity(), reference = sub_.merit();
    int without_progress = 0;
    merits_.restart(memory_, sub_.merit());
    const int most = sweeps_later_ && !swept_ ? steps_before_sweeps : newton_steps;
    for (steps_ = 1; steps_ <= most; ++steps_) {
      if (!repeat_step(monitor) && !take_step(monitor)) return Inner::failed;
      if (sub_.merit() < lowest) {
        lowest = sub_.merit();
        best_point_ = sub_.point();
      }
      if (!show(monitor)) return Inner::stopped;
      if (sub_.merit() <= target) return Inner::solved;
      if (lowest <= patience_factor * reference) {
        reference = lowest;
        without_progress = 0;
      } else if (++without_progress >= patience()) {
        return Inner::failed;
      }
    }
    return Inner::failed;
  }

  /// Newton steps without progress after which a subproblem has failed: few in haste, one more before sweeps that take long.
  int patience() const {
    if (!hasty()) return usual_patience;
    return failed_ == 0 && cost_.sweeps_are_dear() ? some_patience : little_patience;
  }

  /// A simplified Newton step, with the factors of the last one, if that reduced the residual by much and a factorisation
  /// takes many back-solves. False when it was not taken.
  bool repeat_step(Monitor& monitor) {
    if (!repeats_pay_ || reduction_ > worth_repeating) return false;
    Counters& counters = monitor.counters();
    ++counters.back_solves;
    ++counters.products;
    ++counters.projections;
    counters.flops += sub_.system().solve_flops();
    length_ = 1.0;
    const bool nearer = sub_.repeat_direction() && sub_.try_step(length_) <= worth_repeating * sub_.merit();
    reduction_ = 1.0;
    if (!nearer) return false;
    sub_.accept();
    merits_.add(sub_.merit());
    return true;
  }

  /// One damped Newton step; the last trial is accepted even when it is no better.
  bool take_step(Monitor& monitor) {
    if (!sub_.find_direction()) return false;
    Counters& counters = monitor.counters();
    ++counters.factorizations;
    ++counters.back_solves;
    ++counters.products;
    counters.flops += sub_.system().step_flops();
    const double bound = merits_.largest();
    length_ = 1.0;
    for (int trial = 1;; ++trial, length_ *= 0.5) {
      ++counters.projections;
      const double merit = sub_.try_step(length_);
      if (merit < (1.0 - 1e-4 * length_) * bound || trial == most_trials) break;
    }
    sub_.accept();
    merits_.add(sub_.merit());
    return std::isfinite(sub_.merit());
  }

  /// The solution is the next centre. An easy subproblem may have been held more than necessary.
  void move_centre() {
    centre_ = best_point_;
    solved_weight_ = weight_;
    memory_ = usual_memory;
    failures_ = 0;
    if (steps_ <= easy_steps) weight_ = std::max(settings_.weight_decrease * weight_, least_weight);
  }

  /// A larger weight makes the subproblem easier, a line search without memory more careful.
  void raise_weight() {
    memory_ = 1;
    failures_ = weight_ < most_weight ? 0 : failures_ + 1;
    weight_ = std::min((hasty() ? large_increase : weight_increase) * weight_, most_weight);
  }

  bool show(Monitor& monitor) {
    sub_.feasible_point(impulse_);
    const double residual = sub_.residual();
    reduction_ = length_ == 1.0 ? residual / shown_ : 1.0;
    shown_ = residual;
    native_.weight = weight_;
    native_.merit = sub_.merit();
    native_.newton_step = steps_;
    native_.step_length = length_;
    const bool converged = residual <= rounding * free_velocity_;
    return best_.show(monitor, residual, impulse_, {impulse_, nullptr, native_.values(), converged});
  }

  Outcome outcome() const { return {best_.impulse(), {}, 0.0, std::nullopt, ""}; }
  Outcome stalled(const char* reason) const { return {best_.impulse(), {}, 0.0, Status::stalled, reason}; }

  static constexpr double contraction = 0.1;  ///< of the merit, by a sweep after which another one comes
  // The proximal weight a.
  static constexpr double least_weight = 1e-12, most_weight = 1e4;
  static constexpr double weight_increase = 4.0;  ///< after one that failed
  static constexpr double large_increase = 10.0;  ///< the same in haste
  static constexpr int easy_steps = 6;            ///< Newton steps of an easy subproblem at most
  static constexpr int give_up_after = 10;        ///< subproblems that failed with the largest weight
  static constexpr int most_before_split = 2;     ///< subproblems that failed before the bodies are split
  static constexpr int most_hasty = 20;           ///< subproblems that failed in haste
  // One subproblem.
  static constexpr double step_factor = 1.5;  ///< of ρ_i (H.2), before sweeps
  // The same after them, the long one in turn with another where they came late: nearer the solution it finds the contacts
  // that slip sooner. The short one is no longer in haste.
  static constexpr double long_step_factor = 50.0, short_step_factor = 5.0;
  static constexpr double inner_reduction = 1e-2;  ///< of the merit, where it counts as solved
  static constexpr double rough_reduction = 0.1;   ///< the same in haste
  static constexpr int newton_steps = 25;
  static constexpr int steps_before_sweeps = 10;  ///< where sweeps come later
  static constexpr int usual_patience = 8, some_patience = 3, little_patience = 2;
  static constexpr double patience_factor = 0.9;  ///< of the merit, where it counts as progress
  static constexpr int usual_memory = 10;         ///< merits that the line search looks back on
  static constexpr int most_trials = 8;           ///< of a line search
  static constexpr double worth_repeating = 0.1;  ///< of the residual, by a step whose factors are used again
  static constexpr double dear_factors = 20.0;    ///< operations of a factorisation over those of a back-solve
  static constexpr double rounding = 1e-14;
  static constexpr double cheap_handover = 10.0;  ///< times the hand-over, where sweeps come later
  static constexpr double sweep_reduction = 0.1;  ///< of the residual, by sweeps after a subproblem that failed
  static constexpr double recovered = 0.9;        ///< of the residual, from where on the weight is lowered again

  ProximalSettings settings_;
  ContactProblem problem_;
  Model model_;
  ProximalSubproblem sub_;
  SweepCost cost_;
  std::unique_ptr<SweepLadder> sweeps_;  ///< where there is a first phase
  MeritMemory merits_;
  double weight_ = 0.0, solved_weight_ = 0.0;  ///< a: the present one, that of the last subproblem that was solved
  double free_velocity_ = 0.0, length_ = 1.0;
  double shown_ = 0.0, reduction_ = 1.0;  ///< the last residual, m/s; over the one before, 1 where a step was damped
  int memory_ = usual_memory, steps_ = 0, failures_ = 0, failed_ = 0;
  bool decomposed_ = false, swept_ = false;
  bool repeats_pay_ = false;
  bool sweeps_first_ = false;  ///< before the first subproblem
  bool sweeps_later_ = false;  ///< or after one that failed
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
                true,
                false,
                true}) {
    fields_
        .add("linear_system", &settings_.space,
             {{"auto", NewtonSpace::automatic}, {"contact", NewtonSpace::contacts}, {"velocity", NewtonSpace::velocities}},
             "space of the Newton systems; auto: the one with the cheaper factorisation, velocity where H is block-diagonal",
             "ours")
        .add("first_phase", &settings_.first_phase,
             {{"auto", FirstPhase::automatic}, {"none", FirstPhase::off}, {"sweeps", FirstPhase::on}},
             "nonlinear Gauss–Seidel sweeps before the Newton steps, and after a subproblem that failed; auto: where a "
             "factorisation takes more than 3e7 operations, and only after such a subproblem where it takes 1.5 sweeps or "
             "more",
             "ours")
        .add("handover", &settings_.handover, Range::open_closed(0, 1), "",
             "the first sweeps end when the residual has fallen by this factor, or by ten times it where they come after a "
             "subproblem that failed",
             "ours")
        .add("lagged_sweeps", &settings_.lagged_sweeps,
             "where nonlinear sweeps do not progress (ncp), sweeps on the convex problem whose shift s is that of earlier "
             "ones",
             "ours")
        .add("decomposition", &settings_.decomposition,
             "after a subproblem that failed (ncp, bodies): the convex problem of the bodies at rest and the ncp of the few "
             "that move in turn",
             "ours")
        .add("weight", &settings_.weight, Range::positive(), "", "proximal weight a at the start, relative to tr(N_ii)/3",
             "ours")
        .add("weight_decrease", &settings_.weight_decrease, Range::open_closed(0, 1), "",
             "factor of a after an easy subproblem", "ours")
        .add("start", &settings_.start, {{"sticking", ColdStart::sticking}, {"zero", ColdStart::zero}},
             "where a run without a warm start begins; sticking: the one of least merit of no impulses, those after one "
             "sweep, "
             "where contacts hardly act on those before them, and those that hold every contact",
             "ours");
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
