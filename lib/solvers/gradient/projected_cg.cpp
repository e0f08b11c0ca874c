#include <cmath>
#include <cstdint>

#include "solvers/gradient/gradient_problem.hpp"
#include "solvers/methods.hpp"

namespace ccp {
namespace {

constexpr double surface = 1e-10;  // relative distance to the surface of a cone that counts as on it
constexpr double outside = 1e-10;  // relative change by the projection that counts as having left the cone
constexpr int patience = 5;        // steps in a row without a direction of descent

struct CgSettings : GradientSettings {
  Preconditioner preconditioner = Preconditioner::none;
  double proportion = 1.0;
};

/// The face of its set in whose interior the impulse of a block is (F.12).
enum class Face : std::uint8_t { apex, ray, whole };

template <typename Block>
Face face_of(const Block& block, const typename Block::Point& gamma) {
  if constexpr (Block::kind == ConstraintKind::bilateral) return Face::whole;
  if (!(gamma[0] > 0.0)) return Face::apex;
  if constexpr (Block::rows > 1) {
    const double radius = block.mu * gamma[0];
    if (radius - gamma.template tail<Block::rows - 1>().norm() <= surface * radius) return Face::ray;
  }
  return Face::whole;
}

/// The part of x in the span of the face of γ.
template <typename Point>
Point in_face(Face face, const Point& gamma, const Point& x) {
  if (face == Face::apex) return Point::Zero();
  return face == Face::ray ? Point(x.dot(gamma) / gamma.squaredNorm() * gamma) : x;
}

struct CgColumns : ProjectedStepColumns {
  NativeValue conjugate_directions{*this, "conjugate_directions", "", "conjugate steps in a row"};
};

class CgSession final : public Session {
 public:
  CgSession(const CgSettings& settings, const ContactProblem& problem, Model, Monitor&)
      : settings_(settings),
        problem_(problem, settings),
        pass_(problem),
        gamma_(Vector::Zero(problem.rows())),
        r_(gamma_),
        product_(gamma_),
        conjugate_(gamma_),
        conjugate_product_(gamma_),
        step_(gamma_),
        step_product_(gamma_),
        P_(problem_.preconditioner(settings.preconditioner)),
        faces_(uz(problem.constraints().count()), Face::apex),
        typical_step_(problem_.typical_step(settings.preconditioner)) {}

  Outcome run(const WarmStart& start, const Vector& shift, Monitor& monitor) override {
    r_ = problem_.free_velocity() + shift;
    problem_.project_start(start, gamma_, pass_, monitor);
    alpha_ = start.carried > 0.0 ? start.carried : typical_step_;
    refresh(monitor);
    native_.projected_gradient = residual_;
    native_.step = alpha_;
    native_.conjugate_directions = 0.0;
    bool converged = false;
    for (int blocked = 0; monitor.go_on({gamma_, nullptr, native_.values(), converged});) {
      const bool moved = (proportional_ && conjugate_step(monitor)) || gradient_step(monitor);
      blocked = moved ? 0 : blocked + 1;
      if (blocked > patience) return {gamma_, {}, alpha_, Status::stalled, "no direction of descent above rounding"};
      if (!moved) {
        alpha_ = typical_step_;
        refresh(monitor);
      }
      native_.projected_gradient = residual_;
      native_.step = alpha_;
      native_.conjugate_directions = conjugate_directions_;
      converged = residual_ <= settings_.native_tolerance;
    }
    return {gamma_, {}, alpha_, std::nullopt, ""};
  }

 private:
  /// The quadratic along a direction s: gᵀs, sᵀNs, sᵀP⁻¹s, (Ns)ᵀP Ns.
  struct Line {
    double slope, curvature, size, product_square;
    double minimiser() const { return -slope / curvature; }
    /// No step is taken into overflow, to which a problem without a solution leads.
    bool finite() const { return std::isfinite(size) && std::isfinite(product_square); }
  };

