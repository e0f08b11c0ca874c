#include "solvers/newton/sweep_phase.hpp"

#include "solvers/forwarding_monitor.hpp"
#include "solvers/methods.hpp"

namespace ccp {
namespace {

constexpr int sweeps_between_residuals = 10;

/// Shows sweeps as iterates of the method they are a phase of. It skips the first, which is that method's last iterate.
class SweepMonitor final : public ForwardingMonitor {
 public:
  SweepMonitor(Monitor& run, const SweepRunner::Limits& limits, const std::function<double(const Vector&)>& residual,
               const std::vector<double>& native)
      : ForwardingMonitor(run), limits_(limits), residual_(residual), native_(native) {}

  bool go_on(const Iterate& iterate) override {
    if (sweeps_++ == 0) return true;
    if (!ForwardingMonitor::go_on({iterate.impulse, nullptr, native_, false})) {
      stopped_ = true;
      return false;
    }
    if (sweeps_ > limits_.sweeps) return false;
    if (sweeps_ % sweeps_between_residuals != 0) return true;
    ++counters().products;
    return residual_(iterate.impulse()) > limits_.residual;
  }
  bool stopped() const { return stopped_; }
  bool solved() const override { return stopped_ && ForwardingMonitor::solved(); }
  /// The remarks of the sweeps are not remarks of the method.
  void note(const std::function<std::string()>&) override {}

 private:
  const SweepRunner::Limits& limits_;
  const std::function<double(const Vector&)>& residual_;
  const std::vector<double>& native_;
  int sweeps_ = 0;
  bool stopped_ = false;
};

/// The method of the sweeps. Newton steps solve one contact in two thirds of the time of enumeration, the fallback where
/// they fail.
std::unique_ptr<Solver> make_sweeps(Model model) {
  if (model == Model::ccp) return make_projected_gauss_seidel();
  auto nsgs = make_nsgs();
  nsgs->settings().set("local", std::string("newton"));
  return nsgs;
}

}  // namespace

SweepRunner::SweepRunner(const ContactProblem& problem, Model model, Monitor& monitor)
    : solver_(make_sweeps(model)), session_(solver_->prepare(problem, model, monitor)) {}

SweepRunner::Result SweepRunner::run(const Vector& start, const Vector& shift, const Limits& limits,
                                     const std::function<double(const Vector&)>& residual, const std::vector<double>& native,
                                     Monitor& monitor) {
  SweepMonitor phase(monitor, limits, residual, native);
  Result result;
  result.impulse = session_->run({start, {}, 0.0}, shift, phase).impulse;
  result.stopped = phase.stopped();
  result.solved = phase.solved();
  result.residual = residual(result.impulse);
  return result;
}

}  // namespace ccp
