#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/methods.hpp"
#include "solvers/regularised/regularised_law.hpp"
#include "solvers/shared/jacobian_blocks.hpp"
#include "solvers/shared/linear_backend.hpp"
#include "solvers/shared/linear_work.hpp"
#include "solvers/shared/method.hpp"
#include "solvers/shared/native_columns.hpp"

namespace ccp {
namespace {

enum class SearchDirection { newton, conjugate_gradients };

struct RegularisedSettings {
  RegularisationSettings law;
  SearchDirection direction = SearchDirection::newton;
  double largest_step = 1.5;
  double line_tolerance = 1e-8;
  double tolerance = 1e-6;
  LinearBackend backend = LinearBackend::automatic;
};

struct RegularisedColumns : NativeColumns {
  NativeValue cost{*this, "regularised_cost", "J", "½ wᵀHw + ½ γᵀRγ, w = v − H⁻¹k"};
  NativeValue gradient{*this, "relative_gradient", "", "‖Hv − k − Dγ‖ over its larger part, in the norm of diag(H)⁻¹"};
  NativeValue length{*this, "length", "", "of the step along the search direction"};
};

/// v and what is computed of it.
struct VelocityState {
  Vector v, momentum, u, gamma, gradient;  ///< v; H v − k; Dᵀv + b; γ(u); momentum − D γ
  double cost = 0.0, relative_gradient = 0.0;
};

class RegularisedSession final : public Session {
 public:
  RegularisedSession(const RegularisedSettings& settings, const ContactProblem& problem, Model, Monitor& monitor)
      : settings_(settings),
        problem_(problem),
        form_(problem.global()),
        law_(problem, settings.law),
        free_velocity_(form_.H.rows()),
        root_inverse_(form_.H.diagonal().cwiseSqrt().cwiseInverse()) {
    note_clipped(problem, monitor);
    problem.mass().solve(form_.k, free_velocity_);
    const Index n = form_.H.rows(), m = problem.rows();
    for (Vector* vector : {&now_.v, &now_.momentum, &now_.gradient, &direction_, &mass_direction_, &preconditioned_,
                           &last_preconditioned_, &impulse_momentum_})
      vector->setZero(n);
    for (Vector* vector : {&now_.u, &now_.gamma, &local_direction_}) vector->setZero(m);
    if (settings.direction == SearchDirection::newton) build_matrix(monitor);
  }

  Outcome run(const WarmStart& start, const Vector& shift, Monitor& monitor) override {
    begin(start, shift);
    native_.clear();
    double last_cost = std::numeric_limits<double>::infinity();
    for (;;) {
      native_.cost = now_.cost;
      native_.gradient = now_.relative_gradient;
      const bool converged = now_.relative_gradient <= settings_.tolerance;
      if (!monitor.go_on({now_.gamma, velocity(), native_.values(), converged})) return outcome();
      if (exhausted(last_cost)) return outcome(Status::stalled, "the regularised problem is solved; its compliance remains");
      last_cost = now_.cost;
      if (!find_direction(monitor)) return outcome(Status::failed, message_);
      const double alpha = exact_step(monitor);
      if (!(alpha > 0.0)) return outcome(Status::stalled, "no descent to within rounding; the compliance remains");
      native_.length = alpha;
      now_.v += alpha * direction_;
      moved_ = true;
      evaluate();
      ++monitor.counters().projections;
    }
  }

  Vector added_compliance() const override { return law_.added(); }

 private:
  void begin(const WarmStart& start, const Vector& shift) {
    b_ = form_.b + shift;
    now_.v = free_velocity_;
    if (start.velocity.size() > 0) {
      now_.v = start.velocity;
    } else if (start.impulse.size() > 0) {
      impulse_momentum_ = form_.k;
      impulse_momentum_ += form_.D * start.impulse;
      problem_.mass().solve(impulse_momentum_, now_.v);
    }
    last_decrease_ = 0.0;
    least_gradient_ = std::numeric_limits<double>::infinity();
    idle_ = 0;
    moved_ = false;
    evaluate();
  }

  /// The cost (M.5) and its gradient at v.
  void evaluate() {
    now_.momentum.noalias() = form_.H * now_.v;
    now_.momentum -= form_.k;
    now_.u.noalias() = form_.D.transpose() * now_.v;
    now_.u += b_;
    const double energy = law_.impulses(now_.u, now_.gamma);
    impulse_momentum_.noalias() = form_.D * now_.gamma;
    now_.gradient = now_.momentum - impulse_momentum_;
    now_.cost = 0.5 * (now_.v - free_velocity_).dot(now_.momentum) + energy;
    const auto norm = [&](const auto& x) { return root_inverse_.cwiseProduct(x).norm(); };
    const double larger = std::max(norm(now_.momentum + form_.k), norm(impulse_momentum_));
    now_.relative_gradient = larger > 0.0 ? norm(now_.gradient) / larger : 0.0;
  }

