#include <algorithm>
#include <cmath>
#include <limits>

#include "cones/product_cone.hpp"
#include "kernels/kernels.hpp"
#include "solvers/gradient/gradient_problem.hpp"
#include "solvers/gradient/iterate_products.hpp"
#include "solvers/gradient/iterates.hpp"
#include "solvers/methods.hpp"
#include "solvers/shared/largest_eigenvalue.hpp"

namespace ccp {
namespace {

constexpr double growth = 2.0, decay = 0.9;  // of L after a failed and after a passed test (Mazhar 2015, lines 10, 29)
constexpr double rounding = 8.0 * 0x1p-52;   // a step this far below γ is rounding of N γ (F.3)
constexpr double smallest_ratio = 1e-12;     // of L to the mean of diag N

struct ApgdSettings : GradientSettings {
  bool restart = true;
  bool fallback = true;
  bool adaptive_step = true;
};

struct ApgdColumns : GradientColumns {
  ApgdColumns() : GradientColumns("t = 1/L of the iteration") {}
  NativeValue restarts{*this, "restarts", "", "restarts of the momentum so far"};
};

class ApgdSession final : public Session {
 public:
  ApgdSession(const ApgdSettings& settings, const ContactProblem& problem, Model, Monitor& monitor)
      : settings_(settings),
        problem_(problem, settings),
        pass_(problem),
        gamma_(problem.rows()),
        r_(problem.rows()),
        products_(problem_.delassus(), problem.share()) {
    if (!settings.adaptive_step) first_L_ = largest_lipschitz(monitor);
  }

  Outcome run(const WarmStart& start, const Vector& shift, Monitor& monitor) override {
    begin(start, shift, monitor);
    bool converged = false;
    while (monitor.go_on({gamma_.current(), nullptr, native_.values(), converged})) {
      while (too_curved(curvature(monitor))) {  // lines 9–13
        L_ *= growth;
        step(monitor);
      }
      native_.step = 1.0 / L_;
      accept();
      relax_curvature();  // line 29
      if (settings_.restart && step_.slope > 0.0) {
        restart_momentum();  // lines 25–28
        native_.restarts += 1.0;
      } else {
        extrapolate();  // lines 14–16
      }
      native_.projected_gradient = judge_and_step(monitor);  // lines 17–24, and 7–8 of the next iteration
      converged = native_.projected_gradient <= settings_.native_tolerance;
    }
    const bool best = settings_.fallback && !monitor.solved();
    return {best ? gamma_.best() : gamma_.current(), {}, 1.0 / L_, std::nullopt, ""};
  }

 private:
  /// dᵀd of d = γ_{k+1} − y_k, dᵀNd, and gᵀ(γ_{k+1} − γ_k) of g at y_k (F.5).
  struct Step {
    double square = 0.0, curvature = 0.0, slope = 0.0;
  };

  double smallest_lipschitz() const { return smallest_ratio * problem_.mean_diagonal(); }

  /// Lines 1–8: γ_0 with its residual, and γ_1.
  void begin(const WarmStart& start, const Vector& shift, Monitor& monitor) {
    r_ = problem_.free_velocity() + shift;
    problem_.project_start(start, gamma_.current(), pass_, monitor);
    products_.begin(gamma_.current(), monitor.threads());
    if (settings_.adaptive_step) first_L_ = start.carried > 0.0 ? 1.0 / start.carried : first_lipschitz(monitor);
    L_ = first_L_;
    restart_momentum();
    step_ = {};
    gamma_.mark_best();
    best_residual_ = std::numeric_limits<double>::infinity();
    native_.step = 1.0 / L_;
    native_.restarts = 0.0;
    judge_and_step(monitor);
    native_.projected_gradient = best_residual_;
  }

  /// L₀ = ‖N(γ₀ − 1)‖/‖γ₀ − 1‖ (Mazhar 2015, line 4); the mean of diag N where that is 0 or 0/0.
  double first_lipschitz(Monitor& monitor) {
    Vector& difference = gamma_.next();
    difference = gamma_.current().array() - 1.0;
    Vector& product = products_.current();
    problem_.multiply(difference, product, monitor);
    const double L = problem_.norm(product) / problem_.norm(difference);
    return L > 0.0 && std::isfinite(L) ? L : problem_.mean_diagonal();
  }

  /// λ_max(N), from below: an error shows in (F.3).
  double largest_lipschitz(Monitor& monitor) {
    const double L =
        largest_eigenvalue([&](const Vector& x, Vector& y) { problem_.multiply(x, y, monitor); }, gamma_.next(),
                           products_.current(), [&](const Vector& x) { return problem_.norm(x); }, problem_.first_row());
    return L > 0.0 ? L : problem_.mean_diagonal();
  }

  auto distance(const Monitor& monitor) {
    return [this, threads = monitor.threads()] { return products_.distance(beta_, threads); };
  }

  /// Lines 7–8: γ_{k+1} = Π(y_k − t g) with t = 1/L and g = N y_k + r; with roots of N also dᵀNd.
  void step(Monitor& monitor) {
    const auto kernel = [this, at = vectors()](Index begin, Index end) {
      const StepSums sums = loops_.project(at, begin, end);
      return BlockPass::Sums<3>{sums.square, sums.slope, 0.0};
    };
    const auto [square, slope, curvature] = pass_.run_between<3>(
        monitor.threads(), std::nullopt, kernel, products_.next_anew(gamma_.next(), monitor), distance(monitor));
    step_ = {square, curvature, slope};
    ++monitor.counters().projections;
  }

