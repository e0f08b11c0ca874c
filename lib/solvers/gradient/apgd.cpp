#include "solvers/gradient/apgd.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "core/last_cache.hpp"
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
        N_(problem_.delassus()),
        pass_(problem.constraints()),
        gamma_(problem.rows()),
        r_(problem.rows()),
        product_(Vector::Zero(problem.rows())),
        previous_product_(product_),
        half_(Vector::Zero(N_.half_size())),
        previous_half_(half_),
        next_half_(half_),
        far_(N_.bytes() > last_cache_bytes),
        distances_(static_cast<std::size_t>((half_.size() + distance_chunk - 1) / distance_chunk)) {
    if (!N_.half_is_root()) next_product_ = product_;
    if (!settings.adaptive_step) L_ = largest_eigenvalue(monitor);
  }

  Outcome run(const WarmStart& start, const Vector& shift, Monitor& monitor) override {
    initialise(start, shift, monitor);
    bool converged = false;
    std::vector<double> native{best_residual_, 1.0 / step_.L, 0.0};
    while (monitor.go_on({gamma_.current(), nullptr, native, converged})) {
      while (too_curved(curvature(monitor))) project_again(monitor);
      native[1] = 1.0 / step_.L;
      if (accept()) ++native[2];
      native[0] = judge_and_project(monitor);
      converged = native[0] <= settings_.native_tolerance;
    }
    const bool best = settings_.fallback && !monitor.solved();
    return {best ? gamma_.best() : gamma_.current(), {}, 1.0 / step_.L, std::nullopt, ""};
  }

 private:
  /// γ_{k+1} = Π(y_k − t (N y_k + r)) in the making, of t = 1/L and β_k, with dᵀd of d = γ_{k+1} − y_k, dᵀNd, and
  /// gᵀ(γ_{k+1} − γ_k) of g at y_k (E60).
  struct Step {
    double L = 1.0, theta = 1.0, beta = 0.0;
    double square = 0.0, curvature = 0.0, slope = 0.0;
  };

  double smallest_lipschitz() const { return smallest_ratio * problem_.mean_diagonal(); }

  /// γ_0 with its residual, and γ_1.
  void initialise(const WarmStart& start, const Vector& shift, Monitor& monitor) {
    r_ = problem_.free_velocity() + shift;
    problem_.project_start(start, gamma_.current(), pass_, monitor);
    N_.start_product(gamma_.current(), half_, monitor.threads());
    previous_half_ = half_;
    if (settings_.adaptive_step) L_ = start.step > 0.0 ? 1.0 / start.step : first_lipschitz(monitor);
    step_ = {};
    step_.L = L_;
    has_product_ = false;
    gamma_.mark_best();
    best_residual_ = std::numeric_limits<double>::infinity();
    judge_and_project(monitor);
  }

  /// L₀ = ‖N(γ₀ − 1)‖/‖γ₀ − 1‖ (Mazhar 2015, line 4); the mean of diag N where that is 0 or 0/0.
  double first_lipschitz(Monitor& monitor) {
    Vector& difference = gamma_.next();
    difference = gamma_.current().array() - 1.0;
    problem_.multiply(difference, product_, monitor);
    const double L = product_.norm() / difference.norm();
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
      problem_.multiply(x, product_, monitor);
      value = product_.norm();
      if (!(value > 0.0)) break;
      x = product_;
    }
    return value > 0.0 ? value : problem_.mean_diagonal();
  }

  /// dᵀNd: from the first halves of the products where that is possible, else from N γ_{k+1}, made for it.
  double curvature(Monitor& monitor) {
    if (N_.half_is_root())
      step_.curvature = distance(monitor.threads());
    else
      step_.curvature = product_curvature(monitor);
    return step_.curvature;
  }

  double distance(int threads) {
    parallel_ranges(
        threads, static_cast<Index>(distances_.size()),
        [&](Index first, Index last) {
          for (Index c = first; c < last; ++c) {
            const Index begin = c * distance_chunk, size = std::min(distance_chunk, half_.size() - begin);
            distances_[static_cast<std::size_t>(c)] = loops_.distance(size, step_.beta, next_half_.data() + begin,
                                                                      half_.data() + begin, previous_half_.data() + begin);
          }
        },
        1);
    double sum = 0.0;
    for (const double part : distances_) sum += part;
    return sum;
  }

  double product_curvature(Monitor& monitor) {
    const auto product = [&](Index begin, Index end) {
      N_.finish_product(begin, end, next_half_, std::as_const(gamma_).next(), next_product_);
    };
    const auto kernel = [this, at = vectors()](Index begin, Index end) {
      return loops_.curvature(at, next_product_.data(), begin, end);
    };
    count_halves(2, monitor);
    return pass_.run_spans<1>(monitor.threads(), product, kernel)[0];
  }

  /// The test (E58). Whether L must be doubled, which is not so where a NaN stands.
  bool too_curved(double curvature) const {
    const double bound = step_.L * step_.square;
    if (!(curvature > bound) || !std::isfinite(step_.L)) return false;
    return curvature > bound + rounding * step_.L * std::sqrt(step_.square) * gamma_.next().norm();
  }

  /// Lines 8–12 after a failed test: γ_{k+1} with L doubled.
  void project_again(Monitor& monitor) {
    step_.L *= growth;
    const auto [square, slope] = pass_.run_chunks<2>(
        monitor.threads(), [this, at = vectors()](Index begin, Index end) { return loops_.project(at, begin, end); });
    step_.square = square;
    step_.slope = slope;
    N_.start_product(gamma_.next(), next_half_, monitor.threads());
    ++monitor.counters().projections;
    if (N_.half_is_root()) count_halves(1, monitor);  // the start of the product that is given up
  }

  /// Lines 14–16 and 25–30: γ_{k+1} becomes the current iterate, and y_{k+1} the point of the next step, γ_{k+1} itself
  /// after a restart (E60). Whether there was one.
  bool accept() {
    gamma_.accept();
    previous_product_.swap(product_);
    has_product_ = !N_.half_is_root();
    if (has_product_) product_.swap(next_product_);
    previous_half_.swap(half_);
    half_.swap(next_half_);
    // A step along which N is zero says nothing of L: an unbounded problem must not be left at an exponential pace.
    const bool straight = step_.square > 0.0 && step_.curvature <= smallest_lipschitz() * step_.square;
    if (settings_.adaptive_step && !straight) step_.L = std::max(decay * step_.L, smallest_lipschitz());
    if (settings_.restart && step_.slope > 0.0) {
      step_.theta = 1.0;
      step_.beta = 0.0;
      return true;
    }
    const double theta = step_.theta, square = theta * theta;  // (E57)
    step_.theta = 0.5 * (theta * std::sqrt(square + 4.0) - square);
    step_.beta = theta * (1.0 - theta) / (square + step_.theta);
    return false;
  }

  ApgdVectors vectors() {
    return {problem_.constraints(),
            step_.beta,
            1.0 / step_.L,
            gamma_.current().data(),
            gamma_.previous().data(),
            product_.data(),
            previous_product_.data(),
            r_.data(),
            problem_.residual_scale().data(),
            gamma_.next().data(),
            far_};
  }

  /// The current iterate's N γ_k and residual, and the next one with the first half of its product: in one pass, which has
  /// the blocks of N and of the vectors in the nearest cache for all of them.
  double judge_and_project(Monitor& monitor) {
    const int threads = monitor.threads();
    const auto finish = [&](Index begin, Index end) {
      if (!has_product_) N_.finish_product(begin, end, half_, std::as_const(gamma_).current(), product_);
    };
    const auto judge = [this, at = vectors()](Index begin, Index end) { return loops_.residual(at, begin, end); };
    const auto project = [this, at = vectors()](Index begin, Index end) { return loops_.project(at, begin, end); };
    const auto feed = [&](Index begin, Index end) {
      if (threads == 1) N_.feed_product(begin, end, std::as_const(gamma_).next(), next_half_);
    };
    const auto [squares, square, slope] = pass_.run_spans<1, 2>(threads, finish, judge, project, feed);
    if (threads > 1) N_.start_product(gamma_.next(), next_half_, threads);
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
  Vector product_, previous_product_;        ///< N γ_k, N γ_{k−1}
  Vector next_product_;                      ///< N γ_{k+1}, where the test needs it
  Vector half_, previous_half_, next_half_;  ///< first halves of N γ_k, N γ_{k−1}, N γ_{k+1}
  bool far_;                                 ///< all this comes from the memory in each iteration
  std::vector<double> distances_;            ///< of each distance_chunk
  const ApgdLoops& loops_ = apgd_loops(widest_instruction_set());
  double L_ = 1.0;  ///< at the start of a run
  Step step_;
  bool has_product_ = false;     ///< whether product_ is that of the current iterate already
  std::int64_t odd_halves_ = 0;  ///< of products, not counted yet
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