  /// Whether rounding lets the cost fall no farther (Castro et al. 2022, sec. VI) and the gradient has not fallen since: the
  /// cost has but half of its digits. The gradient of conjugate gradients rises at times.
  bool exhausted(double last_cost) {
    constexpr double rounding = 1e-15;
    const int patience = settings_.direction == SearchDirection::newton ? 5 : 30;
    const bool better = now_.relative_gradient < least_gradient_;
    least_gradient_ = std::min(least_gradient_, now_.relative_gradient);
    const bool falls = last_cost - now_.cost > 0.5 * rounding * (last_cost + now_.cost);
    idle_ = better || falls || std::isinf(last_cost) ? 0 : idle_ + 1;
    return now_.relative_gradient <= rounding || idle_ >= patience;
  }

  bool find_direction(Monitor& monitor) {
    if (settings_.direction == SearchDirection::newton) {
      if (!factorize(monitor)) return false;
      const LinearWork counted(*solver_, monitor.counters());
      if (solver_->solve(now_.gradient, direction_) != LinearStatus::ok) {
        message_ = "the linear system cannot be solved: " + solver_->info().message;
        return false;
      }
      direction_ *= -1.0;
    } else {
      turn_direction(monitor);
    }
    mass_direction_.noalias() = form_.H * direction_;
    local_direction_.noalias() = form_.D.transpose() * direction_;
    ++monitor.counters().products;
    return true;
  }

  /// Conjugate gradients preconditioned by H⁻¹ (Polak, Ribière; β >= 0).
  void turn_direction(Monitor& monitor) {
    problem_.mass().solve(now_.gradient, preconditioned_);
    ++monitor.counters().back_solves;
    const double decrease = now_.gradient.dot(preconditioned_);
    const double mixed = now_.gradient.dot(last_preconditioned_);
    const double beta = last_decrease_ > 0.0 ? std::max(0.0, (decrease - mixed) / last_decrease_) : 0.0;
    direction_ = beta * direction_ - preconditioned_;
    if (!(direction_.dot(now_.gradient) < 0.0)) direction_ = -preconditioned_;
    last_preconditioned_.swap(preconditioned_);
    last_decrease_ = decrease;
  }

  /// argmin of the cost along the direction: Newton's method for its derivative, kept in a bracket by bisection. 0 where it
  /// does not descend.
  double exact_step(Monitor& monitor) {
    const double curvature = direction_.dot(mass_direction_), momentum = direction_.dot(now_.momentum);
    const auto slope = [&](double alpha) {
      RegularisedLaw::Slope sum = law_.slope(now_.u, local_direction_, alpha);
      ++monitor.counters().projections;
      sum.first += momentum + alpha * curvature;
      sum.second += curvature;
      return sum;
    };
    const RegularisedLaw::Slope first = slope(0.0);
    if (!(first.first < 0.0)) return 0.0;
    double low = 0.0, high = std::numeric_limits<double>::infinity();
    double alpha = settings_.direction == SearchDirection::newton ? 1.0 : -first.first / first.second;
    for (int k = 0; k < 100; ++k) {
      alpha = std::min(alpha, settings_.largest_step);
      const RegularisedLaw::Slope at = slope(alpha);
      if (std::abs(at.first) <= -settings_.line_tolerance * first.first) break;
      (at.first < 0.0 ? low : high) = alpha;
      if (low >= settings_.largest_step) break;
      const double newton = alpha - at.first / at.second;
      const bool inside = newton > low && newton < high;
      const double next = inside ? newton : (std::isfinite(high) ? 0.5 * (low + high) : 2.0 * alpha);
      if (next == alpha) break;
      alpha = next;
    }
    return alpha;
  }

  void build_matrix(Monitor& monitor) {
    D_ = jacobian_blocks(problem_.constraints(), form_.D);
    matrix_ = eliminated_pattern(form_.H, D_, true);
    mass_.assign(matrix_.valuePtr(), matrix_.valuePtr() + matrix_.nonZeros());
    places_ = entry_places(matrix_, D_, true);
    G_.resize(uz(problem_.constraints().count()));
    solver_ = analysed_solver(linear_backend_name(settings_.backend), MatrixKind::spd, matrix_, monitor, 1);
  }

  /// H + Σ D_i G_i D_iᵀ.
  bool factorize(Monitor& monitor) {
    law_.derivative(now_.u, G_);
    std::copy(mass_.begin(), mass_.end(), matrix_.valuePtr());
    const int* place = places_.data();
    for (std::size_t i = 0; i < G_.size(); ++i)
      for (std::size_t b = D_.first[i]; b < D_.first[i + 1]; ++b) {
        const Vector3 column = G_[i] * D_.row[b];
        for (std::size_t a = b; a < D_.first[i + 1]; ++a) matrix_.valuePtr()[*place++] += D_.row[a].dot(column);
      }
    if (counted_factorize(*solver_, matrix_, monitor, message_)) return true;
    message_ = "the linear system cannot be factorised: " + message_;
    return false;
  }