  /// N γ itself in place of the sum it was kept as, and a look around.
  void refresh(Monitor& monitor) {
    problem_.multiply(gamma_, product_, monitor);
    drift_.reset();
    conjugate_directions_ = 0.0;
    settle(monitor, [](const auto&) {});
  }

  /// After update(block), which moves γ and N γ of a block: its face, the residual (F.6), and whether the gradient φ within
  /// the faces is large enough against what the projected gradient has beside them (F.13).
  template <typename Update>
  void settle(Monitor& monitor, const Update& update) {
    const Vector& scale = problem_.residual_scale();
    const auto sums = pass_.run<5>(monitor.threads(), [&, alpha = alpha_](const auto& block) {
      using Point = typename std::decay_t<decltype(block)>::Point;
      update(block);
      const Point gamma = block.of(gamma_), product = block.of(product_), g = product + block.of(r_);
      const double P = P_[block.index], reach = alpha * P;
      Face& known = faces_[uz(block.index)];
      const Face face = face_of(block, gamma);
      const double changed = known != face ? 1.0 : 0.0;
      known = face;
      double beside = 0.0;
      if (face != Face::whole) {
        const Point projected = (gamma - block.project(gamma - reach * g)) / reach;
        beside = P * (projected - in_face(face, gamma, projected)).squaredNorm();
      }
      return BlockPass::Sums<5>{changed, P * in_face(face, gamma, g).squaredNorm(), beside,
                                residual_square(block, gamma, g, scale[block.index]), P * product.squaredNorm()};
    });
    monitor.counters().projections += 2;
    if (sums[0] > 0.0) conjugate_directions_ = 0.0;
    previous_free_square_ = free_square_;
    free_square_ = sums[1];
    proportional_ = sums[2] <= settings_.proportion * settings_.proportion * sums[1];
    residual_ = problem_.residual(sums[3]);
    product_size_ = std::sqrt(sums[4]);
  }

  /// Moves along the next conjugate direction to the minimum, or by the step to the projection of that (F.14). False when
  /// there is no way down there.
  bool conjugate_step(Monitor& monitor) {
    const double momentum = conjugate_directions_ > 0.0 ? free_square_ / previous_free_square_ : 0.0;
    const auto [slope] = pass_.run<1>(monitor.threads(), [&, momentum](const auto& block) {
      using Point = typename std::decay_t<decltype(block)>::Point;
      const Point g = block.of(product_) + block.of(r_);
      const Face face = faces_[uz(block.index)];
      const Point free = in_face(face, Point(block.of(gamma_)), g);
      const Point down = -P_[block.index] * free;
      const Point direction = momentum > 0.0 ? Point(down + momentum * block.of(conjugate_)) : down;
      block.of(conjugate_) = direction;
      return BlockPass::Sums<1>{free.dot(direction)};
    });
    problem_.multiply(conjugate_, conjugate_product_, monitor);
    const Line line = examine(conjugate_, conjugate_product_, slope, monitor.threads());
    if (!(line.slope < 0.0 && line.curvature > 0.0 && line.finite())) return false;
    const double length = line.minimiser();
    const auto [blocks_outside, step_slope] = pass_.run<2>(monitor.threads(), [&, length](const auto& block) {
      using Point = typename std::decay_t<decltype(block)>::Point;
      const Point gamma = block.of(gamma_), target = gamma + length * block.of(conjugate_);
      const Point projected = block.project(target);
      const Point step = projected - gamma;
      block.of(step_) = step;
      const bool left = (projected - target).squaredNorm() > outside * outside * target.squaredNorm();
      return BlockPass::Sums<2>{left ? 1.0 : 0.0, step.dot(block.of(product_) + block.of(r_))};
    });
    ++monitor.counters().projections;
    if (blocks_outside > 0.0) return descend(step_slope, monitor);
    ++conjugate_directions_;
    move(line, length, conjugate_product_, monitor);
    return true;
  }

