#include <algorithm>
#include <array>

#include "solvers/gradient/gradient_problem.hpp"
#include "solvers/gradient/iterates.hpp"
#include "solvers/methods.hpp"

namespace ccp {
namespace {

constexpr double sufficient_decrease = 1e-4;  // Birgin, Martínez, Raydan 2000
constexpr int largest_memory = 100;
constexpr int most_blocked = 5;  // iterations in a row without a direction of descent

struct SpgSettings : GradientSettings {
  Preconditioner preconditioner = Preconditioner::none;
  bool fallback = false;
  int memory = 10;
  double step_clamp = 1e10;
};

struct SpgColumns : ProjectedStepColumns {
  NativeValue length{*this, "length", "", "λ along the direction"};
};

/// The last objectives, relative to the current one: f itself would cancel near a solution.
class ObjectiveMemory {
 public:
  void reset(int size) {
    size_ = uz(size);
    above_.fill(0.0);
  }
  /// max_j f_j − f over the last iterates, the current one among them.
  double largest() const { return *std::max_element(above_.begin(), above_.begin() + static_cast<std::ptrdiff_t>(size_)); }
  /// f has changed by `change`.
  void push(double change) {
    for (double& above : above_) above -= change;
    oldest_ = (oldest_ + 1) % size_;
    above_[oldest_] = 0.0;
  }

 private:
  std::array<double, largest_memory> above_{};
  std::size_t size_ = 1, oldest_ = 0;
};

class SpgSession final : public Session {
 public:
  SpgSession(const SpgSettings& settings, const ContactProblem& problem, Model, Monitor&)
      : settings_(settings),
        problem_(problem, settings),
        pass_(problem),
        gamma_(problem.rows()),
        r_(problem.rows()),
        product_(Vector::Zero(problem.rows())),
        direction_(product_),
        direction_product_(product_),
        P_(problem_.preconditioner(settings.preconditioner)),
        typical_step_(problem_.typical_step(settings.preconditioner)) {}

  Outcome run(const WarmStart& start, const Vector& shift, Monitor& monitor) override {
    initialise(start, shift, monitor);
    native_.projected_gradient = residual_;
    native_.step = alpha_;
    native_.length = 0.0;
    bool converged = false;
    for (int blocked = 0; monitor.go_on({gamma_.current(), nullptr, native_.values(), converged});) {
      blocked = line_.slope < 0.0 ? 0 : blocked + 1;
      if (blocked > most_blocked) return outcome(monitor, Status::stalled, "no direction of descent above rounding");
      if (blocked > 0) start_anew(monitor);
      problem_.multiply(direction_, direction_product_, monitor);
      const double length = search(monitor.threads());
      advance(length, monitor);
      native_.projected_gradient = residual_;
      native_.step = alpha_;
      native_.length = length;
      converged = residual_ <= settings_.native_tolerance;
    }
    return outcome(monitor, std::nullopt, "");
  }

 private:
  /// The objective along γ + λ d, f(λ) = f(0) + λ slope + ½ λ² curvature, and the other criteria of the step.
  struct Line {
    double slope = 0.0;           ///< gᵀd
    double size = 0.0;            ///< dᵀP⁻¹d
    double curvature = 0.0;       ///< dᵀNd
    double product_square = 0.0;  ///< (Nd)ᵀP Nd
  };

  Outcome outcome(const Monitor& monitor, std::optional<Status> status, const char* reason) {
    const bool best = settings_.fallback && !monitor.solved();
    return {best ? gamma_.best() : gamma_.current(), {}, alpha_, status, reason};
  }

  void initialise(const WarmStart& start, const Vector& shift, Monitor& monitor) {
    r_ = problem_.free_velocity() + shift;
    problem_.project_start(start, gamma_.current(), pass_, monitor);
    objectives_.reset(settings_.memory);
    even_ = true;
    alpha_ = typical_step_;
    if (start.carried > 0.0) alpha_ = clamped(start.carried);
    refresh(monitor);
    gamma_.mark_best();
    best_residual_ = residual_;
  }

  /// With the plain step and a fresh product: what blocks the method may be one of them.
  void start_anew(Monitor& monitor) {
    alpha_ = typical_step_;
    refresh(monitor);
  }

  /// N γ itself in place of the sum it was kept as.
  void refresh(Monitor& monitor) {
    problem_.multiply(gamma_.current(), product_, monitor);
    drift_.reset();
    const Vector& gamma = gamma_.current();
    take_aim(pass_.run<4>(monitor.threads(), [&, alpha = alpha_](const auto& block) {
      return aim(block, block.of(gamma), block.of(product_), alpha);
    }));
    ++monitor.counters().projections;
  }

  /// The share of one block, with impulse γ and product N γ, in: the next target Π(γ − α P g) and direction d (F.8), the
  /// sums gᵀd and dᵀP⁻¹d, the residual (F.6), and (Nγ)ᵀP Nγ.
  template <typename Block>
  BlockPass::Sums<4> aim(const Block& block, const typename Block::Point& gamma, const typename Block::Point& product,
                         double alpha) {
    using Point = typename Block::Point;
    const double P = P_[block.index];
    const Point g = product + block.of(r_);
    const Point projected = block.project(gamma - alpha * P * g);
    const Point d = projected - gamma;
    block.of(gamma_.next()) = projected;
    block.of(direction_) = d;
    return {projected_slope(g, d, alpha * P), d.squaredNorm() / P,
            residual_square(block, gamma, g, problem_.residual_scale()[block.index]), P * product.squaredNorm()};
  }
  void take_aim(const BlockPass::Sums<4>& sums) {
    line_ = {sums[0], sums[1], 0.0, 0.0};
    residual_ = problem_.residual(sums[2]);
    product_size_ = std::sqrt(sums[3]);
  }

