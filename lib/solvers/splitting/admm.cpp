#include <algorithm>
#include <cmath>
#include <limits>

#include "cones/product_cone.hpp"
#include "problem/block_scale.hpp"
#include "problem/conversion.hpp"
#include "solvers/methods.hpp"
#include "solvers/shared/linear_backend.hpp"
#include "solvers/shared/method.hpp"
#include "solvers/shared/native_columns.hpp"
#include "solvers/splitting/admm_system.hpp"
#include "solvers/splitting/rho_policy.hpp"

namespace ccp {
namespace {

/// S of eq. 45: I, N_ii^(-1/2) as in the paper, or N_ii^(1/2) as in the reference implementation.
enum class RhoScaling { none, diagonal, inverse_diagonal };
/// The one number of N_ii for all rows of a block.
enum class BlockNumber { mean, normal };
/// The rows whose residuals and impulses adapt ρ.
enum class AdaptingRows { all, cones };
/// The impulse that is shown and handed over.
enum class Impulse { z, gamma };

struct AdmmColumns : NativeColumns {
  explicit AdmmColumns(bool accelerated)
      : dual(*this, "dual_residual", "m/s", accelerated ? "|Θ(γ − γ̂)|∞" : "|Θ(z − z_previous)|∞") {}
  NativeValue primal{*this, "primal_residual", "N·s", "|γ − z|∞"};
  NativeValue dual;
  NativeValue rho{*this, "rho", "1/kg", "ρ of the iteration"};
  NativeValue scaled_primal{*this, "scaled_primal_residual", "√J", "|S⁻¹(γ − z)|∞; N·s without the preconditioner"};
  NativeValue scaled_dual{*this, "scaled_dual_residual", "√J", "|S · dual|∞; m/s without the preconditioner"};
};

struct AdmmSettings {
  double rho = 0.1;
  double rho_bilateral = 1e-9;
  bool rho_bilateral_relative = false;
  double rho_min = 1e-12, rho_max = 1e12;
  bool accelerated = false;
  double restart_factor = 0.999;
  RhoSettings adaptation;
  RhoScaling scaling = RhoScaling::none;
  BlockNumber block_number = BlockNumber::mean;
  AdaptingRows adapting_rows = AdaptingRows::all;
  Impulse hands_out = Impulse::z;
  LinearForm form = LinearForm::automatic;
  LinearBackend backend = LinearBackend::automatic;
  int refinement_steps = 1;
  double tolerance_primal = 1e-10;
  double tolerance_dual = 1e-10;
};

class AdmmSession final : public Session {
 public:
  AdmmSession(const AdmmSettings& settings, const ContactProblem& problem, Model, Monitor& monitor)
      : settings_(settings),
        problem_(problem),
        weight_(Vector::Ones(problem.rows())),
        bilateral_(problem.rows()),
        native_(settings.accelerated) {
    const ConstraintSet& blocks = problem.constraints();
    for (Index i = 0; i < blocks.count(); ++i)
      bilateral_.segment(blocks.offset(i), blocks.rows(i))
          .setConstant(blocks.kind(i) == ConstraintKind::bilateral ? 1.0 : 0.0);
    adapting_ =
        settings.adapting_rows == AdaptingRows::all ? Vector::Ones(problem.rows()) : Vector(1.0 - bilateral_.array());
    scale_with_delassus_diagonal();
    system_ =
        make_admm_system(problem, settings.form, linear_backend_name(settings.backend), settings.refinement_steps, monitor);
    const Index m = problem.rows();
    for (Vector* vector :
         {&theta_, &theta_inverse_, &gamma_, &z_, &z_previous_, &y_, &g_, &change_, &gamma_point_, &y_point_, &gamma_last_,
          &y_last_, &gradient_, &normal_, &gamma_seen_, &z_seen_, &gradient_seen_, &normal_seen_})
      vector->setZero(m);
    v_.setZero(system_->has_velocity() ? problem.global().H.rows() : 0);
    set_rho(settings.rho, monitor);
  }

  Outcome run(const WarmStart& start, const Vector& shift, Monitor& monitor) override {
    initialise(start, shift, monitor);
    native_.clear();
    native_.rho = rho_;
    bool converged = false;
    int iteration = 0;
    while (monitor.go_on({shown_impulse(), shown_velocity(), native_.values(), converged})) {
      iterate(shift, monitor);
      if (broken_)
        return {shown_impulse(), {}, rho_, Status::failed, "the linear system cannot be solved: " + system_->message()};
      converged = primal_ <= settings_.tolerance_primal && dual_ <= settings_.tolerance_dual;
      native_.primal = primal_;
      native_.dual = dual_;
      native_.rho = rho_;
      native_.scaled_primal = scaled_primal_;
      native_.scaled_dual = scaled_dual_;
      ++iteration;
      const bool changed = adjust_rho(iteration, monitor);
      if (settings_.accelerated) accelerate(changed);
    }
    return {shown_impulse(), shown_velocity() != nullptr ? v_ : Vector(), rho_, std::nullopt, ""};
  }

