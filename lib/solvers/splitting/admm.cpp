#include "solvers/splitting/admm.hpp"

#include <algorithm>
#include <cmath>

#include "cones/product_cone.hpp"
#include "problem/conversion.hpp"
#include "solvers/splitting/admm_system.hpp"
#include "solvers/splitting/step_policy.hpp"

namespace ccp {
namespace {

enum class Preconditioner { none, diagonal };
enum class Backend { automatic, mumps, cholmod, eigen_ldlt };

struct AdmmSettings {
  double rho = 0.1;
  double rho_bilateral = 1e-9;
  StepSettings step;
  Preconditioner preconditioner = Preconditioner::none;
  AdmmForm form = AdmmForm::automatic;
  Backend backend = Backend::automatic;
  int refinement_steps = 1;
  double tolerance_primal = 1e-10;
  double tolerance_dual = 1e-10;
};

std::string backend_name(Backend backend) {
  switch (backend) {
    case Backend::mumps: return "mumps";
    case Backend::cholmod: return "cholmod";
    case Backend::eigen_ldlt: return "eigen_ldlt";
    case Backend::automatic: break;
  }
  return "auto";
}

/// ‖x‖∞ of an expression, without a temporary.
template <typename Expression>
double max_norm(const Expression& x) {
  return x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0.0;
}

class AdmmSession final : public Session {
 public:
  AdmmSession(const AdmmSettings& settings, const ContactProblem& problem, Monitor& monitor)
      : settings_(settings), problem_(problem), weight_(Vector::Ones(problem.rows())), bilateral_(problem.rows()) {
    const ConstraintSet& blocks = problem.constraints();
    for (Index i = 0; i < blocks.count(); ++i)
      bilateral_.segment(blocks.offset(i), blocks.rows(i))
          .setConstant(blocks.kind(i) == ConstraintKind::bilateral ? 1.0 : 0.0);
    scale_with_delassus_diagonal();
    system_ = make_admm_system(problem, settings.form, backend_name(settings.backend), settings.refinement_steps, monitor);
    const Index m = problem.rows();
    for (Vector* vector : {&theta_, &gamma_, &z_, &z_previous_, &y_, &g_}) vector->setZero(m);
    v_.setZero(system_->has_velocity() ? problem.global().H.rows() : 0);
    set_step(settings.rho, monitor);
  }

  Outcome run(const WarmStart& start, const Vector& shift, Monitor& monitor) override {
    initialise(start, shift, monitor);
    std::vector<double> native{0.0, 0.0, rho_};
    bool converged = false;
    int iteration = 0;
    while (monitor.go_on({z_, shown_velocity(), native, converged})) {
      if (!broken_) solve_linear_system(shift, monitor);
      if (broken_) return {z_, {}, rho_, Status::failed, "the linear system cannot be solved: " + system_->message()};
      project(monitor);
      y_ += theta_.cwiseProduct(gamma_ - z_);
      y_ = (bilateral_.array() > 0.0).select(0.0, y_);

      const double primal = max_norm(gamma_ - z_);
      const double dual = max_norm(theta_.cwiseProduct(z_ - z_previous_));
      converged = primal <= settings_.tolerance_primal && dual <= settings_.tolerance_dual;
      native = {primal, dual, rho_};
      ++iteration;
      adjust_step(iteration, monitor);
    }
    return {z_, shown_velocity() != nullptr ? v_ : Vector(), rho_, std::nullopt, ""};
  }

 private:
  /// S⁻² of eq. 47 (mean of diag N_ii over each block, all ones without the preconditioner), and the bounds of ρ.
  void scale_with_delassus_diagonal() {
    const ConstraintSet& blocks = problem_.constraints();
    const Vector diagonal = delassus_diagonal(problem_);
    for (Index i = 0; i < blocks.count(); ++i) {
      const double mean = diagonal.segment(blocks.offset(i), blocks.rows(i)).mean();
      if (settings_.preconditioner == Preconditioner::diagonal && mean > 0.0)
        weight_.segment(blocks.offset(i), blocks.rows(i)).setConstant(mean);
    }
    const double mean = blocks.rows() > 0 ? diagonal.mean() : 1.0;
    const double unit = settings_.preconditioner == Preconditioner::diagonal || !(mean > 0.0) ? 1.0 : mean;
    rho_min_ = 1e-12 * unit;
    rho_max_ = 1e12 * unit;
  }

  void set_step(double rho, Monitor& monitor) {
    rho_ = rho;
    theta_ = weight_.cwiseProduct(rho_ * (1.0 - bilateral_.array()).matrix() + settings_.rho_bilateral * bilateral_);
    broken_ = !system_->factorize(theta_, monitor);
  }

  /// Algorithm 2 from γ⁰, or y⁰ = z⁰ = 0. Bilateral rows keep y = 0: Π_R is the identity, so their y would never leave
  /// again.
  void initialise(const WarmStart& start, const Vector& shift, Monitor& monitor) {
    if (start.step > 0.0 && start.step != rho_) set_step(std::clamp(start.step, rho_min_, rho_max_), monitor);
    y_.setZero();
    z_.setZero();
    has_velocity_ = false;
    if (start.impulse.size() == 0) return;
    z_ = start.impulse;
    project_product(problem_.constraints(), z_);
    Vector body_scratch, u;
    if (start.velocity.size() > 0) {
      const GlobalForm& form = problem_.global();
      u = form.D.transpose() * start.velocity + form.C * z_ + form.b;
    } else {
      problem_.local_velocity(z_, body_scratch, u);
    }
    ++monitor.counters().products;
    y_ = (bilateral_.array() > 0.0).select(0.0, -(u + shift));
  }

