#include <algorithm>

#include "cones/product_cone.hpp"
#include "cones/strict_projection.hpp"
#include "solvers/fixed_point/local_contact.hpp"
#include "solvers/fixed_point/sweep.hpp"
#include "solvers/forwarding_monitor.hpp"
#include "solvers/methods.hpp"

namespace ccp {
namespace {

struct StaggeredSettings {
  SweepOptions sweep;
  double inner_tolerance = 1e-3;
  int inner_sweeps = 100;
  OperatorForm form = OperatorForm::automatic;
};

enum class Half { normal, friction };

/// Ends one half and begins the other, between two sweeps. In the half of the normals the tangents may be longer than their
/// discs: what is shown has them cut.
class StaggeredMonitor final : public ForwardingMonitor, public ImpulseSource {
 public:
  StaggeredMonitor(Monitor& run, const ConstraintSet& blocks, const StaggeredSettings& settings, Half& half)
      : ForwardingMonitor(run), run_(run), blocks_(blocks), settings_(settings), half_(half), shown_(blocks.rows()) {
    half_ = Half::normal;
  }

  bool go_on(const Iterate& iterate) override {
    own_ = &iterate.impulse;
    const bool goes_on = run_.go_on({*this, nullptr, iterate.native, iterate.native_converged && settled_});
    if (sweeps_ > 0) take_stock(iterate);
    ++sweeps_;
    return goes_on;
  }

  const Vector& impulse() override { return cut((*own_)()); }

  /// γ with its tangents cut to their discs.
  const Vector& cut(const Vector& gamma) {
    shown_ = gamma;
    for (Index i = 0; i < blocks_.count(); ++i) {
      const Index offset = blocks_.offset(i);
      if (blocks_.kind(i) == ConstraintKind::contact)
        shown_.segment<3>(offset) = project_strict(Vector3(shown_.segment<3>(offset)), blocks_.friction(i));
      else if (blocks_.kind(i) == ConstraintKind::contact2d)
        shown_.segment<2>(offset) = project_strict(Vector2(shown_.segment<2>(offset)), blocks_.friction(i));
    }
    return shown_;
  }

 private:
  /// A half ends where its sweeps change little beside the change of its first one, or at its limit.
  void take_stock(const Iterate& iterate) {
    const double change = iterate.native[0];
    if (sweeps_ == 1) first_change_ = change;
    if (change > settings_.inner_tolerance * first_change_ && sweeps_ < settings_.inner_sweeps) return;
    settled_ = sweeps_ == 1 && iterate.native_converged;
    half_ = half_ == Half::normal ? Half::friction : Half::normal;
    if (half_ == Half::normal) run_.set_outer(++outer_);
    sweeps_ = 0;
  }

  Monitor& run_;
  const ConstraintSet& blocks_;
  const StaggeredSettings& settings_;
  Half& half_;
  Vector shown_;
  const ShownImpulse* own_ = nullptr;  ///< of the iterate that is being shown
  double first_change_ = 0.0;
  int sweeps_ = 0, outer_ = 0;
  bool settled_ = false;  ///< the last half had nothing to do
};

class StaggeredSession final : public SweepSession {
 public:
  StaggeredSession(const StaggeredSettings& settings, const ContactProblem& problem, Model, Monitor& monitor)
      : SweepSession(problem, settings.form, settings.sweep, monitor), settings_(settings) {
    for (Index i = 0; i < blocks().count(); ++i) {
      const Matrix3 N = delassus().diagonal_block(i);
      Matrix3 tangential = Matrix3::Zero();
      tangential.bottomRightCorner<2, 2>() = N.bottomRightCorner<2, 2>();
      normal_step_.push_back(N(0, 0) > 0.0 ? 1.0 / N(0, 0) : 1.0);
      tangential_step_.push_back(1.0 / stable_rate(tangential));
    }
  }

  Outcome run(const WarmStart& start, const Vector& shift, Monitor& monitor) override {
    Half half = Half::normal;
    StaggeredMonitor alternating(monitor, blocks(), settings_, half);
    const auto update = [&](const auto& block, const auto& u, const auto& gamma) { return updated(block, u, gamma, half); };
    Outcome outcome = run_sweeps(start, shift, settings_.sweep, alternating, update);
    outcome.impulse = alternating.cut(outcome.impulse);
    return outcome;
  }

 private:
  /// One row of the normals' problem, or the disc of one contact, solved or projected with all else frozen (E.8).
  template <typename Block>
  typename Block::Point updated(const Block& block, const typename Block::Point& u, const typename Block::Point& gamma,
                                Half half) const {
    const double step = half == Half::normal ? normal_step_[uz(block.index)] : tangential_step_[uz(block.index)];
    if constexpr (!has_friction(Block::kind)) {
      if (Block::kind == ConstraintKind::unilateral && half == Half::friction) return gamma;
      return block.project(gamma - normal_step_[uz(block.index)] * u);
    } else {
      typename Block::Point next = gamma;
      if (half == Half::normal) {
        next[0] = std::max(0.0, gamma[0] - step * u[0]);
        return next;
      }
      next.template tail<Block::rows - 1>() -= step * u.template tail<Block::rows - 1>();
      if constexpr (has_moments(Block::kind))
        project_rolling_strict(block.cone, next.data(), next.data());
      else
        next = project_strict(next, block.mu);
      return next;
    }
  }

  StaggeredSettings settings_;
  std::vector<double> normal_step_, tangential_step_;  ///< 1/N_nn, 1/λ_max(N_TT)
};

class StaggeredProjections final : public SweepMethod<StaggeredSettings, StaggeredSession> {
 public:
  StaggeredProjections()
      : SweepMethod({"staggered_projections",
                     "Staggered projections: normal impulses with friction frozen, friction with its discs frozen",
                     "Kaufman, Sueda, James, Pai 2008",
                     {Model::ncp},
                     FixedPointColumns().columns(),
                     false,
                     true}) {
    settings_.sweep.idle_sweeps = 4;  // both halves
    add_sweep_fields(fields_, settings_.sweep);
    fields_
        .add("inner_tolerance", &settings_.inner_tolerance, Range::closed(0.0, 1.0), "",
             "a half ends where a sweep changes less than this part of what its first one did", "ours")
        .add("inner_sweeps", &settings_.inner_sweeps, Range::at_least(1.0), "sweeps of a half at most", "ours");
    add_row_operator_field(fields_, settings_.form);
  }
};

}  // namespace

std::unique_ptr<Solver> make_staggered_projections() { return std::make_unique<StaggeredProjections>(); }

}  // namespace ccp
