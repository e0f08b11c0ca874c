#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "cones/product_cone.hpp"
#include "problem/judge/velocity_residual.hpp"
#include "solvers/interior_point/interior_iteration.hpp"
#include "solvers/methods.hpp"
#include "solvers/shared/best_iterate.hpp"
#include "solvers/shared/linear_backend.hpp"
#include "solvers/shared/method.hpp"
#include "solvers/shared/native_columns.hpp"

namespace ccp {
namespace {

/// Iterations without progress before the method gives up. A path that turns back makes none for a while.
constexpr int patience = 30, patience_of_series = 300;

struct InteriorColumns : NativeColumns {
  NativeValue bilateral{*this, "bilateral_residual", "", "‖r‖/n of bilateral rows over the terms that cancel"};
  NativeValue cones{*this, "cone_residual", "", "‖Dᵀv + b − y‖/n over the terms that cancel"};
  NativeValue momentum{*this, "momentum_residual_scaled", "", "‖Hv − k − Dλ‖/n over the terms that cancel"};
  NativeValue complementarity{*this, "mean_complementarity", "J", "yᵀλ over the number of cones"};
  NativeValue step_primal{*this, "step_primal", "", "step length of v and y"};
  NativeValue step_dual{*this, "step_dual", "", "step length of the impulses"};
  NativeValue centering{*this, "centering", "", "σ of the iteration; with series the ν that it came to"};
  NativeValue bilateral_absolute{*this, "bilateral_absolute", "m/s", "‖r‖/n of bilateral rows as it is"};
  NativeValue cones_absolute{*this, "cone_absolute", "m/s", "‖Dᵀv + b − y‖/n as it is"};
  NativeValue momentum_absolute{*this, "momentum_absolute", "kg·m/s", "‖Hv − k − Dλ‖/n as it is"};
};

class InteriorSession final : public Session {
 public:
  InteriorSession(const InteriorSettings& settings, const ContactProblem& problem, Model model, Monitor& monitor)
      : problem_(problem),
        correction_(model == Model::ncp ? Correction::de_saxce : Correction::none),
        patience_(settings.order > 0 ? patience_of_series : patience),
        made_(settings.order > 0 ? make_series_iteration(settings, problem, monitor)
                                 : std::make_unique<InteriorIteration>(settings, problem, model, monitor)),
        iteration_(*made_),
        best_(problem.rows(), problem.dofs()) {
    for (Vector* vector : {&impulse_, &u_}) vector->setZero(problem.rows());
    for (Vector* vector : {&body_scratch_, &own_velocity_}) vector->setZero(problem.dofs());
  }

  Outcome run(const WarmStart& start, const Vector& shift, Monitor& monitor) override {
    begin(shift);
    const Begun begun = first_point(start, monitor);
    if (begun == Begun::failed) return outcome(Status::stalled, iteration_.message());
    if (begun == Begun::stopped) return outcome();
    do {
      if (!iteration_.step(monitor)) return outcome(Status::stalled, iteration_.message());
      observe();
      if (exhausted())
        return show(monitor) ? outcome(Status::stalled, fmt::format("no progress in {} iterations", patience_)) : outcome();
    } while (show(monitor));
    return outcome();
  }

 private:
  enum class Begun { able, failed, stopped };

  void begin(const Vector& shift) {
    iteration_.set_shift(shift);
    shift_ = shift;
    native_.clear();
    velocity_ = nullptr;
    converged_ = false;
    least_ = std::numeric_limits<double>::infinity();
    since_least_ = 0;
  }

  /// The starting point, which is the first iterate shown; or impulses that are given, from which it is made. Velocities
  /// alone say nothing of impulses: such a run shows its own first point, not the impulses it does not take. Those of later
  /// runs are its own (the De Saxcé loop goes on with them).
  Begun first_point(const WarmStart& start, Monitor& monitor) {
    const bool velocities = start.velocity.size() > 0 && iteration_.takes_velocities_alone();
    const bool first_run = std::exchange(first_run_, false);
    if (start.impulse.size() > 0 && !(velocities && first_run)) return from_impulses(start, velocities, monitor);
    const bool able =
        velocities && first_run ? iteration_.start_at(start.velocity, monitor) : iteration_.start_cold(monitor);
    observe();
    best_.restart(impulse_);
    if (!able) return Begun::failed;
    return show(monitor) ? Begun::able : Begun::stopped;
  }

  Begun from_impulses(const WarmStart& start, bool velocities, Monitor& monitor) {
    impulse_ = start.impulse;
    project_product(problem_.constraints(), impulse_);
    best_.restart(impulse_);
    if (!show(monitor)) return Begun::stopped;
    const Vector* velocity = start.velocity.size() > 0 ? &start.velocity : nullptr;
    const bool able =
        velocities ? iteration_.start_at(*velocity, monitor) : iteration_.start_warm(impulse_, velocity, monitor);
    return able ? Begun::able : Begun::failed;
  }