  void solve_linear_system(const Vector& shift, Monitor& monitor) {
    g_ = theta_.cwiseProduct(z_) - y_ - shift;
    broken_ = !system_->solve(g_, gamma_, v_, monitor);
    has_velocity_ = system_->has_velocity();
  }

  void project(Monitor& monitor) {
    z_previous_.swap(z_);
    z_ = gamma_ + y_.cwiseQuotient(theta_);
    project_product(problem_.constraints(), z_, monitor.threads());
    ++monitor.counters().projections;
  }

  void adjust_step(int iteration, Monitor& monitor) {
    // The policy balances the residuals of the scaled problem: S⁻¹(γ − z) and Θ S (z − z_previous) with Θ including S⁻²
    // (sec. 6.1).
    const double primal = max_norm(weight_.cwiseSqrt().cwiseProduct(gamma_ - z_));
    const double dual = max_norm(theta_.cwiseQuotient(weight_.cwiseSqrt()).cwiseProduct(z_ - z_previous_));
    const double factor = step_factor(settings_.step, iteration, primal, dual);
    if (factor == 1.0) return;
    const double rho = std::clamp(rho_ * factor, rho_min_, rho_max_);
    if (rho != rho_) set_step(rho, monitor);
  }

  const Vector* shown_velocity() const { return has_velocity_ && problem_.given_global() ? &v_ : nullptr; }

  AdmmSettings settings_;
  ContactProblem problem_;
  Vector weight_;     ///< S⁻²
  Vector bilateral_;  ///< 1 on bilateral rows
  std::unique_ptr<AdmmSystem> system_;
  Vector theta_, gamma_, z_, z_previous_, y_, g_, v_;
  double rho_ = 0.0, rho_min_ = 0.0, rho_max_ = 0.0;
  bool has_velocity_ = false, broken_ = false;
};

class Admm final : public Solver {
 public:
  Admm() {
    AdmmSettings& s = settings_;
    fields_
        .add("rho", &s.rho, Range::positive(), "1/kg", "initial step ρ⁰ (dimensionless with the preconditioner)",
             "Tasora 2021, sec. 6.2")
        .add("rho_bilateral", &s.rho_bilateral, Range::positive(), "1/kg", "step on bilateral rows", "Tasora 2021, eq. 44")
        .add("step_policy", &s.step.policy, {{"fixed", StepPolicy::fixed}, {"balanced", StepPolicy::balanced}},
             "how ρ is adapted: not at all, or by the ratio of the residuals", "Tasora 2021, eq. 42")
        .add("update_interval", &s.step.update_interval, Range::at_least(1.0), "iterations between updates of ρ, n_s",
             "Tasora 2021, sec. 8.1")
        .add("max_factor", &s.step.max_factor, Range::at_least(1.0), "", "largest change of ρ in one update",
             "Tasora 2021, sec. 5.2")
        .add("dead_band", &s.step.dead_band, Range::at_least(1.0), "",
             "no update while the factor is in [1/dead_band, dead_band]", "Tasora 2021, sec. 5.2")
        .add("preconditioner", &s.preconditioner, {{"none", Preconditioner::none}, {"diagonal", Preconditioner::diagonal}},
             "diagonal: P-ADMM, steps ρ N_ii (mean over the block)", "Tasora 2021, eq. 47")
        .add("linear_system", &s.form,
             {{"auto", AdmmForm::automatic},
              {"saddle", AdmmForm::saddle},
              {"schur", AdmmForm::schur},
              {"normal", AdmmForm::normal}},
             "which form of the linear system is factorised", "Tasora 2021, eqs. 36 and 31; ours")
        .add("linear_solver", &s.backend,
             {{"auto", Backend::automatic},
              {"mumps", Backend::mumps},
              {"cholmod", Backend::cholmod},
              {"eigen_ldlt", Backend::eigen_ldlt}},
             "library that factorises it", "ours")
        .add("refinement_steps", &s.refinement_steps, Range::closed(0, 10), "steps of iterative refinement per solve",
             "ours")
        .add("tolerance_primal", &s.tolerance_primal, Range::non_negative(), "N·s", "native criterion on |γ − z|∞",
             "Tasora 2021, eq. 39; value ours")
        .add("tolerance_dual", &s.tolerance_dual, Range::non_negative(), "m/s", "native criterion on |Θ(z − z_previous)|∞",
             "Tasora 2021, eq. 40; value ours");
  }

 private:
  const SolverInfo& do_info() const override {
    static const SolverInfo info{"admm",
                                 "Alternating direction method of multipliers (ADMM, P-ADMM)",
                                 "Tasora, Mangoni, Benatti, Garziera 2021, Algorithm 1",
                                 {Model::ccp},
                                 {{"primal_residual", "N·s", "|γ − z|∞"},
                                  {"dual_residual", "m/s", "|Θ(z − z_previous)|∞"},
                                  {"rho", "1/kg", "step ρ of the iteration"}}};
    return info;
  }
  std::optional<std::string> do_supports(const ContactProblem& problem, Model) const override {
    return admm_system_defect(problem, settings_.form, backend_name(settings_.backend));
  }
  std::unique_ptr<Session> do_prepare(const ContactProblem& problem, Model, Monitor& monitor) const override {
    return std::make_unique<AdmmSession>(settings_, problem, monitor);
  }

  AdmmSettings settings_;
};

}  // namespace

std::unique_ptr<Solver> make_admm() { return std::make_unique<Admm>(); }

}  // namespace ccp
