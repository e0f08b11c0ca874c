#include "solvers/gradient/apgd.hpp"

#include <utility>

#include "solvers/gradient/apgd_loops.hpp"
#include "solvers/gradient/gradient_problem.hpp"
#include "solvers/gradient/iterates.hpp"

namespace ccp {
namespace {

constexpr double growth = 2.0, decay = 0.9;  // of L after a failed and after a passed test (Mazhar 2015, lines 10, 29)
constexpr double rounding = 8.0 * 0x1p-52;   // a step this far below γ is rounding of N γ (E58)
constexpr double smallest_ratio = 1e-12;     // of L to the mean of diag N
constexpr int power_iterations = 30;

struct ApgdSettings {
  bool restart = true;
  bool fallback = true;
  bool adaptive_step = true;
  double residual_step = 0.0;
  double native_tolerance = 1e-10;
  OperatorForm form = OperatorForm::automatic;
};

class ApgdSession final : public Session {
 public:
  ApgdSession(const ApgdSettings& settings, const ContactProblem& problem, Monitor& monitor)
      : settings_(settings),
        problem_(problem, settings.form, settings.residual_step),
        pass_(problem.constraints()),
        gamma_(problem.rows()),
        r_(problem.rows()),
        product_(Vector::Zero(problem.rows())),
        previous_product_(product_),
        next_product_(product_) {
    if (!settings.adaptive_step) L_ = largest_eigenvalue(monitor);
  }

  Outcome run(const WarmStart& start, const Vector& shift, Monitor& monitor) override {
    initialise(start, shift, monitor);
    bool converged = false;
    std::vector<double> native{best_residual_, 1.0 / L_, 0.0};
    while (monitor.go_on({gamma_.current(), nullptr, native, converged})) {
      const Step step = take_step(monitor);
      accept(step.residual);
      extrapolate();
      if (settings_.restart && step.slope > 0.0) restart(native[2]);
      converged = step.residual <= settings_.native_tolerance;
      native[0] = step.residual;
      native[1] = 1.0 / L_;
      // A step along which N is zero says nothing of L: an unbounded problem must not be left at an exponential pace.
      if (settings_.adaptive_step && !step.straight) L_ = std::max(decay * L_, smallest_lipschitz());
    }
    const bool best = settings_.fallback && !monitor.solved();
    return {best ? gamma_.best() : gamma_.current(), {}, 1.0 / L_, std::nullopt, ""};
  }

 private:
  /// A step that has passed the test (E58): its residual (E61), gᵀ(γ_{k+1} − γ_k) with g at y_k (E60), and whether the
  /// objective is straight along it.
  struct Step {
    double residual, slope;
    bool straight;
  };

  double smallest_lipschitz() const { return smallest_ratio * problem_.mean_diagonal(); }

  void initialise(const WarmStart& start, const Vector& shift, Monitor& monitor) {
    r_ = problem_.free_velocity() + shift;
    problem_.project_start(start, gamma_.current(), pass_, monitor);
    problem_.multiply(gamma_.current(), product_, monitor);
    if (settings_.adaptive_step) L_ = start.step > 0.0 ? 1.0 / start.step : first_lipschitz(monitor);
    theta_ = 1.0;
    beta_ = 0.0;
    gamma_.mark_best();
    best_residual_ = start_residual(monitor);
  }

  double start_residual(Monitor& monitor) {
    const Vector &scale = problem_.residual_scale(), &gamma = gamma_.current();
    const auto [squares] = pass_.run<1>(monitor.threads(), [&](const auto& block) {
      return BlockPass::Sums<1>{
          residual_square(block, block.of(gamma), block.of(product_) + block.of(r_), scale[block.index])};
    });
    ++monitor.counters().projections;
    return problem_.residual(squares);
  }

  /// L₀ = ‖N(γ₀ − 1)‖/‖γ₀ − 1‖ (Mazhar 2015, line 4); the mean of diag N where that is 0 or 0/0.
  double first_lipschitz(Monitor& monitor) {
    Vector& difference = gamma_.next();
    difference = gamma_.current().array() - 1.0;
    problem_.multiply(difference, next_product_, monitor);
    const double L = next_product_.norm() / difference.norm();
    return L > 0.0 && std::isfinite(L) ? L : problem_.mean_diagonal();
  }

  /// λ_max(N) by the power method, from below: an error shows in (E58).
  double largest_eigenvalue(Monitor& monitor) {
    Vector& x = gamma_.next();
    // Not orthogonal to anything special: entries from the golden section.
    for (Index i = 0; i < x.size(); ++i) x[i] = 0.5 + std::fmod(0.6180339887498949 * static_cast<double>(i + 1), 1.0);
    double value = 0.0;
    for (int k = 0; k < power_iterations && x.size() > 0; ++k) {
      x /= x.norm();
      problem_.multiply(x, next_product_, monitor);
      value = next_product_.norm();
      if (!(value > 0.0)) break;
      x = next_product_;
    }
    return value > 0.0 ? value : problem_.mean_diagonal();
  }

