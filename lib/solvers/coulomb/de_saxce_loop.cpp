#include "solvers/coulomb/de_saxce_loop.hpp"

#include "cones/product_cone.hpp"

namespace ccp {
namespace {

constexpr double inner_reduction = 0.1;
constexpr int inner_cap = 500;

/// The monitor of one inner run: shows every iterate to the run's monitor, which judges it by the ncp measure, and stops the
/// inner run when the residual with frozen shift is low enough.
class InnerMonitor final : public Monitor {
 public:
  InnerMonitor(RunMonitor& run, const Vector& shift, const SparseMatrix& antisymmetric)
      : run_(run), shift_(shift), antisymmetric_(antisymmetric) {}

  void begin_outer(int outer) {
    run_.set_outer(outer);
    first_outer_ = outer == 0;
    shown_ = 0;
  }
  bool run_ended() const { return run_ended_; }

  bool go_on(const Iterate& iterate) override {
    // The start of a later inner run is the end of the one before: it was shown already. And an inner problem that its own
    // method calls converged says nothing of the outer loop, unless the very first iteration after a new shift finds nothing
    // to do.
    const bool repeated = shown_ == 0 && !first_outer_;
    if (!repeated)
      run_ended_ = !run_.go_on({iterate.impulse, iterate.velocity, iterate.native, iterate.native_converged && shown_ <= 1});
    if (run_ended_) return false;
    const Stopwatch::Pause off_the_clock(run_.clock());
    if (repeated) run_.judge().evaluate({}, {&iterate.impulse, nullptr});
    corrected_ = run_.judge().local_velocity() + shift_;
    if (antisymmetric_.nonZeros() > 0) corrected_.noalias() -= antisymmetric_ * iterate.impulse;
    const double residual = run_.judge().velocity_residual_with(iterate.impulse, corrected_);
    if (shown_++ == 0) {
      target_ = inner_reduction * residual;
      reached_ = false;
      return true;
    }
    reached_ = residual <= target_;
    return !reached_ && shown_ <= inner_cap;
  }
  /// Also true for an iterate that ends the inner run by reaching its target: the next one starts there.
  bool solved() const override { return run_ended_ ? run_.solved() : reached_; }
  Counters& counters() override { return run_.counters(); }
  int threads() const override { return run_.threads(); }
  void note(const std::string& text) override { run_.note(text); }

 private:
  RunMonitor& run_;
  const Vector& shift_;
  const SparseMatrix& antisymmetric_;
  Vector corrected_;
  double target_ = 0.0;
  int shown_ = 0;
  bool first_outer_ = true, run_ended_ = false, reached_ = false;
};

/// N − N_sym of a problem given by an unsymmetric N; no entries otherwise.
SparseMatrix antisymmetric_part(const ContactProblem& problem) {
  if (problem.symmetry_defect() == 0.0) return SparseMatrix(problem.rows(), problem.rows());
  const SparseMatrix& N = problem.local().N;
  return 0.5 * (N - SparseMatrix(N.transpose()));
}

}  // namespace

Outcome run_de_saxce_loop(const Solver& solver, const ContactProblem& problem, const WarmStart& start, RunMonitor& monitor) {
  const SparseMatrix antisymmetric = antisymmetric_part(problem);
  Vector shift(problem.rows()), u, body_scratch;
  InnerMonitor inner(monitor, shift, antisymmetric);
  const auto session = solver.prepare(problem.symmetrised(), Model::ccp, inner);
  monitor.end_setup();

  WarmStart next = start;
  if (next.impulse.size() == 0) next.impulse = Vector::Zero(problem.rows());
  Outcome outcome;
  for (int outer = 0;; ++outer) {
    problem.local_velocity(next.impulse, body_scratch, u);
    ++monitor.counters().products;
    de_saxce_shift(problem.constraints(), u, shift);
    if (antisymmetric.nonZeros() > 0) shift.noalias() += antisymmetric * next.impulse;

    inner.begin_outer(outer);
    outcome = session->run(outer == 0 ? start : next, shift, inner);
    if (inner.run_ended() || outcome.given_up) return outcome;
    next = {outcome.impulse, outcome.velocity, outcome.step};
  }
}

}  // namespace ccp
