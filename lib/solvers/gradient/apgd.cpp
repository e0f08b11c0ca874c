#include "solvers/gradient/apgd.hpp"

#include <array>
#include <utility>

#include "solvers/gradient/gradient_problem.hpp"
#include "solvers/gradient/iterates.hpp"

namespace ccp {
namespace {

constexpr double growth = 2.0, decay = 0.9;  // of L after a failed and after a passed test (Mazhar 2015, lines 10, 29)
constexpr double rounding = 8.0 * 0x1p-52;   // a step this far below γ is rounding of N γ (E58)
constexpr double smallest_ratio = 1e-12;     // of L to the mean of diag N
constexpr int power_iterations = 30;

/// One number for each row of a chunk.
using Scratch = std::array<double, 3 * BlockPass::chunk>;

/// The rows of the blocks [begin, end) of a vector, or of a scratch that holds these rows alone.
class Rows {
 public:
  Rows(const ConstraintSet& set, Index begin, Index end)
      : first_(set.offset(begin)), size_(set.offsets()[static_cast<std::size_t>(end)] - first_) {}

  Eigen::Map<const Vector> of(const Vector& x) const { return {x.data() + first_, size_}; }
  Eigen::Map<Vector> of(Vector& x) const { return {x.data() + first_, size_}; }
  Eigen::Map<Vector> of(Scratch& x) const { return {x.data(), size_}; }
  template <typename Block>
  Eigen::Map<typename Block::Point> of(Scratch& x, const Block& block) const {
    return Eigen::Map<typename Block::Point>(x.data() + (block.offset - first_));
  }

 private:
  Index first_, size_;
};

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
      problem_.multiply(gamma_.next(), next_product_, monitor);
      const auto [curvature, size, residual] = examine_step(monitor.threads());
      monitor.counters().projections += 2;
      // Not the negation: with a NaN there is nothing to double L for.
      const double noise = rounding * L_ * std::sqrt(square * size);
      if (!(curvature > L_ * square + noise) || !std::isfinite(L_))
        return {problem_.residual(residual), slope, square > 0.0 && curvature <= smallest_lipschitz() * square};
    }
  }

  /// x_k + β (x_k − x_{k−1}).
  template <typename Current, typename Previous>
  auto extrapolated(const Current& current, const Previous& previous) const {
    return current + beta_ * (current - previous);
  }

  /// γ_{k+1} = Π(y_k − t(N y_k + r)), where y_k and N y_k are combinations of the last two iterates and their products
  /// (E57). Sums dᵀd with d = γ_{k+1} − y_k, and gᵀ(γ_{k+1} − γ_k).
  BlockPass::Sums<2> project_step(int threads) {
    // Chunk by chunk in loops of few operations, of which a processor has several at work at a time: in one loop the chain
    // of roots and divisions of a contact would be nearly all it sees.
    return pass_.run_chunks<2>(threads, [&](Index begin, Index end) {
      const Rows rows(problem_.constraints(), begin, end);
      Scratch y, g;
      rows.of(y) = extrapolated(rows.of(gamma_.current()), rows.of(gamma_.previous()));
      rows.of(g) = extrapolated(rows.of(product_), rows.of(previous_product_)) + rows.of(r_);
      rows.of(gamma_.next()) = rows.of(y) - 1.0 / L_ * rows.of(g);
      Vector& next = gamma_.next();
      for_blocks(problem_.constraints(), begin, end,
                 [&](const auto& block) { block.of(next) = block.project(block.of(std::as_const(next))); });
      BlockPass::Sums<2> sums{};
      const Vector& gamma = gamma_.current();
      for_blocks(problem_.constraints(), begin, end, [&](const auto& block) {
        using Point = typename std::decay_t<decltype(block)>::Point;
        const Point projected = block.of(std::as_const(next)), at = rows.of(y, block), slope = rows.of(g, block);
        sums[0] += (projected - at).squaredNorm();
        sums[1] += slope.dot(projected - block.of(gamma));
      });
      return sums;
    });
  }

  /// Sums dᵀ(N γ_{k+1} − N y_k), ‖γ_{k+1}‖² and the residual (E61) of γ_{k+1}.
  BlockPass::Sums<3> examine_step(int threads) {
    return pass_.run_chunks<3>(threads, [&](Index begin, Index end) {
      const Rows rows(problem_.constraints(), begin, end);
      const Vector &next = std::as_const(gamma_).next(), &scale = problem_.residual_scale();
      Scratch d, e, projected;
      rows.of(d) = rows.of(next) - extrapolated(rows.of(gamma_.current()), rows.of(gamma_.previous()));
      rows.of(e) = rows.of(next_product_) - extrapolated(rows.of(product_), rows.of(previous_product_));
      rows.of(projected) = rows.of(next_product_) + rows.of(r_);
      for_blocks(problem_.constraints(), begin, end, [&](const auto& block) {
        auto part = rows.of(projected, block);
        part = block.of(next) - scale[block.index] * part;
      });
      for_blocks(problem_.constraints(), begin, end, [&](const auto& block) {
        auto part = rows.of(projected, block);
        part = block.project(part);
      });
      BlockPass::Sums<3> sums{};
      for_blocks(problem_.constraints(), begin, end, [&](const auto& block) {
        using Point = typename std::decay_t<decltype(block)>::Point;
        const Point point = block.of(next), along = rows.of(d, block), change = rows.of(e, block);
        const Point nearest = rows.of(projected, block);
        const double g = scale[block.index];
        sums[0] += along.dot(change);
        sums[1] += point.squaredNorm();
        sums[2] += (point - nearest).squaredNorm() / (g * g);
      });
      return sums;
    });
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