  void observe() {
    iteration_.barrier().to_impulse(iteration_.point().lambda, impulse_);
    if (iteration_.system().has_velocity()) {
      own_velocity_ = iteration_.point().v.head(problem_.dofs());
      velocity_ = &own_velocity_;
    }
    const auto& c = iteration_.convergence();
    native_.bilateral = c.bilateral;
    native_.cones = c.cones;
    native_.momentum = c.momentum;
    native_.complementarity = iteration_.complementarity();
    native_.step_primal = iteration_.step_primal();
    native_.step_dual = iteration_.step_dual();
    native_.centering = iteration_.centering();
    native_.bilateral_absolute = iteration_.absolute().bilateral;
    native_.cones_absolute = iteration_.absolute().cones;
    native_.momentum_absolute = iteration_.absolute().momentum;
    converged_ = iteration_.converged();
  }

  /// Near the end rounding moves the residual up and down by orders of magnitude, so the run returns its best iterate.
  bool show(Monitor& monitor) {
    return best_.show(monitor, shifted_residual(monitor), impulse_, {impulse_, velocity_, native_.values(), converged_});
  }

  /// (D.1) with the shift of the run.
  double shifted_residual(Monitor& monitor) {
    ++monitor.counters().products;
    ++monitor.counters().projections;
    problem_.local_velocity(impulse_, body_scratch_, u_);
    u_ += shift_;
    return velocity_residual(problem_.constraints(), iteration_.barrier().step, impulse_, u_, correction_);
  }

  /// True when the worst of the method's own residuals has not fallen by a tenth for too long.
  bool exhausted() {
    const auto& c = iteration_.convergence();
    const double worst = std::max({c.bilateral, c.cones, c.momentum, c.complementarity});
    if (worst < 0.9 * least_) {
      least_ = worst;
      since_least_ = 0;
      return false;
    }
    return ++since_least_ >= patience_;
  }

  Outcome outcome(std::optional<Status> given_up = std::nullopt, const std::string& reason = "") const {
    return {best_.impulse(), best_.velocity(), 0.0, given_up, reason};
  }

  ContactProblem problem_;
  Correction correction_;
  int patience_;
  std::unique_ptr<InteriorIteration> made_;
  InteriorIteration& iteration_;
  InteriorColumns native_;
  Vector impulse_, shift_, u_, body_scratch_, own_velocity_;
  const Vector* velocity_ = nullptr;
  bool converged_ = false, first_run_ = true;
  BestIterate best_;
  double least_ = 0.0;
  int since_least_ = 0;
};

class InteriorPointMethod final : public Method<InteriorSettings, InteriorSession> {
 public:
  /// order: that of the series along the path, 0 for steps by predictor and corrector.
  InteriorPointMethod(const char* name, const char* title, const char* reference, bool cones, Model model = Model::ccp,
                      int order = 0)
      : Method({name, title, reference, {model}, InteriorColumns().columns(), true, false, cones}), cones_(cones) {
    InteriorSettings& s = settings_;
    s.order = order;
    if (cones) {
      // Steps that end near a surface leave contacts there, from where later steps do not get away (sec. J).
      s.eta_policy = EtaPolicy::central;
      s.eta = 0.99;
    } else {
      s.starting_point = StartingPoint::mehrotra;
    }
    if (order > 0)
      add_series_fields();
    else
      add_step_fields();
    add_system_fields();
    if (order == 0) add_correctors();
    add_criterion_fields();
  }