  const Vector* velocity() const { return problem_.given_global() ? &now_.v : nullptr; }

  Outcome outcome(std::optional<Status> given_up = std::nullopt, const std::string& reason = "") const {
    Outcome outcome{now_.gamma, velocity() != nullptr ? now_.v : Vector(), 0.0, given_up, reason};
    outcome.own_answer = given_up == Status::stalled && moved_;
    return outcome;
  }

  RegularisedSettings settings_;
  ContactProblem problem_;
  const GlobalForm& form_;
  RegularisedLaw law_;
  RegularisedColumns native_;
  VelocityState now_;
  Vector free_velocity_, root_inverse_, b_;  ///< H⁻¹k; diag(H)^(−½); b + shift
  Vector direction_, mass_direction_, local_direction_;
  Vector preconditioned_, last_preconditioned_, impulse_momentum_;
  double last_decrease_ = 0.0, least_gradient_ = 0.0;
  int idle_ = 0;  ///< iterations without progress
  bool moved_ = false;
  JacobianBlocks D_;
  SparseMatrix matrix_;
  std::vector<double> mass_;  ///< values of H in the pattern
  std::vector<int> places_;
  std::vector<Matrix3> G_;
  std::unique_ptr<LinearSolver> solver_;
  std::string message_;
};

RegularisedSettings mujoco_defaults(SearchDirection direction) {
  RegularisedSettings settings;
  settings.law.kind = Regularisation::impedance;
  settings.direction = direction;
  settings.largest_step = 1e10;
  settings.line_tolerance = 0.01;
  settings.tolerance = 1e-8;
  return settings;
}

class RegularisedNewton final : public Method<RegularisedSettings, RegularisedSession> {
 public:
  RegularisedNewton(const char* name, const char* title, const char* reference, const RegularisedSettings& defaults)
      : Method({name, title, reference, {Model::ccp}, RegularisedColumns().columns(), false, true}, defaults) {
    RegularisedSettings& s = settings_;
    if (s.law.kind == Regularisation::near_rigid)
      fields_
          .add("beta", &s.law.beta, Range::positive(), "",
               "least normal compliance: a contact swings in β steps at most, R_n >= β²/(4π²) w, w of N_ii",
               "Castro et al. 2022, sec. V; Drake")
          .add("sigma", &s.law.sigma, Range::positive(), "", "least tangential compliance R_T >= σ w", "the same");
    else
      fields_
          .add("impedance", &s.law.impedance, Range{0.0, 1.0, true, true}, "", "impedance d: R_n >= (1 − d)/d N_nn",
               "MuJoCo's documentation, Computation; the default of solimp at zero penetration")
          .add("impratio", &s.law.impratio, Range::positive(), "", "R_T >= R_n/impratio", "the same");
    fields_
        .add("largest_step", &s.largest_step, Range::positive(), "", "longest step of the line search",
             "Drake: 1.5; MuJoCo: none")
        .add("line_tolerance", &s.line_tolerance, Range{0.0, 1.0, true, true}, "",
             "slope at which the line search ends, over that at its beginning", "Drake, MuJoCo's ls_tolerance")
        .add("tolerance", &s.tolerance, Range::non_negative(), "", "native criterion: relative_gradient <= tolerance",
             "Castro et al. 2022, sec. VI; MuJoCo's own scales the gradient by the mean inertia");
    if (s.direction == SearchDirection::newton)
      fields_.add("linear_solver", &s.backend, linear_backend_choices(), "library that factorises the Hessian", "ours");
  }

 private:
  std::optional<std::string> do_supports(const ContactProblem& problem, Model) const override {
    if (auto defect = RegularisedLaw::defect(problem)) return defect;
    if (settings_.direction != SearchDirection::newton) return std::nullopt;
    return backend_defect(linear_backend_name(settings_.backend), MatrixKind::spd, LinearForm::normal);
  }
};

}  // namespace

std::unique_ptr<Solver> make_sap() {
  return std::make_unique<RegularisedNewton>("sap", "Semi-analytic primal solver: compliant contacts, Newton in velocities",
                                             "Castro, Permenter, Han 2022 (arXiv 2110.10107); Drake", RegularisedSettings{});
}
std::unique_ptr<Solver> make_mujoco_newton() {
  return std::make_unique<RegularisedNewton>("mujoco_newton", "Newton's method on MuJoCo's regularised convex problem",
                                             "MuJoCo's documentation, Computation; Todorov 2014",
                                             mujoco_defaults(SearchDirection::newton));
}
std::unique_ptr<Solver> make_mujoco_cg() {
  return std::make_unique<RegularisedNewton>("mujoco_cg", "Conjugate gradients on MuJoCo's regularised convex problem",
                                             "MuJoCo's documentation, Computation; Todorov 2014",
                                             mujoco_defaults(SearchDirection::conjugate_gradients));
}

}  // namespace ccp