 private:
  /// One iteration: γ → z → y (Algorithm 1), or z → γ → y from the extrapolated point (Algorithm 3).
  void iterate(const Vector& shift, Monitor& monitor) {
    if (broken_) return;
    if (settings_.accelerated) {
      gamma_point_ = gamma_;
      y_point_ = y_;
      project(monitor);
      solve_linear_system(shift, monitor);
      update_multiplier([&](Index row) {
        if (bilateral_[row] > 0.0) z_[row] = gamma_[row];
        return gamma_[row] - gamma_point_[row];
      });
    } else {
      solve_linear_system(shift, monitor);
      project(monitor);
      update_multiplier([&](Index row) { return z_[row] - z_previous_[row]; });
    }
  }

  /// y += Θ(γ − z), 0 on bilateral rows (G.3), and the residuals (G.4) and (G.13), where change_of(row) gives what Θ is
  /// applied to in the dual ones. One pass over the rows.
  template <typename Change>
  void update_multiplier(const Change& change_of) {
    primal_ = dual_ = scaled_primal_ = scaled_dual_ = adapting_primal_ = adapting_dual_ = 0.0;
    for (Index row = 0; row < y_.size(); ++row) {
      change_[row] = change_of(row);
      const double gap = gamma_[row] - z_[row];
      y_[row] = bilateral_[row] > 0.0 ? 0.0 : y_[row] + theta_[row] * gap;
      primal_ = std::max(primal_, std::abs(gap));
      dual_ = std::max(dual_, theta_[row] * std::abs(change_[row]));
      const double scaled_primal = root_[row] * std::abs(gap),
                   scaled_dual = theta_[row] * std::abs(change_[row]) / root_[row];
      scaled_primal_ = std::max(scaled_primal_, scaled_primal);
      scaled_dual_ = std::max(scaled_dual_, scaled_dual);
      if (adapting_[row] == 0.0) continue;
      adapting_primal_ = std::max(adapting_primal_, scaled_primal);
      adapting_dual_ = std::max(adapting_dual_, scaled_dual);
    }
  }

  /// Extrapolates γ and y while the combined residual falls, else goes back to the last iterate (Goldstein 2014, Algorithm
  /// 8). A new ρ is a new problem: the momentum starts again from here.
  void accelerate(bool changed) {
    const double combined =
        (y_ - y_point_).cwiseAbs2().cwiseProduct(theta_inverse_).sum() + theta_.cwiseProduct(change_.cwiseAbs2()).sum();
    const bool falls = combined < settings_.restart_factor * combined_;
    if (changed) combined_ = std::numeric_limits<double>::infinity();
    if (changed || !falls) momentum_ = 1.0;
    gamma_point_.swap(gamma_last_);
    y_point_.swap(y_last_);
    gamma_last_ = gamma_;
    y_last_ = y_;
    if (changed) return;
    if (!falls) {
      combined_ /= settings_.restart_factor;
      gamma_ = gamma_point_;
      y_ = y_point_;
      return;
    }
    combined_ = combined;
    const double next = 0.5 * (1.0 + std::sqrt(1.0 + 4.0 * momentum_ * momentum_));
    const double weight = (momentum_ - 1.0) / next;
    momentum_ = next;
    gamma_ += weight * (gamma_last_ - gamma_point_);
    y_ += weight * (y_last_ - y_point_);
  }

  /// S⁻² of eq. 47 (all ones without the preconditioner), and the bounds of ρ, in units of the diagonal of SNS.
  void scale_with_delassus_diagonal() {
    const ConstraintSet& blocks = problem_.constraints();
    const Vector diagonal = delassus_diagonal(problem_), means = block_means(blocks, diagonal);
    for (Index i = 0; i < blocks.count(); ++i) {
      const double normal = diagonal[blocks.offset(i)];
      const double number = settings_.block_number == BlockNumber::normal && normal > 0.0 ? normal : means[i];
      auto weight = weight_.segment(blocks.offset(i), blocks.rows(i));
      const bool bilateral = blocks.kind(i) == ConstraintKind::bilateral;
      if (settings_.scaling == RhoScaling::diagonal || (bilateral && settings_.rho_bilateral_relative))
        weight.setConstant(number);
      else if (settings_.scaling == RhoScaling::inverse_diagonal)
        weight.setConstant(1.0 / number);
    }
    root_ = weight_.cwiseSqrt();
    const double mean = blocks.rows() > 0 && diagonal.mean() > 0.0 ? diagonal.mean() : 1.0;
    double unit = mean;
    if (settings_.scaling == RhoScaling::diagonal) unit = 1.0;
    if (settings_.scaling == RhoScaling::inverse_diagonal) unit = mean * mean;
    rho_min_ = settings_.rho_min * unit;
    rho_max_ = settings_.rho_max * unit;
  }