 private:
  void add_series_fields() {
    InteriorSettings& s = settings_;
    fields_
        .add("order", &s.order, Range::closed(3, 40), "of the series: back-solves for each factorisation",
             "15 to 25: Acary, Armand, Nguyen, Shpakovych 2024; value ours")
        .add("accuracy", &s.accuracy, Range{0.0, 1.0, true, true}, "",
             "last term of a series over its first one, which gives the length of a step", "ours")
        .add("slack", &s.slack, Range::closed(1e-3, 1e3), "",
             "c of s² − ‖y_T‖² = c²τ²/τ_0, which keeps the matrix regular where slip ends", "ours");
  }
  void add_step_fields() {
    InteriorSettings& s = settings_;
    fields_
        .add("step_lengths", &s.step_lengths,
             {{"equal", StepLengths::equal}, {"split", StepLengths::split}, {"split_always", StepLengths::split_always}},
             "one step for all variables; or one for velocities and one for impulses, where that leaves less, or always",
             "Mangoni's thesis, eqs. 4.11 and 4.12")
        .add("eta_policy", &s.eta_policy,
             {{"fixed", EtaPolicy::fixed}, {"adaptive", EtaPolicy::adaptive}, {"central", EtaPolicy::central}},
             "part of the way to the surface of the cones: eta; 0.9 + 0.1 exp(−n c), with n cones and the complementarity c "
             "of "
             "the criterion; or that where all cones stay central, else eta",
             "Mangoni's thesis, eqs. 4.11 and 4.56; its sec. 4.12 has 0.9 + 0.1 exp(+n μ), which is above 1")
        .add("eta", &s.eta, Range{0.0, 1.0, true, true}, "", "part of the way when fixed; at most 0.9999", "ours")
        .add("eta_of", &s.eta_of, {{"surface", EtaOf::surface}, {"step", EtaOf::step}},
             "what eta is a part of: the way to the surface, min(1, η α); or the step that ends there, η min(1, α)",
             "Mangoni's thesis, eq. 4.11; its tests have the other");
  }
  void add_system_fields() {
    InteriorSettings& s = settings_;
    fields_
        .add("starting_point", &s.starting_point,
             {{"central", StartingPoint::central},
              {"mehrotra", StartingPoint::mehrotra},
              {"two_step", StartingPoint::two_step},
              {"ones", StartingPoint::ones}},
             "cold start: an affine step from ones (mehrotra: in units of the free velocity, from free velocities; ones: in "
             "those of the problem, as in the thesis), or least squares moved into the cones",
             "Mangoni's thesis, eqs. 4.23 and 4.57")
        .add("warm_start", &s.warm_start,
             {{"none", InteriorWarmStart::none},
              {"partial", InteriorWarmStart::partial},
              {"full", InteriorWarmStart::full},
              {"velocities", InteriorWarmStart::velocities}},
             "what is taken from a start point: nothing; velocities, with impulses that make them (partial) or those of an "
             "affine start from ones (velocities, as in the thesis); all",
             "Mangoni's thesis, secs. 4.6 and 5.1; the impulses of partial are ours (J.9)")
        .add(
            "compliance", &s.compliance, Range::closed(0.0, 1.0), "",
            "least compliance of the matrix, in units of the mean N_ii: regularises, the solution stays that of the problem",
            "Mangoni's thesis, sec. 4.10")
        .add("linear_system", &s.form,
             {{"auto", LinearForm::automatic},
              {"saddle", LinearForm::saddle},
              {"normal", LinearForm::normal},
              {"schur", LinearForm::schur}},
             "unknowns of the linear system: velocities and impulses, velocities, impulses",
             "Mangoni's thesis, sec. 4.8; ours")
        .add("linear_solver", &s.backend, linear_backend_choices(), "library that factorises it", "ours");
  }
  void add_correctors() {
    fields_.add("correctors", &settings_.correctors, Range::closed(0, 10),
                "centrality correctors of an iteration at most, each a solve with the same factor; the next one while steps "
                "grow",
                "Gondzio 1996; for cones: ours (J.11)");
  }
  void add_criterion_fields() {
    InteriorSettings& s = settings_;
    fields_
        .add("tolerance_residual", &s.tolerance_residual, Range::non_negative(), "",
             "native criterion: ‖r‖/n of each residual over the terms that cancel in it",
             "Mangoni's thesis, ch. 5; relative: ours")
        .add("tolerance_complementarity", &s.tolerance_complementarity, Range::non_negative(), "",
             "native criterion: mean yᵀλ over the largest product of an impulse and a velocity",
             "Mangoni's thesis, ch. 5; ours")
        .add("criterion", &s.criterion,
             {{"relative", InteriorCriterion::relative},
              {"absolute", InteriorCriterion::absolute},
              {"carried", InteriorCriterion::carried}},
             "absolute: ‖r‖/n and μ as they are, in the units of the problem; carried: so, of residuals that each step "
             "scales "
             "and none computes anew",
             "absolute: Mangoni's thesis, ch. 5; carried: and its eq. 4.14, corrected");
  }

  std::optional<std::string> do_supports(const ContactProblem& problem, Model model) const override {
    const ConstraintSet& constraints = problem.constraints();
    for (Index i = 0; i < constraints.count() && !cones_; ++i)
      if (has_friction(constraints.kind(i)) && constraints.friction(i) > 0.0)
        return "ipm_qp takes no friction; ipm_cone does";
    const bool corrected = model == Model::ncp && native(model);
    return interior_system_defect(problem, corrected, settings_.form, linear_backend_name(settings_.backend));
  }

  bool cones_;
};

}  // namespace

std::unique_ptr<Solver> make_ipm_qp() {
  return std::make_unique<InteriorPointMethod>("ipm_qp",
                                               "Interior point for problems without friction (predictor–corrector)",
                                               "Mangoni's thesis, sec. 4.11; Mehrotra 1992", false);
}
std::unique_ptr<Solver> make_ipm_cone() {
  return std::make_unique<InteriorPointMethod>("ipm_cone", "Interior point for friction cones (Nesterov–Todd scaling)",
                                               "Mangoni's thesis, sec. 4.14; Vandenberghe 2010", true);
}
std::unique_ptr<Solver> make_nonsmooth_ipm() {
  return std::make_unique<InteriorPointMethod>(
      "nonsmooth_ipm", "Nonsmooth interior point for Coulomb's law, ‖u_T‖ an unknown",
      "Acary, Armand, Nguyen, Shpakovych 2024; scaled as ipm_cone", true, Model::ncp);
}
std::unique_ptr<Solver> make_nonsmooth_ipm_series() {
  return std::make_unique<InteriorPointMethod>(
      "nonsmooth_ipm_series", "Nonsmooth interior point that follows its path by series, round its turns",
      "Acary, Armand, Nguyen, Shpakovych 2024; start, scaling and slack ours", true, Model::ncp, 20);
}

}  // namespace ccp