  /// Moves by a projected gradient step, cut at the minimum along it. False when it leads nowhere.
  bool gradient_step(Monitor& monitor) {
    const auto [slope] = pass_.run<1>(monitor.threads(), [&, alpha = alpha_](const auto& block) {
      using Point = typename std::decay_t<decltype(block)>::Point;
      const Point gamma = block.of(gamma_), g = block.of(product_) + block.of(r_);
      const double reach = alpha * P_[block.index];
      const Point step = block.project(gamma - reach * g) - gamma;
      block.of(step_) = step;
      return BlockPass::Sums<1>{projected_slope(g, step, reach)};
    });
    ++monitor.counters().projections;
    return descend(slope, monitor);
  }

  /// γ + λ d for the d in step_, with the λ <= 1 that is best.
  bool descend(double slope, Monitor& monitor) {
    if (!(slope < 0.0)) return false;
    problem_.multiply(step_, step_product_, monitor);
    const Line line = examine(step_, step_product_, slope, monitor.threads());
    if (!line.finite()) return false;
    const double length = -line.slope < line.curvature ? line.minimiser() : 1.0;
    if (length != 1.0) step_ *= length;
    conjugate_directions_ = 0.0;
    move(line, length, step_product_, monitor);
    return true;
  }

  Line examine(const Vector& s, const Vector& product, double slope, int threads) {
    const auto [curvature, size, square] = pass_.run<3>(threads, [&](const auto& block) {
      const double P = P_[block.index];
      return BlockPass::Sums<3>{block.of(s).dot(block.of(product)), block.of(s).squaredNorm() / P,
                                P * block.of(product).squaredNorm()};
    });
    return {slope, curvature, size, square};
  }

  /// γ ← Π(γ + step), which changes rounding only, N γ ← N γ + λ product; the next α (F.10).
  void move(const Line& line, double length, const Vector& product, Monitor& monitor) {
    if (line.curvature > 0.0 && line.size > 0.0 && std::isfinite(line.size / line.curvature))
      alpha_ = line.size / line.curvature;
    settle(monitor, [&, length](const auto& block) {
      block.of(gamma_) = block.project(block.of(gamma_) + block.of(step_));
      block.of(product_) += length * block.of(product);
    });
    ++monitor.counters().projections;
    if (drift_.too_far(length * std::sqrt(line.product_square), product_size_)) refresh(monitor);
  }

  CgSettings settings_;
  GradientProblem problem_;
  BlockPass pass_;
  Vector gamma_, r_;
  Vector product_;                        ///< N γ
  Vector conjugate_, conjugate_product_;  ///< p, N p
  Vector step_, step_product_;            ///< d, N d
  Vector P_;                              ///< of each block
  std::vector<Face> faces_;
  Drift drift_;
  double typical_step_, alpha_ = 1.0;
  double conjugate_directions_ = 0.0;  ///< in a row
  double free_square_ = 0.0, previous_free_square_ = 0.0, residual_ = 0.0, product_size_ = 0.0;
  bool proportional_ = false;
  CgColumns native_;
};

class ProjectedCg final : public OperatorMethod<CgSettings, CgSession> {
 public:
  ProjectedCg()
      : OperatorMethod({"projected_cg",
                        "Projected conjugate gradient with active-set expansion",
                        "Heyn, Anitescu, Tasora, Negrut 2013; Moré and Toraldo 1991; Kučera 2008",
                        {Model::ccp},
                        CgColumns().columns()}) {
    fields_
        .add("preconditioner", &settings_.preconditioner, preconditioner_names(),
             "diagonal: scaled by rows/tr(N_ii), one value per block", "ours, as in Tasora 2021, sec. 6.1")
        .add("proportion", &settings_.proportion, Range::positive(), "",
             "conjugate steps while the gradient beside the faces is at most this times that within", "Kučera 2008, Γ");
    add_gradient_fields(fields_, settings_, "ours");
  }
};

}  // namespace

std::unique_ptr<Solver> make_projected_cg() { return std::make_unique<ProjectedCg>(); }

}  // namespace ccp
