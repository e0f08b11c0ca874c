#include <algorithm>
#include <cmath>
#include <limits>

#include "cones/product_cone.hpp"
#include "problem/block_scale.hpp"
#include "problem/conversion.hpp"
#include "solvers/augmented_lagrangian/inner_newton.hpp"
#include "solvers/methods.hpp"
#include "solvers/newton/contact_map.hpp"
#include "solvers/shared/best_iterate.hpp"
#include "solvers/shared/largest_compliance.hpp"
#include "solvers/shared/method.hpp"
#include "solvers/shared/native_columns.hpp"
#include "solvers/shared/padded_blocks.hpp"

namespace ccp {
namespace {

constexpr double rounded = 1e-8;  ///< relative to the terms of ϱ
constexpr int patience = 8;       ///< outer iterations without a better residual until β no longer grows

/// Settings of the augmented Lagrangian methods of Lee et al. 2025, Algorithm 1.
struct AugmentedSettings {
  InnerSettings inner;
  double beta = 0.0;  ///< β⁰, kg; 0: 10 times the mean of 1/N_ii
  double kappa = 10.0;
  double zeta = 0.25;
  double beta_max = 1e4;  ///< largest β times the mean of N_ii
  double inner_tolerance = 0.01;
  int inner_steps = 50;
  int al_iterations = 0;  ///< 0: no limit
  double tolerance = 1e-10;
};

struct AugmentedColumns : NativeColumns {
  NativeValue iteration{*this, "al_iteration", "", "outer iteration, from 1"};
  NativeValue beta{*this, "beta", "kg", "penalty β of it"};
  NativeValue residual{*this, "al_residual", "m/s", "max ‖(Dᵀv + …)_i − z_i‖ = ‖λ_i − λ_i,prev‖/β_i"};
  NativeValue newton_residual{*this, "newton_residual", "kg^(1/2)·m/s", "‖ϱ(v)‖ in the metric of 1/H_jj"};
  NativeValue step_length{*this, "step_length", "", "of the inner step"};
  NativeValue trials{*this, "trials", "", "evaluations of the line search or trust region"};
  NativeValue failures{*this, "failures", "", "inner problems not solved and line searches that failed, so far"};
};

/// The augmented Lagrangian method, one for all inner methods. With the Euclidean projection (exact_newton) the De Saxcé
/// term of the ncp model is frozen at the last outer iterate; the strict projection of the others is the ncp model itself.
class AugmentedSession final : public Session {
 public:
  AugmentedSession(const AugmentedSettings& settings, const ContactProblem& problem, Model model, Monitor& monitor)
      : settings_(settings),
        problem_(problem),
        set_(problem_.constraints()),
        model_(model),
        frozen_shift_(model == Model::ncp && settings.inner.method == InnerMethod::exact_newton),
        function_(problem_, settings.inner.method == InnerMethod::exact_newton ? Model::ccp : Model::ncp),
        inner_(problem_, settings.inner, monitor),
        weight_(block_means(problem_.constraints(), delassus_diagonal(problem_))),
        compliance_(largest_compliance(problem_)),
        best_(problem_.rows(), problem_.global().H.rows()) {
    const double contacts = std::max(1.0, static_cast<double>(set_.count()));
    first_beta_ = settings.beta > 0.0 ? settings.beta : 10.0 * weight_.cwiseInverse().sum() / contacts;
    if (set_.count() == 0) first_beta_ = 1.0;
    last_beta_ = std::max(first_beta_, settings.beta_max * contacts / std::max(weight_.sum(), 1e-300));
    for (Vector* vector :
         {&impulse_, &previous_, &constant_, &saxce_, &constraint_velocity_, &target_, &implied_, &u_, &scratch_, &image_})
      vector->setZero(problem_.rows());
    penalty_.setOnes(set_.count());
    for (Vector* vector : {&v_, &previous_velocity_, &load_}) vector->setZero(problem_.global().H.rows());
  }

  Outcome run(const WarmStart& start, const Vector& shift, Monitor& monitor) override {
    begin(start, shift, monitor);
    if (!show(monitor, false)) return outcome();
    for (int loop = 0;; ++loop) {
      if (settings_.al_iterations > 0 && loop == settings_.al_iterations) return limited();
      freeze();
      const bool moved = solve_inner(monitor);
      if (stopped_) return outcome();
      if (!moved) return stalled("the inner problem cannot be solved");
      if (!inner_failed_ && update(monitor)) return stalled("the iterates no longer change");
    }
  }

