#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <tuple>

#include "cones/product_cone.hpp"
#include "problem/block_scale.hpp"
#include "problem/conversion.hpp"
#include "problem/delassus/operator_form.hpp"
#include "problem/share_arrays.hpp"
#include "solvers/methods.hpp"
#include "solvers/shared/largest_eigenvalue.hpp"
#include "solvers/shared/method.hpp"
#include "solvers/shared/native_columns.hpp"
#include "solvers/splitting/admm_settings.hpp"
#include "solvers/splitting/admm_system.hpp"

namespace ccp {
namespace {

struct AdmmColumns : NativeColumns {
  explicit AdmmColumns(bool accelerated)
      : dual(*this, "dual_residual", "m/s", accelerated ? "|Θ(γ − γ̂)|∞" : "|Θ(z − z_previous)|∞"),
        combined(*this, "combined_residual", "J",
                 accelerated ? "‖γ − z‖² + ‖γ − γ̂‖² in the norm of Θ" : "‖γ − z‖² + ‖z − z_previous‖² in the norm of Θ") {}
  NativeValue primal{*this, "primal_residual", "N·s", "|γ − z|∞"};
  NativeValue dual;
  NativeValue rho{*this, "rho", "1/kg", "ρ of the iteration"};
  NativeValue scaled_primal{*this, "scaled_primal_residual", "√J", "|S⁻¹(γ − z)|∞; N·s without the preconditioner"};
  NativeValue scaled_dual{*this, "scaled_dual_residual", "√J", "|S · dual|∞; m/s without the preconditioner"};
  NativeValue combined;
};

constexpr int refinement_steps = 1;  ///< per solve

class AdmmSession final : public Session {
 public:
  AdmmSession(const AdmmSettings& settings, const ContactProblem& problem, Model model, Monitor& monitor)
      : settings_(settings),
        problem_(problem.symmetrised()),
        share_(problem_.share()),
        antisymmetric_(antisymmetric_part(problem)),
        renews_shift_(model == Model::ncp),
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
    system_ = make_admm_system(problem_, settings.form, linear_backend_name(settings.backend), refinement_steps, monitor);
    const Index m = problem.rows();
    for (Vector* vector :
         {&theta_,  &theta_inverse_, &theta_solved_, &gamma_,         &z_,           &z_previous_, &y_,
          &g_,      &change_,        &gamma_point_,  &y_point_,       &gamma_last_,  &y_last_,     &gradient_,
          &normal_, &gamma_seen_,    &z_seen_,       &gradient_seen_, &normal_seen_, &s_})
      vector->setZero(m);
    v_.setZero(system_->has_velocity() ? problem.global().H.rows() : 0);
    double rho = settings.rho;
    if (settings.proximal > 0.0 || settings.adaptation.policy == RhoPolicy::condition) observe_spectrum(rho, monitor);
    set_rho(rho, monitor);
  }