  /// Lines 7–13: the projected step from y_k, with L doubled until it passes.
  Step take_step(Monitor& monitor) {
    for (;; L_ *= growth) {
      const auto [square, slope] = project_step(monitor.threads());
      problem_.start_product(gamma_.next(), monitor);
      const auto [curvature, size, residual] = examine_step(monitor.threads());
      monitor.counters().projections += 2;
      // Not the negation: with a NaN there is nothing to double L for.
      const double noise = rounding * L_ * std::sqrt(square * size);
      if (!(curvature > L_ * square + noise) || !std::isfinite(L_))
        return {problem_.residual(residual), slope, square > 0.0 && curvature <= smallest_lipschitz() * square};
    }
  }

  ApgdVectors vectors() {
    return {problem_.constraints(),
            beta_,
            1.0 / L_,
            gamma_.current().data(),
            gamma_.previous().data(),
            product_.data(),
            previous_product_.data(),
            r_.data(),
            problem_.residual_scale().data(),
            gamma_.next().data(),
            next_product_.data()};
  }

  /// The projected step from y_k, with its sums: ApgdLoops::project.
  BlockPass::Sums<2> project_step(int threads) {
    return pass_.run_chunks<2>(threads,
                               [this, at = vectors()](Index begin, Index end) { return loops_.project(at, begin, end); });
  }

  /// N γ_{k+1}, and the sums that judge it while it is in the nearest cache: ApgdLoops::examine.
  BlockPass::Sums<3> examine_step(int threads) {
    const auto product = [&](Index begin, Index end) {
      problem_.finish_product(begin, end, std::as_const(gamma_).next(), next_product_);
    };
    return pass_.run_spans<3>(threads, product,
                              [this, at = vectors()](Index begin, Index end) { return loops_.examine(at, begin, end); });
  }

  void accept(double residual) {
    gamma_.accept();
    previous_product_.swap(product_);
    product_.swap(next_product_);
    if (residual < best_residual_) {
      best_residual_ = residual;
      gamma_.mark_best();
    }
  }

  /// Lines 14–16: θ_{k+1} and β_{k+1} (E57).
  void extrapolate() {
    const double square = theta_ * theta_;
    const double next = 0.5 * (theta_ * std::sqrt(square + 4.0) - square);
    beta_ = theta_ * (1.0 - theta_) / (square + next);
    theta_ = next;
  }

  /// Lines 25–28 (E60).
  void restart(double& count) {
    theta_ = 1.0;
    beta_ = 0.0;
    ++count;
  }

  ApgdSettings settings_;
  GradientProblem problem_;
  BlockPass pass_;
  Iterates gamma_;
  Vector r_;
  Vector product_, previous_product_, next_product_;  ///< N γ_k, N γ_{k−1}, N γ_{k+1}
  const ApgdLoops& loops_ = apgd_loops(widest_instruction_set());
  double L_ = 1.0, theta_ = 1.0, beta_ = 0.0;
  double best_residual_ = 0.0;
};

class Apgd final : public Solver {
 public:
  Apgd() {
    ApgdSettings& s = settings_;
    fields_.add("restart", &s.restart, "drop the momentum when it points uphill", "Mazhar 2015, sec. 3.1.2")
        .add("fallback", &s.fallback, "hand back the best iterate where a run ends unsolved, not the last",
             "Mazhar 2015, sec. 3.1.3")
        .add("adaptive_step", &s.adaptive_step,
             "L from a guess, doubled when too small and times 0.9 after each step; false: λ_max(N) by the power method",
             "Mazhar 2015, sec. 3.1.1")
        .add("residual_step", &s.residual_step, Range::non_negative(), "kg",
             "g of the native residual; 0: rows/tr(N_ii) per block", "Mazhar 2015, eq. 25 has 1e-6; 0 is ours")
        .add("native_tolerance", &s.native_tolerance, Range::non_negative(), "m/s", "native criterion on that residual",
             "Mazhar 2015, line 22; value ours")
        .add("operator", &s.form, operator_form_names(), "form of the Delassus operator; auto: factored where it exists",
             "ours");
  }

 private:
  const SolverInfo& do_info() const override {
    static const SolverInfo info{"apgd",
                                 "Accelerated projected gradient descent (Nesterov)",
                                 "Mazhar, Heyn, Negrut, Tasora 2015, Algorithm 1",
                                 {Model::ccp},
                                 {projected_gradient_column(),
                                  {"step", "kg", "t = 1/L of the iteration"},
                                  {"restarts", "", "restarts of the momentum so far"}}};
    return info;
  }
  std::optional<std::string> do_supports(const ContactProblem& problem, Model) const override {
    return operator_form_defect(problem, settings_.form);
  }
  std::unique_ptr<Session> do_prepare(const ContactProblem& problem, Model, Monitor& monitor) const override {
    return std::make_unique<ApgdSession>(settings_, problem, monitor);
  }

  ApgdSettings settings_;
};

}  // namespace

std::unique_ptr<Solver> make_apgd() { return std::make_unique<Apgd>(); }

}  // namespace ccp
