#include "solvers/newton/sweep_phase.hpp"

#include "solvers/fixed_point/nsgs.hpp"
#include "solvers/fixed_point/projected_gauss_seidel.hpp"

namespace ccp {
namespace {

constexpr int sweeps_between_residuals = 10;

/// Shows sweeps as iterates of the method they are a phase of. The first iterate is the last of that method: shown already.
class PhaseMonitor final : public Monitor {
 public:
  PhaseMonitor(Monitor& monitor, const SweepRunner::Limits& limits, const std::function<double(const Vector&)>& residual,
               const std::vector<double>& native)
      : monitor_(monitor), limits_(limits), residual_(residual), native_(native) {}

  bool go_on(const Iterate& iterate) override {
    if (sweeps_++ == 0) return true;
    if (!monitor_.go_on({iterate.impulse, nullptr, native_, false})) {
      stopped_ = true;
      return false;
    }
    if (sweeps_ > limits_.sweeps) return false;
    if (sweeps_ % sweeps_between_residuals != 0) return true;
    ++monitor_.counters().products;
    return residual_(iterate.impulse()) > limits_.residual;
  }
  bool stopped() const { return stopped_; }
  bool solved() const override { return stopped_ && monitor_.solved(); }
  Counters& counters() override { return monitor_.counters(); }
  int threads() const override { return monitor_.threads(); }
  void note(const std::string&) override {}

 private:
  Monitor& monitor_;
  const SweepRunner::Limits& limits_;
  const std::function<double(const Vector&)>& residual_;
  const std::vector<double>& native_;
  int sweeps_ = 0;
  bool stopped_ = false;
};

/// The method of the sweeps. By Newton steps a contact problem takes two thirds of the time it takes by enumeration, which
/// remains where they fail.
std::unique_ptr<Solver> make_sweeps(Model model) {
  if (model == Model::ccp) return make_projected_gauss_seidel();
  auto nsgs = make_nsgs();
  nsgs->settings().set("local", std::string("newton"));
  return nsgs;
}

}  // namespace

SweepRunner::SweepRunner(const ContactProblem& problem, Model model, Monitor& monitor)
    : solver_(make_sweeps(model)), session_(solver_->prepare(problem, model, monitor)) {}

SweepRunner::~SweepRunner() = default;

SweepRunner::Result SweepRunner::run(const Vector& start, const Vector& shift, const Limits& limits,
                                     const std::function<double(const Vector&)>& residual, const std::vector<double>& native,
                                     Monitor& monitor) {
  PhaseMonitor phase(monitor, limits, residual, native);
  Result result;
  result.impulse = session_->run({start, {}, 0.0}, shift, phase).impulse;
  result.stopped = phase.stopped();
  result.solved = phase.solved();
  result.residual = residual(result.impulse);
  return result;
}

}  // namespace ccp