  Outcome run(const WarmStart& start, const Vector& shift, Monitor& monitor) override {
    initialise(start, shift, monitor);
    native_.clear();
    native_.rho = rho_;
    bool converged = false;
    int iteration = 0;
    while (monitor.go_on({shown_impulse(), share_ != nullptr ? nullptr : shown_velocity(), native_.values(), converged})) {
      iterate(shift, monitor);
      if (broken_)
        return {shown_impulse(), {}, rho_, Status::failed, "the linear system cannot be solved: " + system_->message(), {}};
      converged = primal_ <= settings_.tolerance_primal && dual_ <= settings_.tolerance_dual;
      native_.primal = primal_;
      native_.dual = dual_;
      native_.rho = rho_;
      native_.scaled_primal = scaled_primal_;
      native_.scaled_dual = scaled_dual_;
      native_.combined = change_energy_;
      ++iteration;
      const bool changed = adjust_rho(iteration, monitor);
      if (settings_.accelerated) accelerate(changed);
    }
    const Vector none;
    return {shown_impulse(),
            shown_velocity() != nullptr ? v_ : none,
            rho_,
            std::nullopt,
            "",
            settings_.warm_start == AdmmStart::y_z ? y_ : none};
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
        const double change = gamma_[row] - gamma_point_[row];
        return proximal_ > 0.0 ? change * (1.0 + proximal_ * weight_[row] * theta_inverse_[row]) : change;
      });
    } else {
      gamma_point_ = gamma_;
      solve_linear_system(shift, monitor);
      project(monitor);
      update_multiplier([&](Index row) {
        const double change = z_[row] - z_previous_[row];
        return proximal_ > 0.0 ? change + proximal_ * weight_[row] * theta_inverse_[row] * (gamma_[row] - gamma_point_[row])
                               : change;
      });
    }
  }

  /// y += Θ(γ − z), 0 on bilateral rows (G.3), and the residuals (G.4), (G.13) and (G.22), where change_of(row) gives what Θ
  /// is applied to in the dual ones. One pass over the rows, and one sum over ranks.
  template <typename Change>
  void update_multiplier(const Change& change_of) {
    constexpr std::size_t maxima = 6;
    const auto combine = [](double a, double b, std::size_t s) { return s < maxima ? std::max(a, b) : a + b; };
    const auto sums = all_over_rows<maxima + 1>(share_, problem_.constraints(), combine, [&](Index first, Index end) {
      double primal = 0.0, dual = 0.0, scaled_primal = 0.0, scaled_dual = 0.0, adapting_primal = 0.0, adapting_dual = 0.0,
             energy = 0.0;
      for (Index row = first; row < end; ++row) {
        change_[row] = change_of(row);
        const double gap = gamma_[row] - z_[row], own_primal = std::abs(gap),
                     own_dual = theta_[row] * std::abs(change_[row]);
        y_[row] = bilateral_[row] > 0.0 ? 0.0 : y_[row] + theta_[row] * gap;
        primal = std::max(primal, own_primal);
        dual = std::max(dual, own_dual);
        scaled_primal = std::max(scaled_primal, root_[row] * own_primal);
        scaled_dual = std::max(scaled_dual, own_dual / root_[row]);
        energy += theta_[row] * (gap * gap + change_[row] * change_[row]);
        if (adapting_[row] == 0.0) continue;
        adapting_primal = std::max(adapting_primal, root_[row] * own_primal);
        adapting_dual = std::max(adapting_dual, own_dual / root_[row]);
      }
      return std::array{primal, dual, scaled_primal, scaled_dual, adapting_primal, adapting_dual, energy};
    });
    std::tie(primal_, dual_, scaled_primal_, scaled_dual_, adapting_primal_, adapting_dual_, change_energy_) =
        std::tuple_cat(sums);
  }

  /// Extrapolates γ and y while the combined residual falls, else goes back to the last iterate (Goldstein 2014, Algorithm
  /// 8). A new ρ is a new problem: the momentum restarts from here.
  void accelerate(bool changed) {
    const bool falls = change_energy_ < settings_.restart_factor * combined_;
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
    combined_ = change_energy_;
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
    const double average = share_ != nullptr ? sum_of_rows(*share_, blocks, [&](Index row) { return diagonal[row]; }) /
                                                   static_cast<double>(share_->rows())
                           : blocks.rows() > 0 ? diagonal.mean()
                                               : 0.0;
    const double mean = average > 0.0 ? average : 1.0;
    double unit = mean;
    if (settings_.scaling == RhoScaling::diagonal) unit = 1.0;
    if (settings_.scaling == RhoScaling::inverse_diagonal) unit = mean * mean;
    rho_min_ = settings_.rho_min * unit;
    rho_max_ = settings_.rho_max * unit;
  }

  /// η and, by L and m̂ of the scaled problem, the first ρ and its changes (G.36).
  void observe_spectrum(double& rho, Monitor& monitor) {
    constexpr double rho_power = 0.2, change_power = 0.05, least_ratio = 1e-12;
    const DelassusOperator& N = delassus_operator(problem_, OperatorUse::products, OperatorForm::automatic);
    Vector unscaled(N.rows());
    const auto multiply = [&](const Vector& x, Vector& y) {
      unscaled = x.cwiseQuotient(root_);
      N.multiply(unscaled, y, monitor.threads());
      y.array() /= root_.array();
      ++monitor.counters().products;
    };
    double largest = largest_eigenvalue(
        multiply, gamma_, g_, [&](const Vector& x) { return norm(share_, problem_.constraints(), x); },
        share_ != nullptr ? share_->first_row() : 0);
    if (!(largest > 0.0)) largest = 1.0;
    proximal_ = settings_.proximal * largest;
    if (settings_.adaptation.policy != RhoPolicy::condition) return;
    const bool compliant = problem_.given_global() && problem_.rows() > 0;
    const Vector compliance = compliant ? Vector(problem_.global().C.diagonal().cwiseQuotient(weight_)) : Vector::Zero(1);
    const double least = std::max(proximal_ + compliance.minCoeff(), least_ratio * largest);
    rho *= std::sqrt(largest * least) * std::pow(largest / least, rho_power);
    settings_.adaptation.max_factor = std::pow(largest / least, change_power);
  }

  void set_rho(double rho, Monitor& monitor) {
    rho_ = rho;
    theta_ = weight_.cwiseProduct(rho_ * (1.0 - bilateral_.array()).matrix() + settings_.rho_bilateral * bilateral_);
    theta_inverse_ = theta_.cwiseInverse();
    theta_solved_ = theta_ + proximal_ * weight_;
    broken_ = !system_->factorize(theta_solved_, monitor);
  }

  /// Algorithm 2 from γ⁰, or y⁰ = z⁰ = 0, or the y and z with which the step before ended. A fixed step stays as it was set,
  /// whatever an earlier run carried. Bilateral rows keep y = 0: Π_R is the identity, so their y would never leave again.
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
    if (start.impulse.size() == 0 && !renews_shift_) return;
    if (start.impulse.size() > 0) z_ = start.impulse;
    project_product(problem_.constraints(), z_);
    y_ = settings_.warm_start == AdmmStart::y_z && start.multiplier.size() > 0 ? start.multiplier
                                                                               : multiplier_of(start, shift, monitor);
    y_ = (bilateral_.array() > 0.0).select(0.0, y_);
    gamma_ = z_;
    gamma_last_ = gamma_;
    y_last_ = y_;
  }

  /// y⁰ of γ⁰ (Algorithm 2, lines 1 to 4), with the velocity of the start or with that of γ⁰.
  Vector multiplier_of(const WarmStart& start, const Vector& shift, Monitor& monitor) {
    Vector body_scratch, u;
    if (start.velocity.size() > 0 && settings_.warm_start != AdmmStart::gamma) {
      const GlobalForm& form = problem_.global();
      u = form.D.transpose() * start.velocity + form.C * z_ + form.b;
    } else {
      problem_.local_velocity(z_, body_scratch, u);
    }
    ++monitor.counters().products;
    u += shift;
    if (!renews_shift_) return -u;
    de_saxce_shift(problem_.constraints(), u, s_);
    u += s_ + antisymmetric_ * z_;
    Vector projected = -u;
    project_product(problem_.constraints(), projected);
    return -u - projected;
  }

  void solve_linear_system(const Vector& shift, Monitor& monitor) {
    g_ = theta_.cwiseProduct(z_) - y_ - shift;
    if (renews_shift_) {  // −y estimates û, which has the same u_T
      de_saxce_shift(problem_.constraints(), y_, s_);
      g_ -= s_;
      if (antisymmetric_.nonZeros() > 0) g_.noalias() -= antisymmetric_ * gamma_;
    }
    if (proximal_ > 0.0) g_ += proximal_ * weight_.cwiseProduct(gamma_);
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
    if (share_ != nullptr) {
      const auto own = [&](Index, Index) { return std::array{seen.impulse, seen.multiplier}; };
      std::tie(seen.impulse, seen.multiplier) =
          std::tuple_cat(all_over_chunks<2>(*share_, share_->blocks(), max_or_nan, own));
    }
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
    gradient_ = g_ - theta_solved_.cwiseProduct(gamma_);  // Nγ + r, by the linear system
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
    const auto of_rows = [&](Index first, Index end) {
      std::array<double, 3> own{};
      for (Index i = first; i < end; ++i) {
        if (bilateral_[i] > 0.0) continue;
        const double dx = x[i] - x_last[i], da = a[i] - a_last[i];
        own[0] += weight_[i] * dx * dx;
        own[1] += dx * da;
        own[2] += da * da / weight_[i];
      }
      return own;
    };
    std::tie(sums.xx, sums.xa, sums.aa) =
        std::tuple_cat(all_over_rows<3>(share_, problem_.constraints(), std::plus<>(), of_rows));
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
  const Share* share_;  ///< of a shared problem, whose velocities are not shown
  SparseMatrix antisymmetric_;
  bool renews_shift_;  ///< De Saxcé's shift follows y: the model is ncp
  Vector weight_;      ///< S⁻²
  Vector root_;        ///< S⁻¹
  Vector bilateral_;   ///< 1 on bilateral rows
  Vector adapting_;    ///< 1 on rows that adapt ρ
  std::unique_ptr<AdmmSystem> system_;
  Vector theta_, theta_inverse_, theta_solved_, s_, gamma_, z_, z_previous_, y_, g_, v_;
  Vector change_;                                             ///< what Θ is applied to in the dual residual
  Vector gamma_point_, y_point_, gamma_last_, y_last_;        ///< where the iteration started; the last iterate
  Vector gradient_, normal_;                                  ///< Nγ + r, and the normal of the cone at z
  Vector gamma_seen_, z_seen_, gradient_seen_, normal_seen_;  ///< at the last update of ρ
  double primal_ = 0.0, dual_ = 0.0;                          ///< ‖residuals‖∞ of the iteration
  double scaled_primal_ = 0.0, scaled_dual_ = 0.0;            ///< of the scaled problem
  double adapting_primal_ = 0.0, adapting_dual_ = 0.0;        ///< the same of rows that adapt ρ
  double change_energy_ = 0.0;                                ///< c of (G.22)
  double momentum_ = 1.0, combined_ = 0.0;
  bool seen_ = false;
  double rho_ = 0.0, rho_min_ = 0.0, rho_max_ = 0.0;
  double proximal_ = 0.0;  ///< η, of the scaled problem
  bool has_velocity_ = false, broken_ = false;
  AdmmColumns native_;
};

class Admm final : public Method<AdmmSettings, AdmmSession> {
 public:
  Admm(const AdmmSettings& defaults, const char* name, const char* title, const char* reference,
       const std::vector<Model>& models = {Model::ccp})
      : Method({name, title, reference, models, AdmmColumns(defaults.accelerated).columns(), true, false, true}, defaults) {
    add_admm_fields(fields_, settings_);
  }

 private:
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

std::unique_ptr<Solver> make_admm_pinocchio() {
  AdmmSettings settings;
  settings.rho = 0.5;
  settings.proximal = 1e-6;
  settings.adaptation.policy = RhoPolicy::condition;
  settings.adaptation.update_interval = 1;
  settings.adaptation.dead_band = 10.0;
  settings.adaptation.exponent = 0.5;
  settings.scaling = RhoScaling::diagonal;
  return std::make_unique<Admm>(settings, "admm_pinocchio", "Proximal ADMM with De Saxcé's shift renewed in every iteration",
                                "Carpentier, Le Lidec, Montaut 2024; pinocchio's ADMMContactSolver",
                                std::vector{Model::ncp, Model::ccp});
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
