#include "solvers/newton/semismooth_newton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "linalg/block/block_lu.hpp"
#include "solvers/newton/complementarity_function.hpp"
#include "solvers/newton/contact_map.hpp"
#include "solvers/newton/merit_memory.hpp"

namespace ccp {
namespace {

struct SemismoothSettings {
  ComplementarityFunction function = ComplementarityFunction::alart_curnier;
  double step_factor = 1.0;
  int memory = 10;
  int backtracks = 10;
  double sufficient_decrease = 1e-4;
  double regularization = 1e-10;
};

class SemismoothSession final : public Session {
 public:
  SemismoothSession(const SemismoothSettings& settings, const ContactProblem& problem, Model model)
      : settings_(settings),
        problem_(problem),
        model_(model),
        W_(block_matrix(problem.constraints(), problem.local().N)),
        lu_(W_) {
    const ConstraintSet& set = problem.constraints();
    weight_.resize(set.count());
    for (Index i = 0; i < set.count(); ++i) {
      const double trace = W_.block[static_cast<std::size_t>(W_.diagonal[static_cast<std::size_t>(i)])].trace();
      weight_[i] = trace > 0.0 ? trace / static_cast<double>(set.rows(i)) : 1.0;
    }
    step_ = settings.step_factor * weight_.cwiseInverse();
    for (Vector* vector : {&x_, &u_, &residual_, &direction_, &change_, &trial_x_, &trial_u_})
      vector->setZero(3 * set.count());
    const auto blocks = static_cast<std::size_t>(set.count());
    scale_.resize(blocks);
    diagonal_.resize(blocks);
    identity_.assign(blocks, 0);
    impulse_.setZero(problem.rows());
  }

  Outcome run(const WarmStart& start, const Vector& shift, Monitor& monitor) override {
    begin(start, shift, monitor);
    MeritMemory merits;
    merits.restart(settings_.memory, merit_);
    while (show(monitor)) {
      if (merit_ == 0.0) return {best_, {}, 0.0, Status::stalled, "the Newton function is zero"};
      if (!find_direction(monitor)) return {best_, {}, 0.0, Status::stalled, "the Jacobian is singular"};
      search(merits.largest(), monitor);
      merits.add(merit_);
    }
    return {best_, {}, 0.0, std::nullopt, ""};
  }

 private:
  void begin(const WarmStart& start, const Vector& shift, Monitor& monitor) {
    Vector q = Vector::Zero(x_.size());
    pad(problem_.constraints(), problem_.local().r + shift, q);
    free_velocity_ = q.size() > 0 ? q.cwiseAbs().maxCoeff() : 0.0;
    x_.setZero();
    u_ = q;
    merit_ = merit_of(x_, u_);
    if (start.impulse.size() > 0) take_start(start.impulse, q, monitor);
    best_residual_ = std::numeric_limits<double>::infinity();
    regularization_ = settings_.regularization;
    length_ = 1.0;
  }

  /// A warm start, unless it is further from a root than zero: the method is a local one.
  void take_start(const Vector& impulse, const Vector& q, Monitor& monitor) {
    pad(problem_.constraints(), impulse, trial_x_);
    W_.multiply(trial_x_, trial_u_);
    trial_u_ += q;
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
      const auto block = static_cast<std::size_t>(i);
      const ComplementarityValue phi = complementarity(settings_.function, set.kind(i), set.friction(i), model_,
                                                       x_.segment<3>(3 * i), u_.segment<3>(3 * i), step_[i]);
      residual_.segment<3>(3 * i) = -phi.value;
      scale_[block] = phi.by_velocity;
      diagonal_[block] = phi.by_impulse + regularization_ * weight_[i] * phi.by_velocity;
      identity_[block] = phi.identity ? 1 : 0;
    }
  }

  /// Newton direction; where the Jacobian is singular N is taken a little more definite, from step to step less again.
  bool find_direction(Monitor& monitor) {
    for (; regularization_ <= 1.0; regularization_ = std::max(100.0 * regularization_, 1e-12)) {
      linearise();
      ++monitor.counters().factorizations;
      if (!lu_.factorize(W_, scale_, diagonal_, identity_)) continue;
      lu_.solve(residual_, direction_);
      ++monitor.counters().back_solves;
      if (!direction_.allFinite()) continue;
      W_.multiply(direction_, change_);
      ++monitor.counters().products;
      regularization_ = std::max(settings_.regularization, 0.01 * regularization_);
      return true;
    }
    return false;
  }

