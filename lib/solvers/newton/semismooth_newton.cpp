#include <algorithm>
#include <cmath>

#include "linalg/block/block_lu.hpp"
#include "problem/block_scale.hpp"
#include "solvers/methods.hpp"
#include "solvers/newton/complementarity_function.hpp"
#include "solvers/newton/contact_map.hpp"
#include "solvers/newton/merit_memory.hpp"
#include "solvers/shared/best_iterate.hpp"
#include "solvers/shared/method.hpp"
#include "solvers/shared/native_columns.hpp"
#include "solvers/shared/padded_blocks.hpp"

namespace ccp {
namespace {

struct SemismoothSettings {
  ComplementarityFunction function = ComplementarityFunction::alart_curnier;
};

struct SemismoothColumns : NativeColumns {
  NativeValue merit{*this, "newton_merit", "m/s", "‖Φ_i/ρ_i‖₂"};
  NativeValue step_length{*this, "step_length", "", "of the line search"};
  NativeValue regularization{*this, "regularization", "", "relative, of the last Jacobian"};
};

class SemismoothSession final : public Session {
 public:
  SemismoothSession(const SemismoothSettings& settings, const ContactProblem& problem, Model model, Monitor&)
      : settings_(settings),
        problem_(problem),
        model_(model),
        N_(block_matrix(problem.constraints(), problem.local().N)),
        lu_(N_),
        best_(problem.rows()) {
    const ConstraintSet& set = problem.constraints();
    weight_ = block_means(set, [this](Index i) { return block_trace(N_.diagonal_block(i)); });
    step_ = weight_.cwiseInverse();
    for (Vector* vector : {&x_, &u_, &residual_, &direction_, &change_, &trial_x_, &trial_u_})
      vector->setZero(3 * set.count());
    const auto blocks = uz(set.count());
    scale_.resize(blocks);
    diagonal_.resize(blocks);
    identity_.assign(blocks, 0);
    impulse_.setZero(problem.rows());
  }

  Outcome run(const WarmStart& start, const Vector& shift, Monitor& monitor) override {
    begin(start, shift, monitor);
    MeritMemory merits;
    merits.restart(memory, merit_);
    while (show(monitor)) {
      if (merit_ == 0.0) return {best_.impulse(), {}, 0.0, Status::stalled, "the Newton function is zero"};
      if (!find_direction(monitor)) return {best_.impulse(), {}, 0.0, Status::stalled, "the Jacobian is singular"};
      search(merits.largest(), monitor);
      merits.add(merit_);
    }
    return {best_.impulse(), {}, 0.0, std::nullopt, ""};
  }

 private:
  void begin(const WarmStart& start, const Vector& shift, Monitor& monitor) {
    Vector r = Vector::Zero(x_.size());
    pad(problem_.constraints(), problem_.local().r + shift, r);
    free_velocity_ = max_norm(r);
    x_.setZero();
    u_ = r;
    merit_ = merit_of(x_, u_);
    if (start.impulse.size() > 0) take_start(start.impulse, r, monitor);
    best_.restart(impulse_);
    regularization_ = least_regularization;
    length_ = 1.0;
  }

  /// Takes a warm start unless it is further from a root than zero is: the method is a local one.
  void take_start(const Vector& impulse, const Vector& r, Monitor& monitor) {
    pad(problem_.constraints(), impulse, trial_x_);
    N_.multiply(trial_x_, trial_u_);
    trial_u_ += r;
    ++monitor.counters().products;
    const double merit = merit_of(trial_x_, trial_u_);
    if (!(merit <= merit_)) return;
    x_.swap(trial_x_);
    u_.swap(trial_u_);
    merit_ = merit;
  }

  /// ‖Φ_i/ρ_i‖₂, m/s.
  double merit_of(const Vector& x, const Vector& u) const {
    const ConstraintSet& set = problem_.constraints();
    double sum = 0.0;
    for (Index i = 0; i < set.count(); ++i)
      sum += complementarity_value(settings_.function, set.kind(i), set.friction(i), model_, x.segment<3>(3 * i),
                                   u.segment<3>(3 * i), step_[i])
                 .squaredNorm() /
             (step_[i] * step_[i]);
    return std::sqrt(sum);
  }

  void linearise() {
    const ConstraintSet& set = problem_.constraints();
    for (Index i = 0; i < set.count(); ++i) {
      const auto block = uz(i);
      const ComplementarityValue phi = complementarity(settings_.function, set.kind(i), set.friction(i), model_,
                                                       x_.segment<3>(3 * i), u_.segment<3>(3 * i), step_[i]);
      residual_.segment<3>(3 * i) = -phi.value;
      scale_[block] = phi.by_velocity;
      diagonal_[block] = phi.by_impulse + regularization_ * weight_[i] * phi.by_velocity;
      identity_[block] = phi.identity ? 1 : 0;
    }
  }

