#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "cones/product_cone.hpp"
#include "core/parallel.hpp"
#include "kernels/kernels.hpp"
#include "solvers/gradient/gradient_problem.hpp"
#include "solvers/gradient/iterates.hpp"
#include "solvers/methods.hpp"

namespace ccp {
namespace {

constexpr double growth = 2.0, decay = 0.9;  // of L after a failed and after a passed test (Mazhar 2015, lines 10, 29)
constexpr double rounding = 8.0 * 0x1p-52;   // a step this far below γ is rounding of N γ (F.3)
constexpr double smallest_ratio = 1e-12;     // of L to the mean of diag N
constexpr int power_iterations = 30;

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
        N_(problem_.delassus()),
        pass_(problem.constraints()),
        gamma_(problem.rows()),
        r_(problem.rows()),
        product_(Vector::Zero(problem.rows())),
        previous_product_(product_),
        split_(N_.split_product()),
        previous_split_(N_.split_product()),
        next_split_(N_.split_product()),
        rooted_(!split_->root().empty()),
        distances_((split_->root().size() + distance_chunk - 1) / distance_chunk) {
    if (!rooted_) next_product_ = product_;
    if (!settings.adaptive_step) first_L_ = largest_eigenvalue(monitor);
  }

  Outcome run(const WarmStart& start, const Vector& shift, Monitor& monitor) override {
    begin(start, shift, monitor);
    bool converged = false;
    native_.projected_gradient = best_residual_;
    native_.step = 1.0 / L_;
    native_.restarts = 0.0;
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
    split_->begin(gamma_.current(), monitor.threads());
    previous_split_->begin();
    if (settings_.adaptive_step) first_L_ = start.carried > 0.0 ? 1.0 / start.carried : first_lipschitz(monitor);
    L_ = first_L_;
    restart_momentum();
    step_ = {};
    has_product_ = false;
    gamma_.mark_best();
    best_residual_ = std::numeric_limits<double>::infinity();
    judge_and_step(monitor);
  }

  /// L₀ = ‖N(γ₀ − 1)‖/‖γ₀ − 1‖ (Mazhar 2015, line 4); the mean of diag N where that is 0 or 0/0.
  double first_lipschitz(Monitor& monitor) {
    Vector& difference = gamma_.next();
    difference = gamma_.current().array() - 1.0;
    problem_.multiply(difference, product_, monitor);
    const double L = product_.norm() / difference.norm();
    return L > 0.0 && std::isfinite(L) ? L : problem_.mean_diagonal();
  }

  /// λ_max(N) by the power method, from below: an error shows in (F.3).
  double largest_eigenvalue(Monitor& monitor) {
    Vector& x = gamma_.next();
    // Not orthogonal to anything special: entries from the golden section.
    for (Index i = 0; i < x.size(); ++i) x[i] = 0.5 + std::fmod(0.6180339887498949 * static_cast<double>(i + 1), 1.0);
    double value = 0.0;
    for (int k = 0; k < power_iterations && x.size() > 0; ++k) {
      x /= x.norm();
      problem_.multiply(x, product_, monitor);
      value = product_.norm();
      if (!(value > 0.0)) break;
      x = product_;
    }
    return value > 0.0 ? value : problem_.mean_diagonal();
  }

  /// Lines 7–8: γ_{k+1} = Π(y_k − t g) with t = 1/L and g = N y_k + r.
  void step(Monitor& monitor) {
    const auto [square, slope] = pass_.run_chunks<2>(monitor.threads(), [this, at = vectors()](Index begin, Index end) {
      const StepSums sums = loops_.project(at, begin, end);
      return BlockPass::Sums<2>{sums.square, sums.slope};
    });
    step_.square = square;
    step_.slope = slope;
    next_split_->begin(gamma_.next(), monitor.threads());
    ++monitor.counters().projections;
    if (rooted_) count_halves(1, monitor);  // that of the step which has failed
  }