  void set_rho(double rho, Monitor& monitor) {
    rho_ = rho;
    theta_ = weight_.cwiseProduct(rho_ * (1.0 - bilateral_.array()).matrix() + settings_.rho_bilateral * bilateral_);
    theta_inverse_ = theta_.cwiseInverse();
    broken_ = !system_->factorize(theta_, monitor);
  }

  /// Algorithm 2 from γ⁰, or y⁰ = z⁰ = 0. A fixed step stays as it was set, whatever an earlier run carried. Bilateral rows
  /// keep y = 0: Π_R is the identity, so their y would never leave again.
  void initialise(const WarmStart& start, const Vector& shift, Monitor& monitor) {
    const bool adapts = settings_.adaptation.policy != RhoPolicy::fixed;
    if (adapts && start.carried > 0.0 && start.carried != rho_)
      set_rho(std::clamp(start.carried, rho_min_, rho_max_), monitor);
    y_.setZero();
    z_.setZero();
    gamma_.setZero();
    gamma_last_.setZero();
    y_last_.setZero();
    seen_ = false;
    momentum_ = 1.0;
    combined_ = std::numeric_limits<double>::infinity();
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
    gamma_ = z_;
    gamma_last_ = gamma_;
    y_last_ = y_;
  }

  void solve_linear_system(const Vector& shift, Monitor& monitor) {
    g_ = theta_.cwiseProduct(z_) - y_ - shift;
    broken_ = !system_->solve(g_, gamma_, v_, monitor);
    has_velocity_ = system_->has_velocity();
  }

  void project(Monitor& monitor) {
    z_previous_.swap(z_);
    z_ = gamma_ + y_.cwiseProduct(theta_inverse_);
    project_product(problem_.constraints(), z_, monitor.threads());
    ++monitor.counters().projections;
  }

  /// True when ρ was changed.
  bool adjust_rho(int iteration, Monitor& monitor) {
    if (!updates_after(settings_.adaptation, iteration)) return false;
    // The policies see the scaled problem: S⁻¹γ, S⁻¹z, Sy, and Θ with S⁻² (sec. 6.1).
    RhoObservation seen;
    seen.primal = adapting_primal_;
    seen.dual = adapting_dual_;
    const auto largest = [&](const Vector& impulse) {
      return max_norm(root_.cwiseProduct(impulse).cwiseProduct(adapting_));
    };
    seen.impulse = std::max(largest(z_), largest(gamma_));
    seen.multiplier = max_norm(y_.cwiseQuotient(root_));
    seen.rho = rho_;
    if (settings_.adaptation.policy == RhoPolicy::spectral) observe_curvature(seen);
    const double factor = rho_factor(settings_.adaptation, iteration, seen);
    if (factor == 1.0) return false;
    const double rho = std::clamp(rho_ * factor, rho_min_, rho_max_);
    if (rho == rho_) return false;
    set_rho(rho, monitor);
    return true;
  }

  /// Curvatures since the last update; none at the first. Bilateral rows, where ρ has no part, are left out.
  void observe_curvature(RhoObservation& seen) {
    gradient_ = g_ - theta_.cwiseProduct(gamma_);  // Nγ + r, by the linear system
    normal_ = y_;
    if (settings_.accelerated) normal_ -= theta_.cwiseProduct(change_);
    if (seen_) {
      seen.quadratic = curvature(gamma_, gamma_seen_, gradient_, gradient_seen_);
      seen.cone = curvature(z_, z_seen_, normal_, normal_seen_);
    }
    seen_ = true;
    gamma_seen_ = gamma_;
    z_seen_ = z_;
    gradient_seen_ = gradient_;
    normal_seen_ = normal_;
  }

  Curvature curvature(const Vector& x, const Vector& x_last, const Vector& a, const Vector& a_last) const {
    Curvature sums;
    for (Index i = 0; i < x.size(); ++i) {
      if (bilateral_[i] > 0.0) continue;
      const double dx = x[i] - x_last[i], da = a[i] - a_last[i];
      sums.xx += weight_[i] * dx * dx;
      sums.xa += dx * da;
      sums.aa += da * da / weight_[i];
    }
    return sums;
  }