  /// The Newton direction. Where the Jacobian is singular, N_ii gets a regularisation, which then decays from step to step.
  bool find_direction(Monitor& monitor) {
    for (; regularization_ <= 1.0; regularization_ = std::max(100.0 * regularization_, 1e-12)) {
      linearise();
      ++monitor.counters().factorizations;
      monitor.counters().flops += static_cast<double>(lu_.flops()) + lu_.solve_flops();
      if (!lu_.factorize(N_, scale_, diagonal_, identity_)) continue;
      lu_.solve(residual_, direction_);
      ++monitor.counters().back_solves;
      if (!direction_.allFinite()) continue;
      N_.multiply(direction_, change_);
      ++monitor.counters().products;
      regularization_ = std::max(least_regularization, 0.01 * regularization_);
      return true;
    }
    return false;
  }

  /// Backtracks from the full step and accepts the last trial in any case, so that the method can leave a kink.
  void search(double bound, Monitor& monitor) {
    length_ = 1.0;
    for (int trial = 1;; ++trial, length_ *= 0.5) {
      trial_x_ = x_ + length_ * direction_;
      trial_u_ = u_ + length_ * change_;
      ++monitor.counters().projections;
      const double merit = merit_of(trial_x_, trial_u_);
      if (merit <= (1.0 - decrease * length_) * bound || trial >= most_trials) {
        merit_ = merit;
        break;
      }
    }
    x_.swap(trial_x_);
    u_.swap(trial_u_);
  }

  bool show(Monitor& monitor) {
    const ConstraintSet& set = problem_.constraints();
    double residual = 0.0;
    for (Index i = 0; i < set.count(); ++i) {
      const AnyConstraint map{set.kind(i), set.friction(i), model_};
      const Vector3 own = x_.segment<3>(3 * i);
      residual = std::max(residual, fixed_point_defect(map, own, u_.segment<3>(3 * i), step_[i]) / step_[i]);
      put_block(set, impulse_, i, map.value(own));
    }
    native_.merit = merit_;
    native_.step_length = length_;
    native_.regularization = regularization_;
    const bool converged = merit_ <= 1e-14 * free_velocity_;
    return best_.show(monitor, residual, impulse_, {impulse_, nullptr, native_.values(), converged});
  }

  static constexpr int memory = 10;         ///< merits that the line search looks back on
  static constexpr int most_trials = 10;    ///< of a line search, each half as long
  static constexpr double decrease = 1e-4;  ///< of the merit, asked of a step, relative to its length (Armijo 1966)
  static constexpr double least_regularization = 1e-10;  ///< added to N_ii in the Jacobian, relative to t_i

  SemismoothSettings settings_;
  ContactProblem problem_;
  Model model_;
  BlockMatrix N_;
  BlockLu lu_;
  Vector weight_;  ///< t_i = tr(N_ii)/rows, 1/kg
  Vector step_;    ///< ρ_i, kg
  double merit_ = 0.0, length_ = 1.0, regularization_ = 0.0, free_velocity_ = 0.0;
  Vector x_, u_, residual_, direction_, change_, trial_x_, trial_u_, impulse_;
  BestIterate best_;
  std::vector<Matrix3> scale_, diagonal_;
  std::vector<char> identity_;
  SemismoothColumns native_;
};

class SemismoothNewton final : public Method<SemismoothSettings, SemismoothSession> {
 public:
  SemismoothNewton()
      : Method({"semismooth_newton",
                "Semismooth Newton",
                "Alart and Curnier 1991; De Saxcé and Feng 1998; Fukushima, Luo and Tseng 2002",
                {Model::ncp, Model::ccp},
                SemismoothColumns().columns(),
                true}) {
    fields_.add("function", &settings_.function,
                {{"alart_curnier", ComplementarityFunction::alart_curnier},
                 {"natural_map", ComplementarityFunction::natural_map},
                 {"fischer_burmeister", ComplementarityFunction::fischer_burmeister}},
                "complementarity function whose root is sought", "Alart and Curnier 1991; Fukushima, Luo and Tseng 2002");
  }
};

}  // namespace

std::unique_ptr<Solver> make_semismooth_newton() { return std::make_unique<SemismoothNewton>(); }

}  // namespace ccp