  /// Lines 17–24: the residual of the current iterate, which is kept where it is the best one, with N γ_k; and step() from
  /// there. In one pass, which has the blocks of N and of the vectors in the nearest cache for all of them.
  double judge_and_step(Monitor& monitor) {
    std::optional<UsedProduct> used;
    if (!has_product_) used.emplace(UsedProduct{*split_, gamma_.current(), product_});
    const auto kernel = [this, at = vectors()](Index begin, Index end) {
      const double squares = loops_.residual(at, begin, end);
      const StepSums sums = loops_.project(at, begin, end);
      return BlockPass::Sums<3>{squares, sums.square, sums.slope};
    };
    const auto [squares, square, slope] =
        pass_.run_between<3>(monitor.threads(), used, kernel, MadeProduct{*next_split_, gamma_.next()});
    step_.square = square;
    step_.slope = slope;
    if (!has_product_) count_halves(2, monitor);
    monitor.counters().projections += 2;
    const double residual = problem_.residual(squares);
    if (residual < best_residual_) {
      best_residual_ = residual;
      gamma_.mark_best();
    }
    return residual;
  }

  /// dᵀNd: from the first halves of the products where these are roots, else from N γ_{k+1}, made for it.
  double curvature(Monitor& monitor) {
    step_.curvature = rooted_ ? distance(monitor.threads()) : product_curvature(monitor);
    return step_.curvature;
  }

  /// ‖w(γ_{k+1}) − w(y_k)‖²
  double distance(int threads) {
    const double *next = next_split_->root().data(), *w = split_->root().data(), *previous = previous_split_->root().data();
    const auto size = static_cast<Index>(split_->root().size());
    const auto body = [&](Index first, Index last) {
      for (Index c = first; c < last; ++c) {
        const Index k = c * distance_chunk;
        distances_[static_cast<std::size_t>(c)] =
            loops_.distance(std::min(distance_chunk, size - k), beta_, next + k, w + k, previous + k);
      }
    };
    parallel_ranges(threads, static_cast<Index>(distances_.size()), body, 1);
    double sum = 0.0;
    for (const double part : distances_) sum += part;
    return sum;
  }

  double product_curvature(Monitor& monitor) {
    count_halves(2, monitor);
    const auto kernel = [this, at = vectors()](Index begin, Index end) {
      return BlockPass::Sums<1>{loops_.curvature(at, next_product_.data(), begin, end)};
    };
    return pass_.run_between<1>(monitor.threads(), UsedProduct{*next_split_, gamma_.next(), next_product_}, kernel)[0];
  }

  /// The test (F.3). Whether L must be doubled, which is not so where a NaN stands.
  bool too_curved(double curvature) const {
    const double bound = L_ * step_.square;
    if (!(curvature > bound) || !std::isfinite(L_)) return false;
    return curvature > bound + rounding * L_ * std::sqrt(step_.square) * gamma_.next().norm();
  }

  /// γ_{k+1} becomes the current iterate, with its product or the first half of it.
  void accept() {
    gamma_.accept();
    previous_product_.swap(product_);
    has_product_ = !rooted_;
    if (has_product_) product_.swap(next_product_);
    previous_split_.swap(split_);
    split_.swap(next_split_);
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
            product_.data(),
            previous_product_.data(),
            r_.data(),
            problem_.residual_scale().data(),
            gamma_.next().data()};
  }
  static void project_part(const void* set, Index begin, Index end, const double* from, double* to) {
    project_blocks(*static_cast<const ConstraintSet*>(set), begin, end, from, to);
  }

  void count_halves(std::int64_t halves, Monitor& monitor) {
    monitor.counters().products += (odd_halves_ + halves) / 2;
    odd_halves_ = (odd_halves_ + halves) % 2;
  }

  static constexpr Index distance_chunk = 1536;  // numbers

  ApgdSettings settings_;
  GradientProblem problem_;
  const DelassusOperator& N_;
  BlockPass pass_;
  Iterates gamma_;
  Vector r_;
  Vector product_, previous_product_;                                  ///< N γ_k, N γ_{k−1}
  Vector next_product_;                                                ///< N γ_{k+1}, where the test needs it
  std::unique_ptr<SplitProduct> split_, previous_split_, next_split_;  ///< the same in halves
  bool rooted_;                                                        ///< whether the first halves have the norm of N
  std::vector<double> distances_;                                      ///< of each distance_chunk
  const ApgdLoops& loops_ = kernels().apgd;
  double L_ = 1.0, first_L_ = 1.0;  ///< now, and at the start of a run
  double theta_ = 1.0, beta_ = 0.0;
  Step step_;                    ///< from y_k to γ_{k+1}
  bool has_product_ = false;     ///< whether product_ is that of the current iterate already
  std::int64_t odd_halves_ = 0;  ///< of products, not counted yet
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
                        ApgdColumns().columns()}) {
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