 private:
  void begin(const WarmStart& start, const Vector& shift, Monitor& monitor) {
    shift_ = shift;
    beta_ = first_beta_;
    previous_change_ = std::numeric_limits<double>::infinity();
    waited_ = 0;
    growing_ = true;
    stopped_ = false;
    failures_ = 0;
    native_.clear();
    native_.beta = beta_;
    impulse_.setZero();
    double residual = evaluate(impulse_, monitor);
    implied_.setZero();
    if (start.impulse.size() > 0) {
      previous_ = start.impulse;
      for (Index i = 0; i < set_.count(); ++i)
        put_block(set_, previous_, i,
                  contact_map_value(set_.kind(i), set_.friction(i), Model::ccp, padded_block(set_, previous_, i)));
      const double given = evaluate(previous_, monitor);
      if (given <= residual) {
        residual = given;
        impulse_ = previous_;
        implied_ = u_;
      }
    }
    evaluate(impulse_, monitor);
    load_.noalias() = problem_.global().D * impulse_;
    load_ += problem_.global().k;
    problem_.mass().solve(load_, v_);
    best_.keep(residual, impulse_, &v_);
    previous_ = impulse_;
    previous_velocity_ = v_;
  }

  /// Largest ‖γ_i − P(γ_i − ρ_i u_i)‖/ρ_i, m/s, by the true local velocity, which stays in u_.
  double evaluate(const Vector& impulse, Monitor& monitor) {
    ++monitor.counters().products;
    problem_.local_velocity(impulse, scratch_, u_);
    u_ += shift_;
    double residual = 0.0;
    for (Index i = 0; i < set_.count(); ++i) {
      const AnyConstraint map{set_.kind(i), set_.friction(i), model_};
      const double rho = 1.0 / weight_[i];
      const double defect = fixed_point_defect(map, padded_block(set_, impulse, i), padded_block(set_, u_, i), rho);
      residual = std::max(residual, defect * weight_[i]);
    }
    return residual;
  }

  /// Sets up the next inner problem (I.1): the constant part of its local velocity, the De Saxcé term and β_i. u_ is the
  /// velocity of previous_ here.
  void freeze() {
    const GlobalForm& form = problem_.global();
    constant_ = form.b + shift_;
    if (!problem_.given_global()) {
      // H = I and k = 0: the part of N that LLᵀ of the derived form lacks is frozen at the last outer iterate.
      load_.noalias() = form.D * previous_;
      constraint_velocity_.noalias() = form.D.transpose() * load_;
      constant_ = u_ - constraint_velocity_;
    } else if (form.C.nonZeros() > 0) {
      image_.noalias() = form.C * previous_;
      constant_ += image_;
    }
    saxce_.setZero();
    if (frozen_shift_) de_saxce_shift(set_, implied_, saxce_);
    for (Index i = 0; i < set_.count(); ++i) {
      penalty_[i] = beta_ / (1.0 + beta_ * compliance_[i]);
      put_block(set_, target_, i,
                padded_block(set_, previous_, i) -
                    penalty_[i] * (padded_block(set_, constant_, i) + padded_block(set_, saxce_, i)));
    }
    function_.freeze(target_, penalty_);
    function_.evaluate(v_);
    inner_.restart();
    native_.iteration += 1.0;
    native_.beta = beta_;
  }

  /// ‖(λ_i − λ_i,prev)/β_i‖: distance between Dᵀv and z. Largest (m/s), or as an energy norm.
  double change(bool energy) const {
    double largest = 0.0, sum = 0.0;
    for (Index i = 0; i < set_.count(); ++i) {
      const double size = (padded_block(set_, function_.impulse(), i) - padded_block(set_, previous_, i)).norm();
      largest = std::max(largest, size / penalty_[i]);
      sum += size * size / penalty_[i];
    }
    return energy ? std::sqrt(sum) : largest;
  }