  /// The length λ along d: 1 when that is below the largest of the last objectives, else the minimiser, which is (F.9).
  double search(int threads) {
    const auto [curvature, product_square] = pass_.run<2>(threads, [&](const auto& block) {
      const auto product = block.of(direction_product_);
      return BlockPass::Sums<2>{block.of(direction_).dot(product), P_[block.index] * product.squaredNorm()};
    });
    line_.curvature = curvature;
    line_.product_square = product_square;
    const bool enough =
        line_.slope + 0.5 * curvature <= objectives_.largest() + sufficient_decrease * line_.slope || line_.slope >= 0.0;
    return enough ? 1.0 : -line_.slope / curvature;
  }

  /// γ ← γ + λ d, N γ ← N γ + λ N d, and the aim from there, in one pass.
  void advance(double length, Monitor& monitor) {
    objectives_.push(length * line_.slope + 0.5 * length * length * line_.curvature);
    choose_step();
    gamma_.accept();
    const Vector& previous = gamma_.previous();
    Vector& gamma = gamma_.current();  // holds γ + d
    const double travelled = length * std::sqrt(line_.product_square);
    take_aim(pass_.run<4>(monitor.threads(), [&, length, alpha = alpha_](const auto& block) {
      using Point = typename std::decay_t<decltype(block)>::Point;
      Point point = block.of(gamma);
      if (length != 1.0) {
        // In K by convexity, up to a rounding that the projection takes away.
        point = block.project(block.of(previous) + length * block.of(direction_));
        block.of(gamma) = point;
      }
      const Point product = block.of(product_) + length * block.of(direction_product_);
      block.of(product_) = product;
      return aim(block, point, product, alpha);
    }));
    monitor.counters().projections += 2;
    if (drift_.too_far(travelled, product_size_)) refresh(monitor);
    if (residual_ < best_residual_) {
      best_residual_ = residual_;
      gamma_.mark_best();
    }
  }

  /// α of the next step: the two lengths of Barzilai and Borwein in turn (F.10).
  void choose_step() {
    even_ = !even_;
    const double above = even_ ? line_.curvature : line_.size;
    const double below = even_ ? line_.product_square : line_.curvature;
    alpha_ = clamped(below > 0.0 ? above / below : above > 0.0 ? settings_.step_clamp * typical_step_ : typical_step_);
  }
  double clamped(double step) const {
    return std::clamp(step, typical_step_ / settings_.step_clamp, typical_step_ * settings_.step_clamp);
  }

  SpgSettings settings_;
  GradientProblem problem_;
  BlockPass pass_;
  Iterates gamma_;
  Vector r_;
  Vector product_;                        ///< N γ
  Vector direction_, direction_product_;  ///< d, N d
  Vector P_;                              ///< of each block
  double typical_step_;
  ObjectiveMemory objectives_;
  Drift drift_;
  Line line_;
  double alpha_ = 1.0, residual_ = 0.0, best_residual_ = 0.0, product_size_ = 0.0;
  bool even_ = true;
  SpgColumns native_;
};

class Spg final : public OperatorMethod<SpgSettings, SpgSession> {
 public:
  Spg(const SpgSettings& defaults, const char* name, const char* title, const char* reference)
      : OperatorMethod({name, title, reference, {Model::ccp}, SpgColumns().columns(), false, false, true}, defaults) {
    SpgSettings& s = settings_;
    fields_
        .add("preconditioner", &s.preconditioner, preconditioner_names(),
             "diagonal: steps scaled by rows/tr(N_ii), one value per block", "Tasora 2021, sec. 8; Heyn et al. 2013")
        .add("fallback", &s.fallback, "hand back the best iterate where a run ends unsolved, not the last",
             "Heyn et al. 2013")
        .add("memory", &s.memory, Range::closed(1, largest_memory), "objectives the line search looks back on",
             "Birgin, Martínez, Raydan 2000")
        .add("step_clamp", &s.step_clamp, Range::at_least(1.0), "",
             "largest ratio of the step to its typical size, and of that to it",
             "Birgin, Martínez, Raydan 2000; value ours");
    add_gradient_fields(fields_, s, "ours");
  }
};

}  // namespace

std::unique_ptr<Solver> make_spg() {
  return std::make_unique<Spg>(SpgSettings{}, "spg", "Spectral projected gradient (Barzilai-Borwein)",
                               "Birgin, Martínez, Raydan 2000");
}

std::unique_ptr<Solver> make_p_spg_fb() {
  SpgSettings settings;
  settings.preconditioner = Preconditioner::diagonal;
  settings.fallback = true;
  return std::make_unique<Spg>(settings, "p_spg_fb", "Preconditioned spectral projected gradient with fallback",
                               "Heyn, Anitescu, Tasora, Negrut 2013; comparator of Tasora et al. 2021");
}

}  // namespace ccp