  /// Backtracks from the full step; the last trial is taken anyway, so that the method can leave a kink.
  void search(double bound, Monitor& monitor) {
    length_ = 1.0;
    for (int trial = 1;; ++trial, length_ *= 0.5) {
      trial_x_ = x_ + length_ * direction_;
      trial_u_ = u_ + length_ * change_;
      ++monitor.counters().projections;
      const double merit = merit_of(trial_x_, trial_u_);
      if (merit <= (1.0 - settings_.sufficient_decrease * length_) * bound || trial >= settings_.backtracks) {
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
      const Vector3 own = x_.segment<3>(3 * i);
      const Vector3 feasible = contact_map_value(set.kind(i), set.friction(i), model_, own);
      const Vector3 image = contact_map_value(set.kind(i), set.friction(i), model_, own - step_[i] * u_.segment<3>(3 * i));
      residual = std::max(residual, (own - image).norm() / step_[i]);
      for (Index row = 0; row < set.rows(i); ++row) impulse_[set.offset(i) + row] = feasible[row];
    }
    if (!(residual > best_residual_)) {
      best_residual_ = residual;
      best_ = impulse_;
    }
    native_ = {merit_, length_, regularization_};
    const bool go_on = monitor.go_on({impulse_, nullptr, native_, merit_ <= 1e-14 * free_velocity_});
    if (monitor.solved()) best_ = impulse_;
    return go_on;
  }

  SemismoothSettings settings_;
  ContactProblem problem_;
  Model model_;
  BlockMatrix W_;
  BlockLu lu_;
  Vector weight_;  ///< t_i = tr(W_ii)/rows, 1/kg
  Vector step_;    ///< ρ_i, kg
  double merit_ = 0.0, length_ = 1.0, regularization_ = 0.0, free_velocity_ = 0.0, best_residual_ = 0.0;
  Vector x_, u_, residual_, direction_, change_, trial_x_, trial_u_, impulse_, best_;
  std::vector<Matrix3> scale_, diagonal_;
  std::vector<char> identity_;
  std::vector<double> native_{0.0, 0.0, 0.0};
};

class SemismoothNewton final : public Solver {
 public:
  SemismoothNewton() {
    fields_
        .add("function", &settings_.function,
             {{"alart_curnier", ComplementarityFunction::alart_curnier},
              {"natural_map", ComplementarityFunction::natural_map},
              {"fischer_burmeister", ComplementarityFunction::fischer_burmeister}},
             "complementarity function whose root is sought", "Alart and Curnier 1991; Fukushima, Luo and Tseng 2002")
        .add("step_factor", &settings_.step_factor, Range::positive(), "", "ρ_i = step_factor · rows(i)/tr(N_ii)", "ours")
        .add("memory", &settings_.memory, Range::closed(1, MeritMemory::capacity),
             "merits the line search looks back on; 1: monotone", "Grippo, Lampariello and Lucidi 1986")
        .add("backtracks", &settings_.backtracks, Range::at_least(1), "trials of a line search, each half as long", "ours")
        .add("sufficient_decrease", &settings_.sufficient_decrease, Range::open_closed(0, 0.5), "",
             "decrease of the merit asked of a step, relative to its length", "Armijo 1966")
        .add("regularization", &settings_.regularization, Range::non_negative(), "",
             "added to N_ii in the Jacobian, relative to tr(N_ii)/rows(i); raised by itself where it is singular", "ours");
  }

 private:
  const SolverInfo& do_info() const override {
    static const SolverInfo info{"semismooth_newton",
                                 "Semismooth Newton",
                                 "Alart and Curnier 1991; De Saxcé and Feng 1998; Fukushima, Luo and Tseng 2002",
                                 {Model::ncp, Model::ccp},
                                 {{"newton_merit", "m/s", "‖Φ_i/ρ_i‖₂"},
                                  {"step_length", "", "of the line search"},
                                  {"regularization", "", "relative, of the last Jacobian"}}};
    return info;
  }
  std::unique_ptr<Session> do_prepare(const ContactProblem& problem, Model model, Monitor&) const override {
    return std::make_unique<SemismoothSession>(settings_, problem, model);
  }

  SemismoothSettings settings_;
};

}  // namespace

std::unique_ptr<Solver> make_semismooth_newton() { return std::make_unique<SemismoothNewton>(); }

}  // namespace ccp
