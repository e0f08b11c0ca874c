#include <algorithm>
#include <cmath>
#include <limits>

#include "cones/product_cone.hpp"
#include "problem/block_scale.hpp"
#include "problem/conversion.hpp"
#include "solvers/augmented_lagrangian/inner_newton.hpp"
#include "solvers/augmented_lagrangian/penalty.hpp"
#include "solvers/methods.hpp"
#include "solvers/shared/best_iterate.hpp"
#include "solvers/shared/largest_compliance.hpp"
#include "solvers/shared/method.hpp"
#include "solvers/shared/native_columns.hpp"
#include "solvers/shared/padded_blocks.hpp"

namespace ccp {
namespace {

constexpr double rounded = 1e-8;          ///< relative to the terms of ϱ
constexpr double inner_tolerance = 0.01;  ///< of ‖ϱ‖, relative to the change of the impulses, both as energies

/// Settings of the augmented Lagrangian methods of Lee et al. 2025, Algorithm 1.
struct AugmentedSettings {
  InnerSettings inner;
  double beta = 0.0;  ///< β⁰, kg; 0: 10 times the mean of 1/N_ii
  double kappa = 10.0;
  double zeta = 0.25;
  double beta_max = 1e4;  ///< largest β times the mean of N_ii
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
template <int Rows>
class AugmentedSession final : public Session {
 public:
  AugmentedSession(const AugmentedSettings& settings, const ContactProblem& problem, Model model, Monitor& monitor)
      : settings_(settings),
        problem_(problem),
        set_(problem_.constraints()),
        maps_(set_, model),
        frozen_shift_(model == Model::ncp && settings.inner.method == InnerMethod::exact_newton),
        function_(problem_, settings.inner.method == InnerMethod::exact_newton ? Model::ccp : Model::ncp),
        inner_(problem_, settings.inner, monitor),
        weight_(block_means(problem_.constraints(), delassus_diagonal(problem_))),
        compliance_(largest_compliance(problem_)),
        best_(problem_.rows(), problem_.global().H.rows()) {
    const double contacts = std::max(1.0, static_cast<double>(set_.count()));
    rule_.kappa = settings.kappa;
    rule_.zeta = settings.zeta;
    rule_.first = settings.beta > 0.0 ? settings.beta : 10.0 * weight_.cwiseInverse().sum() / contacts;
    if (set_.count() == 0) rule_.first = 1.0;
    rule_.last = std::max(rule_.first, settings.beta_max * contacts / std::max(weight_.sum(), 1e-300));
    for (Vector* vector :
         {&impulse_, &previous_, &constant_, &saxce_, &constraint_velocity_, &target_, &implied_, &u_, &scratch_, &image_})
      vector->setZero(problem_.rows());
    penalty_.setOnes(set_.count());
    for (Vector* vector : {&v_, &previous_velocity_, &load_}) vector->setZero(problem_.global().H.rows());
  }

  Outcome run(const WarmStart& start, const Vector& shift, Monitor& monitor) override {
    begin(start, shift, monitor);
    if (!show(monitor, false)) return outcome();
    for (int loop = 0; settings_.al_iterations == 0 || loop < settings_.al_iterations; ++loop) {
      freeze();                        // line 5
      switch (solve_inner(monitor)) {  // lines 6–14
        case Inner::stopped: return outcome();
        case Inner::failed:
          take_back();
          if (!beta_.retreat()) return given_up(Status::stalled, "the inner problem cannot be solved");
          continue;
        case Inner::cut_short: beta_.lower(); break;
        case Inner::solved: break;
      }
      if (!update(monitor)) return given_up(Status::stalled, "the iterates no longer change");  // lines 15–22
    }
    return given_up(Status::iteration_limit, "the limit of outer iterations was reached");
  }

 private:
  /// How an inner problem ends. A convex one that is cut short is merely solved less accurately, but its penalty is too
  /// large; of the others v may be no better than before.
  enum class Inner { solved, cut_short, failed, stopped };

  BlockVector<Rows> block(const Vector& x, Index i) const { return padded_block<Rows>(set_, x, i); }

  void begin(const WarmStart& start, const Vector& shift, Monitor& monitor) {
    shift_ = shift;
    beta_.restart(rule_);
    failures_ = 0;
    native_.clear();
    native_.beta = beta_;
    impulse_.setZero();
    double residual = evaluate(impulse_, monitor);
    implied_.setZero();
    if (start.impulse.size() > 0) {
      previous_ = start.impulse;
      project_product(set_, previous_);
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
      const double rho = 1.0 / weight_[i];
      const BlockVector<Rows> own = block(impulse, i);
      const double defect = (own - maps_.value(i, own - rho * block(u_, i))).norm();
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
      put_block(set_, target_, i, block(previous_, i) - penalty_[i] * (block(constant_, i) + block(saxce_, i)));
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
      const double size = (block(function_.impulse(), i) - block(previous_, i)).norm();
      largest = std::max(largest, size / penalty_[i]);
      sum += size * size / penalty_[i];
    }
    return energy ? std::sqrt(sum) : largest;
  }