  /// What the monitor sees: z, which is in the cones, or the γ of the linear system, before any extrapolation.
  const Vector& shown_impulse() const {
    if (settings_.hands_out == Impulse::z) return z_;
    return settings_.accelerated ? gamma_last_ : gamma_;
  }
  const Vector* shown_velocity() const { return has_velocity_ && problem_.given_global() ? &v_ : nullptr; }

  AdmmSettings settings_;
  ContactProblem problem_;
  Vector weight_;     ///< S⁻²
  Vector root_;       ///< S⁻¹
  Vector bilateral_;  ///< 1 on bilateral rows
  Vector adapting_;   ///< 1 on rows that adapt ρ
  std::unique_ptr<AdmmSystem> system_;
  Vector theta_, theta_inverse_, gamma_, z_, z_previous_, y_, g_, v_;
  Vector change_;                                             ///< what Θ is applied to in the dual residual
  Vector gamma_point_, y_point_, gamma_last_, y_last_;        ///< where the iteration started; the last iterate
  Vector gradient_, normal_;                                  ///< Nγ + r, and the normal of the cone at z
  Vector gamma_seen_, z_seen_, gradient_seen_, normal_seen_;  ///< at the last update of ρ
  double primal_ = 0.0, dual_ = 0.0;                          ///< ‖residuals‖∞ of the iteration
  double scaled_primal_ = 0.0, scaled_dual_ = 0.0;            ///< of the scaled problem
  double adapting_primal_ = 0.0, adapting_dual_ = 0.0;        ///< the same of rows that adapt ρ
  double momentum_ = 1.0, combined_ = 0.0;
  bool seen_ = false;
  double rho_ = 0.0, rho_min_ = 0.0, rho_max_ = 0.0;
  bool has_velocity_ = false, broken_ = false;
  AdmmColumns native_;
};

class Admm final : public Method<AdmmSettings, AdmmSession> {
 public:
  Admm(const AdmmSettings& defaults, const char* name, const char* title, const char* reference)
      : Method({name, title, reference, {Model::ccp}, AdmmColumns(defaults.accelerated).columns(), true}, defaults) {
    AdmmSettings& s = settings_;
    add_rho_fields();
    fields_
        .add("rho", &s.rho, Range::positive(), "1/kg", "initial ρ (dimensionless with the preconditioner)",
             "Tasora 2021, sec. 6.2")
        .add("rho_bilateral", &s.rho_bilateral, Range::positive(), "1/kg", "ρ on bilateral rows", "Tasora 2021, eq. 44")
        .add("preconditioner", &s.scaling,
             {{"none", RhoScaling::none},
              {"diagonal", RhoScaling::diagonal},
              {"inverse_diagonal", RhoScaling::inverse_diagonal}},
             "diagonal: P-ADMM, S = N_ii^(-1/2), ρ N_ii in the place of ρ; inverse_diagonal: S = N_ii^(1/2), ρ/N_ii",
             "Tasora 2021, eq. 47; inverse_diagonal: Chrono's ChSolverADMM")
        .add("block_number", &s.block_number, {{"mean", BlockNumber::mean}, {"normal", BlockNumber::normal}},
             "the number that the preconditioner takes for all rows of N_ii: mean of the diagonal, or N_nn",
             "mean: Chrono's ChSolverADMM; the paper leaves it open")
        .add("hands_out", &s.hands_out, {{"z", Impulse::z}, {"gamma", Impulse::gamma}},
             "impulse that is measured and handed over: z, in the cones, or γ of the linear system, which v belongs to",
             "z: Tasora 2021, eq. 35; gamma: Algorithm 1 and Chrono's ChSolverADMM")
        .add("linear_system", &s.form,
             {{"auto", LinearForm::automatic},
              {"saddle", LinearForm::saddle},
              {"schur", LinearForm::schur},
              {"normal", LinearForm::normal}},
             "which form of the linear system is factorised", "Tasora 2021, eqs. 36 and 31; ours")
        .add("linear_solver", &s.backend, linear_backend_choices(), "library that factorises it", "ours")
        .add("refinement_steps", &s.refinement_steps, Range::closed(0, 10), "steps of iterative refinement per solve",
             "ours")
        .add("tolerance_primal", &s.tolerance_primal, Range::non_negative(), "N·s", "native criterion on |γ − z|∞",
             "Tasora 2021, eq. 39; value ours")
        .add("tolerance_dual", &s.tolerance_dual, Range::non_negative(), "m/s", "native criterion on |Θ(z − z_previous)|∞",
             "Tasora 2021, eq. 40; value ours");
  }