  /// Lines 17–24: the residual of the current iterate, which is kept where it is the best one, with N γ_k; and step() from
  /// there. In one pass, which has the blocks of N and of the vectors in the nearest cache for all of them, and on ranks one
  /// exchange and one sum over all.
  double judge_and_step(Monitor& monitor) {
    const auto kernel = [this, at = vectors()](Index begin, Index end) {
      const double squares = loops_.residual(at, begin, end);
      const StepSums sums = loops_.project(at, begin, end);
      return BlockPass::Sums<4>{squares, sums.square, sums.slope, 0.0};
    };
    const auto [squares, square, slope, curvature] =
        pass_.run_between<4>(monitor.threads(), products_.current_in_pass(gamma_.current(), monitor), kernel,
                             products_.next_in_pass(gamma_.next()), distance(monitor));
    step_ = {square, curvature, slope};
    monitor.counters().projections += 2;
    const double residual = problem_.residual(squares);
    if (residual < best_residual_) {
      best_residual_ = residual;
      gamma_.mark_best();
    }
    return residual;
  }

  /// dᵀNd, which the pass of the step has found where N has roots.
  double curvature(Monitor& monitor) {
    if (products_.rooted()) return step_.curvature;
    const UsedProduct next = products_.next_in_test(gamma_.next(), monitor);
    const auto kernel = [this, at = vectors(), N_next = next.y.data()](Index begin, Index end) {
      return BlockPass::Sums<1>{loops_.curvature(at, N_next, begin, end)};
    };
    step_.curvature = pass_.run_between<1>(monitor.threads(), next, kernel)[0];
    return step_.curvature;
  }

  /// The test (F.3). Whether L must be doubled, which is not so where a NaN stands.
  bool too_curved(double curvature) const {
    const double bound = L_ * step_.square;
    if (!(curvature > bound) || !std::isfinite(L_)) return false;
    return curvature > bound + rounding * L_ * std::sqrt(step_.square) * problem_.norm(gamma_.next());
  }

  /// γ_{k+1} becomes the current iterate.
  void accept() {
    gamma_.accept();
    products_.accept();
  }

  /// L <- 0.9 L. But a step along which N is zero says nothing of L: an unbounded problem must not be left at an exponential
  /// pace.
  void relax_curvature() {
    const bool straight = step_.square > 0.0 && step_.curvature <= smallest_lipschitz() * step_.square;
    if (settings_.adaptive_step && !straight) L_ = std::max(decay * L_, smallest_lipschitz());
  }

  /// y_{k+1} = γ_{k+1} (F.5)
  void restart_momentum() {
    theta_ = 1.0;
    beta_ = 0.0;
  }

  /// y_{k+1} = γ_{k+1} + β (γ_{k+1} − γ_k) (F.2)
  void extrapolate() {
    const double square = theta_ * theta_, theta = 0.5 * (theta_ * std::sqrt(square + 4.0) - square);
    beta_ = theta_ * (1.0 - theta_) / (square + theta);
    theta_ = theta;
  }

  ApgdVectors vectors() {
    return {rows_of(problem_.constraints(), 0, problem_.constraints().count()),
            {&problem_.constraints(), project_part},
            beta_,
            1.0 / L_,
            gamma_.current().data(),
            gamma_.previous().data(),
            products_.current().data(),
            products_.previous().data(),
            r_.data(),
            problem_.residual_scale().data(),
            gamma_.next().data()};
  }
  static void project_part(const void* set, Index begin, Index end, const double* from, double* to) {
    project_blocks(*static_cast<const ConstraintSet*>(set), begin, end, from, to);
  }

  ApgdSettings settings_;
  GradientProblem problem_;
  BlockPass pass_;
  Iterates gamma_;
  Vector r_;
  IterateProducts products_;
  const ApgdLoops& loops_ = kernels().apgd;
  double L_ = 1.0, first_L_ = 1.0;  ///< now, and at the start of a run
  double theta_ = 1.0, beta_ = 0.0;
  Step step_;  ///< from y_k to γ_{k+1}
  double best_residual_ = 0.0;
  ApgdColumns native_;
};

class Apgd final : public OperatorMethod<ApgdSettings, ApgdSession> {
 public:
  Apgd()
      : OperatorMethod({"apgd",
                        "Accelerated projected gradient descent (Nesterov)",
                        "Mazhar, Heyn, Negrut, Tasora 2015, Algorithm 1",
                        {Model::ccp},
                        ApgdColumns().columns(),
                        false,
                        false,
                        true}) {
    ApgdSettings& s = settings_;
    fields_.add("restart", &s.restart, "drop the momentum when it points uphill", "Mazhar 2015, sec. 3.1.2")
        .add("fallback", &s.fallback, "hand back the best iterate where a run ends unsolved, not the last",
             "Mazhar 2015, sec. 3.1.3")
        .add("adaptive_step", &s.adaptive_step,
             "L from a guess, doubled when too small and times 0.9 after each step; false: λ_max(N) by the power method",
             "Mazhar 2015, sec. 3.1.1");
    add_gradient_fields(fields_, s, "Mazhar 2015, line 22; value ours");
  }
};

}  // namespace

std::unique_ptr<Solver> make_apgd() { return std::make_unique<Apgd>(); }

}  // namespace ccp
