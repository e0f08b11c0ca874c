#include "solvers/de_saxce/de_saxce_loop.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include "cones/product_cone.hpp"
#include "problem/conversion.hpp"
#include "problem/share_sums.hpp"
#include "solvers/forwarding_monitor.hpp"

namespace ccp {
namespace {

constexpr double inner_reduction = 0.1;
constexpr int inner_cap = 500;

/// The monitor of one inner run. It shows every iterate to the monitor of the run, which judges by the ncp measure, and
/// stops the inner run when the residual with the frozen shift is low enough.
class InnerMonitor final : public ForwardingMonitor {
 public:
  InnerMonitor(Monitor& run, Judge& judge, Stopwatch* clock, const Vector& shift, const SparseMatrix& antisymmetric,
               const Vector& added)
      : ForwardingMonitor(run),
        judge_(judge),
        clock_(clock),
        shift_(shift),
        antisymmetric_(antisymmetric),
        added_compliance_(added) {}

  /// impulse: that of the last outer iteration. A method with a compliance of its own starts elsewhere, because its impulses
  /// jump with the shift.
  void begin_outer(int outer, const Vector& impulse) {
    constexpr double any = std::numeric_limits<double>::infinity();
    least_ = added_compliance_.size() > 0 ? frozen_residual(impulse, true) : any;
    ForwardingMonitor::set_outer(outer);
    first_outer_ = outer == 0;
    shown_ = 0;
  }
  bool run_ended() const { return run_ended_; }

  bool go_on(const Iterate& iterate) override {
    // The start of a later inner run is the end of the one before, which was shown already. An inner problem that its method
    // calls converged says nothing about the outer loop, unless the first iteration after a new shift finds nothing to do.
    const bool repeated = shown_ == 0 && !first_outer_;
    const std::int64_t judged = judge_.points();
    if (!repeated)
      run_ended_ = !ForwardingMonitor::go_on(
          {iterate.impulse, iterate.velocity, iterate.native, iterate.native_converged && shown_ <= 1});
    if (run_ended_) return false;
    const double residual = frozen_residual(iterate.impulse(), judge_.points() == judged);
    if (shown_++ == 0) {
      target_ = inner_reduction * std::min(residual, least_);
      reached_ = false;
      return true;
    }
    reached_ = residual <= target_;
    return !reached_ && shown_ <= inner_cap;
  }
  /// Also true for an iterate that reaches the target of the inner run: the next inner run starts there.
  bool solved() const override { return run_ended_ ? ForwardingMonitor::solved() : reached_; }
  /// The outer column counts the iterations of the loop.
  void set_outer(int) override {}

 private:
  /// The velocity residual with s frozen, m/s.
  double frozen_residual(const Vector& impulse, bool not_judged_yet) {
    std::optional<Stopwatch::Pause> off_the_clock;
    if (clock_ != nullptr) off_the_clock.emplace(*clock_);
    const UncountedTraffic uncounted(judge_.problem().share());
    if (not_judged_yet) judge_.evaluate({}, {&impulse, nullptr});
    corrected_ = judge_.local_velocity() + shift_;
    if (antisymmetric_.nonZeros() > 0) corrected_.noalias() -= antisymmetric_ * impulse;
    if (added_compliance_.size() > 0) corrected_ += added_compliance_.cwiseProduct(impulse);
    return judge_.velocity_residual_with(impulse, corrected_);
  }

  Judge& judge_;
  Stopwatch* clock_;
  const Vector& shift_;
  const SparseMatrix& antisymmetric_;
  const Vector& added_compliance_;
  Vector corrected_;
  double target_ = 0.0, least_ = 0.0;
  int shown_ = 0;
  bool first_outer_ = true, run_ended_ = false, reached_ = false;
};

class DeSaxceSession final : public Session {
 public:
  DeSaxceSession(const Solver& solver, const ContactProblem& problem, Judge& judge, Stopwatch* clock, Monitor& monitor)
      : problem_(problem),
        judge_(judge),
        clock_(clock),
        antisymmetric_(antisymmetric_part(problem)),
        session_(solver.prepare(problem.symmetrised(), Model::ccp, monitor)),
        added_compliance_(session_->added_compliance()) {}

  Outcome run(const WarmStart& start, const Vector& shift, Monitor& monitor) override {
    Vector frozen(problem_.rows()), u, body_scratch;
    InnerMonitor inner(monitor, judge_, clock_, frozen, antisymmetric_, added_compliance_);
    WarmStart next = start;
    if (next.impulse.size() == 0) next.impulse = Vector::Zero(problem_.rows());
    for (int outer = 0;; ++outer) {
      problem_.local_velocity(next.impulse, body_scratch, u);
      ++monitor.counters().products;
      u += shift;
      if (added_compliance_.size() > 0) u += added_compliance_.cwiseProduct(next.impulse);
      de_saxce_shift(problem_.constraints(), u, frozen);
      frozen += shift;
      if (antisymmetric_.nonZeros() > 0) frozen.noalias() += antisymmetric_ * next.impulse;

      inner.begin_outer(outer, next.impulse);
      const Outcome outcome = session_->run(outer == 0 ? start : next, frozen, inner);
      // What answers by its own criterion has solved this convex problem, unless it finds nothing to do.
      const bool answered =
          outcome.own_answer && !equal(problem_.share(), problem_.constraints(), outcome.impulse, next.impulse);
      if (inner.run_ended() || (outcome.given_up && !answered)) return outcome;
      next = {outcome.impulse, outcome.velocity, outcome.carried, outcome.multiplier};
    }
  }

  Vector added_compliance() const override { return added_compliance_; }

 private:
  ContactProblem problem_;
  Judge& judge_;
  Stopwatch* clock_;
  SparseMatrix antisymmetric_;
  std::unique_ptr<Session> session_;
  Vector added_compliance_;  ///< of the convex method: u has its R γ
};

}  // namespace

std::unique_ptr<Session> make_de_saxce_session(const Solver& solver, const ContactProblem& problem, Judge& judge,
                                               Stopwatch* clock, Monitor& monitor) {
  return std::make_unique<DeSaxceSession>(solver, problem, judge, clock, monitor);
}

}  // namespace ccp