 private:
  void add_rho_fields() {
    AdmmSettings& s = settings_;
    fields_
        .add("rho_bilateral_relative", &s.rho_bilateral_relative,
             "rho_bilateral is a multiple of the mean N_ii of its block (always so with the preconditioner)", "ours")
        .add("step_policy", &s.adaptation.policy,
             {{"fixed", RhoPolicy::fixed},
              {"balanced", RhoPolicy::balanced},
              {"balanced_normalized", RhoPolicy::balanced_normalized},
              {"spectral", RhoPolicy::spectral}},
             "how ρ is adapted: not at all, by the ratio of the residuals, by that of the relative residuals, by curvatures",
             "Tasora 2021, eqs. 42 and 43; Xu 2017")
        .add("update_interval", &s.adaptation.update_interval, Range::at_least(1.0), "iterations between updates of ρ, n_s",
             "Tasora 2021, sec. 8.1")
        .add("first_update", &s.adaptation.first_update, Range::at_least(0.0),
             "iteration after which ρ is first updated, the next ones n_s later; 0: after n_s iterations",
             "Tasora 2021, sec. 5.2, leaves it open; 1: Chrono's ChSolverADMM")
        .add("max_factor", &s.adaptation.max_factor, Range::at_least(1.0), "", "largest change of ρ in one update",
             "Tasora 2021, sec. 5.2")
        .add("balance_exponent", &s.adaptation.exponent, Range::closed(0.0, 1.0), "",
             "power of the ratio that balanced policies multiply by: 1 as printed; 0.5 does not overshoot",
             "ours (G.8); 0.5: Chrono's ChSolverADMM")
        .add("adapting_rows", &s.adapting_rows, {{"all", AdaptingRows::all}, {"cones", AdaptingRows::cones}},
             "rows whose residuals and impulses adapt ρ in balanced policies: all, or those of contacts and unilaterals "
             "alone",
             "all: Tasora 2021, eqs. 42 and 43; cones: ours")
        .add("dead_band", &s.adaptation.dead_band, Range::at_least(1.0), "",
             "no update while the factor is in [1/dead_band, dead_band]", "Tasora 2021, sec. 5.2")
        .add("rho_min", &s.rho_min, Range::positive(), "", "least ρ, in units of the mean N_ii", "ours")
        .add("rho_max", &s.rho_max, Range::positive(), "", "largest ρ, in units of the mean N_ii", "ours");
    if (s.accelerated)
      fields_.add("restart_factor", &s.restart_factor, Range::closed(0.0, 1.0), "",
                  "the momentum starts again unless the combined residual falls by this factor", "Tasora 2021, sec. 7");
  }

  std::optional<std::string> do_supports(const ContactProblem& problem, Model) const override {
    if (settings_.rho_min > settings_.rho_max) return "rho_min is above rho_max";
    return admm_system_defect(problem, settings_.form, linear_backend_name(settings_.backend));
  }
};

}  // namespace

std::unique_ptr<Solver> make_admm() {
  return std::make_unique<Admm>(AdmmSettings{}, "admm", "Alternating direction method of multipliers (ADMM, P-ADMM)",
                                "Tasora, Mangoni, Benatti, Garziera 2021, Algorithm 1");
}

std::unique_ptr<Solver> make_admm_chrono() {
  AdmmSettings settings;
  settings.adaptation.policy = RhoPolicy::balanced_normalized;
  settings.adaptation.exponent = 0.5;
  settings.adaptation.dead_band = 1.5;
  settings.adaptation.first_update = 1;
  settings.hands_out = Impulse::gamma;
  settings.form = LinearForm::saddle;
  settings.scaling = RhoScaling::inverse_diagonal;
  return std::make_unique<Admm>(settings, "admm_chrono", "ADMM with the choices of its reference implementation in Chrono",
                                "Tasora, Mangoni, Benatti, Garziera 2021, Algorithm 1; Chrono's ChSolverADMM");
}

std::unique_ptr<Solver> make_fadmm() {
  AdmmSettings settings;
  settings.accelerated = true;
  settings.rho = 0.05;
  settings.adaptation.policy = RhoPolicy::fixed;
  return std::make_unique<Admm>(settings, "fadmm", "Accelerated ADMM with restart (FADMM, P-FADMM)",
                                "Tasora, Mangoni, Benatti, Garziera 2021, Algorithm 3; Goldstein et al. 2014");
}

}  // namespace ccp