  /// Newton steps until ϱ is small beside the change of the impulses, at least one. False when nothing helps any more.
  bool solve_inner(Monitor& monitor) {
    inner_failed_ = false;
    double norm = function_.norm(function_.value());
    for (int step = 0; step < settings_.inner_steps; ++step) {
      const InnerNewton::Step done = inner_.step(function_, monitor);
      const double before = norm;
      norm = function_.norm(function_.value());
      // A step that does not halve a residual this small has reached the rounding of β Dᵀv in λ.
      const bool at_rounding = norm >= 0.5 * before && norm <= rounded * function_.scale();
      impulse_ = function_.impulse();
      native_.residual = change(false);
      native_.newton_residual = norm;
      native_.step_length = done.length;
      native_.trials = done.trials;
      inner_failed_ = done.failed && !at_rounding;
      if (inner_failed_) native_.failures = ++failures_;
      v_ = function_.velocity();
      const bool solved = !inner_failed_ && (norm <= settings_.inner_tolerance * change(true) || at_rounding);
      if (!show(monitor, solved && native_.residual <= settings_.tolerance)) {
        stopped_ = true;
        return true;
      }
      if (inner_failed_) break;
      if (solved) return true;
    }
    if (settings_.inner.method != InnerMethod::exact_newton || inner_failed_) return retreat();
    // A convex inner problem that is cut short is merely solved less accurately, but its penalty is too large.
    lower_penalty();
    return true;
  }

  void lower_penalty() {
    growing_ = false;
    waited_ = 0;
    beta_ = std::max(beta_ / settings_.kappa, std::min(beta_, first_beta_));
  }

  /// Lowers β after an inner problem that was not solved: the smaller β, the closer ϱ is to a linear function.
  bool retreat() {
    if (!inner_failed_) native_.failures = ++failures_;
    inner_failed_ = true;
    growing_ = false;
    beta_ /= settings_.kappa;
    impulse_ = previous_;
    v_ = previous_velocity_;
    return beta_ >= 1e-12 * first_beta_;
  }

  /// Multipliers, z and β for the next outer iteration; true when nothing changes.
  bool update(Monitor& monitor) {
    const double change_now = change(false);
    for (Index i = 0; i < set_.count(); ++i)
      put_block(set_, implied_, i,
                padded_block(set_, function_.constraint_velocity(), i) + padded_block(set_, constant_, i) +
                    (padded_block(set_, impulse_, i) - padded_block(set_, previous_, i)) / penalty_[i]);
    const bool same = impulse_ == previous_ && v_ == previous_velocity_, least = beta_ <= first_beta_;
    previous_ = impulse_;
    previous_velocity_ = v_;
    const double residual = evaluate(impulse_, monitor);
    if (residual < best_.residual()) {
      best_.keep(residual, impulse_, &v_);
      waited_ = 0;
    } else if (++waited_ == patience || same) {
      lower_penalty();  // the residual no longer falls
    }
    if (growing_ && change_now > settings_.zeta * previous_change_) beta_ = std::min(settings_.kappa * beta_, last_beta_);
    previous_change_ = change_now;
    return same && least;
  }

  bool show(Monitor& monitor, bool converged) {
    const Vector* velocity = problem_.given_global() ? &v_ : nullptr;
    const bool go_on = monitor.go_on({impulse_, velocity, native_.values(), converged});
    if (monitor.solved()) best_.keep(best_.residual(), impulse_, &v_);
    return go_on;
  }

  Outcome outcome() const {
    return {best_.impulse(), problem_.given_global() ? best_.velocity() : Vector(), 0.0, std::nullopt, ""};
  }
  Outcome limited() const {
    Outcome result = outcome();
    result.given_up = Status::iteration_limit;
    result.reason = "the limit of outer iterations was reached";
    return result;
  }
  Outcome stalled(const char* why) const {
    Outcome result = outcome();
    result.given_up = Status::stalled;
    result.reason = why;
    return result;
  }