  /// Newton steps until ϱ is small beside the change of the impulses, at least one.
  Inner solve_inner(Monitor& monitor) {
    double norm = function_.norm(function_.value());
    for (int step = 0; step < settings_.inner_steps; ++step) {
      const InnerStep done = inner_.step(function_, monitor);
      const double before = norm;
      norm = function_.norm(function_.value());
      // A step that does not halve a residual this small has reached the rounding of β Dᵀv in λ.
      const bool at_rounding = norm >= 0.5 * before && norm <= rounded * function_.scale();
      const bool failed = done.failed && !at_rounding;
      const bool solved = !failed && (norm <= inner_tolerance * change(true) || at_rounding);
      if (failed) ++failures_;
      impulse_ = function_.impulse();
      v_ = function_.velocity();
      native_.residual = change(false);
      native_.newton_residual = norm;
      native_.step_length = done.length;
      native_.trials = done.trials;
      native_.failures = failures_;
      if (!show(monitor, solved && native_.residual <= settings_.tolerance)) return Inner::stopped;
      if (failed) return Inner::failed;
      if (solved) return Inner::solved;
    }
    if (settings_.inner.method == InnerMethod::exact_newton) return Inner::cut_short;
    native_.failures = ++failures_;
    return Inner::failed;
  }

  /// Back to the last outer iterate.
  void take_back() {
    impulse_ = previous_;
    v_ = previous_velocity_;
  }

  /// Multipliers, z and β for the next outer iteration (I.5). False when nothing changes any more.
  bool update(Monitor& monitor) {
    const double outer_residual = change(false);
    for (Index i = 0; i < set_.count(); ++i)
      put_block(set_, implied_, i,
                block(function_.constraint_velocity(), i) + block(constant_, i) +
                    (block(impulse_, i) - block(previous_, i)) / penalty_[i]);
    const bool unchanged = impulse_ == previous_ && v_ == previous_velocity_;
    previous_ = impulse_;
    previous_velocity_ = v_;
    const double residual = evaluate(impulse_, monitor);
    const bool better = residual < best_.residual();
    if (better) best_.keep(residual, impulse_, &v_);
    return beta_.update(outer_residual, better, unchanged);
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
  Outcome given_up(Status status, const char* why) const {
    Outcome result = outcome();
    result.given_up = status;
    result.reason = why;
    return result;
  }

  AugmentedSettings settings_;
  ContactProblem problem_;
  const ConstraintSet& set_;
  PaddedMaps<Rows> maps_;
  bool frozen_shift_;
  AugmentedFunction<Rows> function_;
  InnerNewton<Rows> inner_;
  Vector weight_;      ///< t_i = tr(N_ii)/rows, 1/kg
  Vector compliance_;  ///< c_i
  Penalty::Rule rule_;
  Penalty beta_;
  int failures_ = 0;
  BestIterate best_;
  Vector shift_, impulse_, previous_, constant_, saxce_, constraint_velocity_, target_, implied_, u_, scratch_, image_;
  Vector penalty_, v_, previous_velocity_, load_;
  AugmentedColumns native_;
};

class AugmentedLagrangian final : public Method<AugmentedSettings, AugmentedSession<3>, AugmentedSession<most_rows>> {
 public:
  AugmentedLagrangian(const char* name, const char* title, const char* reference, std::vector<Model> models,
                      InnerMethod method)
      : Method({name, title, reference, std::move(models), AugmentedColumns().columns(), false, false, true}) {
    settings_.inner.method = method;
    fields_
        .add("beta", &settings_.beta, Range::non_negative(), "kg",
             "first penalty; 0: 10 times the mean of rows/tr(N_ii). The paper's is 1e4",
             "Lee et al. 2025, sec. V-D; 0 is ours")
        .add("kappa", &settings_.kappa, Range{1.0, std::numeric_limits<double>::infinity(), true, false}, "",
             "factor by which the penalty grows", "Lee et al. 2025, eq. 27; value ours")
        .add("zeta", &settings_.zeta, Range::open_closed(0, 1), "",
             "the penalty grows where the outer residual fell by less than this", "Lee et al. 2025, Algorithm 1; value ours")
        .add("beta_max", &settings_.beta_max, Range::positive(), "",
             "largest penalty times the mean of tr(N_ii)/rows; it stops growing earlier where the residual no longer falls",
             "Lee et al. 2025, eq. 27; value and scale ours")
        .add("inner_steps", &settings_.inner_steps, Range::at_least(1), "Newton steps of one inner problem", "ours")
        .add("al_iterations", &settings_.al_iterations, Range::at_least(0),
             "limit of outer iterations, which al_iteration counts (max_iterations counts Newton steps); 0: none",
             "Lee et al. 2025, Table II and Fig. 7")
        .add(
            "linear_system", &settings_.inner.form,
            {{"auto", AugmentedForm::automatic}, {"velocity", AugmentedForm::velocity}, {"contact", AugmentedForm::contact}},
            "unknowns of the Newton systems; auto: the cheaper form", "Lee et al. 2025, eq. 23; ours (I.6)")
        .add("tolerance", &settings_.tolerance, Range::positive(), "m/s", "native criterion: outer residual",
             "Lee et al. 2025, Algorithm 1; value ours");
    if (method == InnerMethod::exact_newton)
      fields_.add("line_search_tolerance", &settings_.inner.line_search_tolerance, Range::open_closed(0, 0.5), "",
                  "slope at the end of a line search relative to that at its start", "Lee et al. 2025, eq. 26");
  }

 private:
  std::optional<std::string> do_supports(const ContactProblem& problem, Model) const override {
    if (settings_.inner.form == AugmentedForm::contact && !has_contact_form(problem))
      return "linear_system = contact needs contacts of at most three rows, and a block-diagonal H without compliance or an "
             "N "
             "without negative part";
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
