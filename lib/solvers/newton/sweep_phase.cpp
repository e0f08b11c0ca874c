#include "solvers/newton/sweep_phase.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "cones/product_cone.hpp"
#include "solvers/forwarding_monitor.hpp"
#include "solvers/methods.hpp"

namespace ccp {
namespace {

constexpr int sweeps_between_residuals = 10;
constexpr int first_mark = 100;  // sweeps until progress is looked at; then twice as many, and so on

/// Shows sweeps as iterates of the method they are a phase of. It skips the first of each part, which was shown before.
class SweepMonitor final : public ForwardingMonitor {
 public:
  SweepMonitor(Monitor& run, const SweepRunner::Limits& limits, const std::function<double(const Vector&)>& residual,
               const std::vector<double>& native, int sweeps_per_part = std::numeric_limits<int>::max())
      : ForwardingMonitor(run), limits_(limits), residual_(residual), native_(native), sweeps_per_part_(sweeps_per_part) {}

  bool go_on(const Iterate& iterate) override {
    if (in_part_++ == 0) return true;
    ++sweeps_;
    if (!ForwardingMonitor::go_on({iterate.impulse, nullptr, native_, false})) {
      stopped_ = true;
      return false;
    }
    ended_ = sweeps_ >= limits_.sweeps;
    if (!ended_ && (sweeps_ + 1) % sweeps_between_residuals == 0) {
      ++counters().products;
      note_residual(residual_(iterate.impulse()));
    }
    return !ended_ && in_part_ <= sweeps_per_part_;
  }
  void begin_part() { in_part_ = 0; }
  bool over() const { return stopped_ || ended_; }
  bool stopped() const { return stopped_; }
  bool stagnated() const { return stagnated_; }
  bool solved() const override { return stopped_ && ForwardingMonitor::solved(); }
  /// The remarks of the sweeps are not remarks of the method.
  void note(const std::function<std::string()>&) override {}

 private:
  void note_residual(double residual) {
    smallest_ = std::min(smallest_, residual);
    if (limits_.progress > 0.0 && sweeps_ >= mark_) {
      stagnated_ = smallest_ > limits_.progress * smallest_at_mark_;
      smallest_at_mark_ = smallest_;
      mark_ *= 2;
    }
    ended_ = stagnated_ || residual <= limits_.residual;
  }

  const SweepRunner::Limits& limits_;
  const std::function<double(const Vector&)>& residual_;
  const std::vector<double>& native_;
  int sweeps_per_part_, in_part_ = 0, sweeps_ = 0, mark_ = first_mark;
  double smallest_ = std::numeric_limits<double>::infinity(), smallest_at_mark_ = smallest_;
  bool stopped_ = false, ended_ = false, stagnated_ = false;
};

/// The method of the sweeps. Newton steps solve one contact in two thirds of the time of enumeration, the fallback where
/// they fail. Contacts in the plane need neither.
std::unique_ptr<Solver> make_sweeps(const ConstraintSet& set, Model model) {
  if (model == Model::ccp) return make_gauss_seidel();
  auto nsgs = make_nsgs();
  if (set.count(ConstraintKind::contact2d) == 0) nsgs->settings().set("local", std::string("newton"));
  return nsgs;
}

SweepRunner::Result result_of(const SweepMonitor& phase, Vector impulse,
                              const std::function<double(const Vector&)>& residual) {
  SweepRunner::Result result;
  result.impulse = std::move(impulse);
  result.stopped = phase.stopped();
  result.solved = phase.solved();
  result.stagnated = phase.stagnated();
  result.residual = residual(result.impulse);
  return result;
}

}  // namespace

SweepRunner::SweepRunner(const ContactProblem& problem, Model model, Monitor& monitor)
    : solver_(make_sweeps(problem.constraints(), model)), session_(solver_->prepare(problem, model, monitor)) {}

SweepRunner::Result SweepRunner::run(const Vector& start, const Vector& shift, const Limits& limits,
                                     const std::function<double(const Vector&)>& residual, const std::vector<double>& native,
                                     Monitor& monitor) {
  SweepMonitor phase(monitor, limits, residual, native);
  return result_of(phase, session_->run({start, {}, 0.0}, shift, phase).impulse, residual);
}

LaggedSweepRunner::LaggedSweepRunner(const ContactProblem& problem, int sweeps_per_shift, Monitor& monitor)
    : problem_(problem),
      sweeps_per_shift_(sweeps_per_shift),
      solver_(make_sweeps(problem.constraints(), Model::ccp)),
      session_(solver_->prepare(problem, Model::ccp, monitor)),
      frozen_(problem.rows()) {
  if (problem.symmetry_defect() > 0.0 || !problem.symmetric_mass())
    throw std::logic_error("sweeps on the convex problem need a symmetric N");
}

SweepRunner::Result LaggedSweepRunner::run(const Vector& start, const Vector& shift, const SweepRunner::Limits& limits,
                                           const std::function<double(const Vector&)>& residual,
                                           const std::vector<double>& native, Monitor& monitor) {
  SweepMonitor phase(monitor, limits, residual, native, sweeps_per_shift_);
  Vector impulse = start;
  while (!phase.over()) {
    problem_.local_velocity(impulse, scratch_, u_);
    ++monitor.counters().products;
    u_ += shift;
    de_saxce_shift(problem_.constraints(), u_, frozen_);
    frozen_ += shift;
    phase.begin_part();
    Vector swept = session_->run({impulse, {}, 0.0}, frozen_, phase).impulse;
    const bool fixed = swept == impulse;  // with this shift and so with every one that follows
    impulse = std::move(swept);
    if (fixed) break;
  }
  return result_of(phase, std::move(impulse), residual);
}

}  // namespace ccp