  AugmentedSettings settings_;
  ContactProblem problem_;
  const ConstraintSet& set_;
  Model model_;
  bool frozen_shift_;
  AugmentedFunction function_;
  InnerNewton inner_;
  Vector weight_;      ///< t_i = tr(N_ii)/rows, 1/kg
  Vector compliance_;  ///< c_i
  double first_beta_ = 1.0, last_beta_ = 1.0, beta_ = 1.0, previous_change_ = 0.0;
  int waited_ = 0, failures_ = 0;
  bool growing_ = true, stopped_ = false, inner_failed_ = false;
  BestIterate best_;
  Vector shift_, impulse_, previous_, constant_, saxce_, constraint_velocity_, target_, implied_, u_, scratch_, image_;
  Vector penalty_, v_, previous_velocity_, load_;
  AugmentedColumns native_;
};

class AugmentedLagrangian final : public Method<AugmentedSettings, AugmentedSession> {
 public:
  AugmentedLagrangian(const char* name, const char* title, const char* reference, std::vector<Model> models,
                      InnerMethod method)
      : Method({name, title, reference, std::move(models), AugmentedColumns().columns()}) {
    settings_.inner.method = method;
    fields_
        .add("beta", &settings_.beta, Range::non_negative(), "kg",
             "first penalty; 0: 10 times the mean of rows/tr(N_ii). The paper's is 1e4", "Lee et al. 2025, sec. V-D")
        .add("kappa", &settings_.kappa, Range{1.0, std::numeric_limits<double>::infinity(), true, false}, "",
             "factor by which the penalty grows", "Lee et al. 2025, eq. 27")
        .add("zeta", &settings_.zeta, Range::open_closed(0, 1), "",
             "the penalty grows where the outer residual fell by less than this", "Lee et al. 2025, Algorithm 1")
        .add("beta_max", &settings_.beta_max, Range::positive(), "",
             "largest penalty times the mean of tr(N_ii)/rows; it stops growing earlier where the residual no longer falls",
             "Lee et al. 2025, eq. 27")
        .add("inner_tolerance", &settings_.inner_tolerance, Range::positive(), "",
             "inner residual relative to the change of the impulses, both as energies", "ours")
        .add("inner_steps", &settings_.inner_steps, Range::at_least(1), "Newton steps of one inner problem", "ours")
        .add("al_iterations", &settings_.al_iterations, Range::at_least(0),
             "limit of outer iterations, which al_iteration counts (max_iterations counts Newton steps); 0: none",
             "Lee et al. 2025, Table II and Fig. 7")
        .add(
            "linear_system", &settings_.inner.form,
            {{"auto", AugmentedForm::automatic}, {"velocity", AugmentedForm::velocity}, {"contact", AugmentedForm::contact}},
            "unknowns of the Newton systems; auto: the cheaper form", "Lee et al. 2025, eq. 23; ours (I.6)")
        .add("tolerance", &settings_.tolerance, Range::positive(), "m/s", "native criterion: outer residual",
             "Lee et al. 2025, Algorithm 1");
    if (method == InnerMethod::exact_newton)
      fields_.add("line_search_tolerance", &settings_.inner.line_search_tolerance, Range::open_closed(0, 0.5), "",
                  "slope at the end of a line search relative to that at its start", "Lee et al. 2025, eq. 26");
  }

 private:
  std::optional<std::string> do_supports(const ContactProblem& problem, Model) const override {
    if (settings_.inner.form == AugmentedForm::contact && !has_contact_form(problem))
      return "linear_system = contact needs a block-diagonal H without compliance, or an N without negative part";
    return std::nullopt;
  }
};

}  // namespace

std::unique_ptr<Solver> make_canal() {
  return std::make_unique<AugmentedLagrangian>("canal", "CANAL, cascaded Newton augmented Lagrangian",
                                               "Lee, Lee, Park, Yun and Lee 2025, Algorithm 1",
                                               std::vector{Model::ncp, Model::ccp}, InnerMethod::exact_newton);
}

std::unique_ptr<Solver> make_al_trdogleg() {
  return std::make_unique<AugmentedLagrangian>("al_trdogleg", "Augmented Lagrangian with trust-region dogleg",
                                               "Lee, Lee, Park, Yun and Lee 2025, Table II; Powell 1970",
                                               std::vector{Model::ncp}, InnerMethod::dogleg);
}

std::unique_ptr<Solver> make_al_damped_newton() {
  return std::make_unique<AugmentedLagrangian>("al_damped_newton", "Augmented Lagrangian with damped semismooth Newton",
                                               "Lee, Lee, Park, Yun and Lee 2025, Table II", std::vector{Model::ncp},
                                               InnerMethod::damped);
}

}  // namespace ccp
