#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "problem/problem_builder.hpp"
#include "solvers/de_saxce/de_saxce_loop.hpp"
#include "solvers/forwarding_monitor.hpp"
#include "solvers/methods.hpp"
#include "solvers/reference/certificate.hpp"
#include "solvers/shared/method.hpp"
#include "solvers/shared/native_columns.hpp"

namespace ccp {
namespace {

/// One method of the plan.
struct Phase {
  const char* name;
  std::unique_ptr<Solver> (*make)();
  std::vector<std::pair<const char*, FieldValue>> settings;
  bool warm;        ///< starts from the best point so far
  double handover;  ///< relative residual at which the next method takes over
  int patience;     ///< iterations without progress before it does anyway
};

const std::vector<Phase>& plan(Model model) {
  static const Phase newton{"proximal_newton", make_proximal_newton, {}, false, 0.0, 3000};
  static const Phase polish{"polish",
                            make_proximal_newton,
                            {{"weight", 1e-6}, {"weight_decrease", 0.01}, {"first_phase", std::string("none")}},
                            true,
                            0.0,
                            100};
  static const std::vector<Phase> convex = {
      {"ipm_cone", make_ipm_cone, {}, false, 0.0, 50},
      polish,
      newton,
      {"admm", make_admm, {{"preconditioner", std::string("diagonal")}}, false, 1e-8, 5000},
      polish,
  };
  static const std::vector<Phase> coulomb = {
      newton, {"nsgs", make_nsgs, {{"local", std::string("exact")}}, false, 1e-6, 5000},
      polish, {"ipm_cone", make_ipm_cone, {}, false, 1e-8, 200},
      polish,
  };
  return model == Model::ccp ? convex : coulomb;
}

constexpr double progress = 0.9;      ///< factor of the residual that counts as progress
constexpr double growth_limit = 1e8;  ///< a method whose residual has grown by this factor has diverged
constexpr int after_certified = 5;    ///< iterations without progress after which a certified point is final

/// The problem with s added to r. It is the one to certify when an outer method shifts the problem.
ContactProblem with_shift(const ContactProblem& problem, const Vector& shift) {
  if (shift.isZero(0.0)) return problem;
  ProblemBuilder builder(problem.name());
  if (problem.given_global()) {
    const GlobalForm& form = problem.global();
    builder.global(form.H, form.k, form.D, form.b + shift);
    if (form.C.nonZeros() > 0) builder.compliance(form.C);
  } else {
    builder.local(problem.local().N, problem.local().r + shift);
  }
  return builder.constraints(problem.constraints()).build();
}

/// The best point of all methods and its certificate, by a judge of its own.
class Candidate {
 public:
  Candidate(const ContactProblem& problem, Model model, const CertificateRule& rule)
      : judge_(problem, model), rule_(rule), impulse_(Vector::Zero(problem.rows())) {
    certify(judge_, impulse_, rule_);  // the judge allocates what it needs
  }

  /// The velocity residual of an iterate, m/s. The iterate becomes the candidate when its residual is the lowest.
  double consider(const Vector& impulse) {
    const double residual = judge_.evaluate(Measure::velocity_residual, {&impulse, nullptr});
    if (!(residual < residual_)) return residual;
    residual_ = residual;
    impulse_ = impulse;
    certificate_ = certify(judge_, impulse, rule_);
    return residual;
  }
  /// Makes this iterate the candidate, because the stop measure of the run holds there.
  void insist(const Vector& impulse) {
    residual_ = std::numeric_limits<double>::infinity();
    consider(impulse);
  }

  Judge& judge() { return judge_; }
  const Vector& impulse() const { return impulse_; }
  const Certificate& certificate() const { return certificate_; }
  double relative(double residual) const {
    return judge_.initial_residual() > 0.0 ? residual / judge_.initial_residual() : residual;
  }

 private:
  Judge judge_;
  CertificateRule rule_;
  Vector impulse_;
  double residual_ = std::numeric_limits<double>::infinity();
  Certificate certificate_;
};

struct ReferenceColumns : NativeColumns {
  NativeValue phase{*this, "phase", "", "number of the method in its plan, from 0"};
  NativeValue best_residual{*this, "best_residual", "", "lowest relative residual so far"};
  NativeValue certified{*this, "certified", "", "1 when the point with that residual is certified, else 0"};
};

/// Shows the iterates of the methods as those of `reference`, and says when the next method takes over.
class PhaseMonitor final : public ForwardingMonitor {
 public:
  PhaseMonitor(Candidate& candidate, Monitor& run) : ForwardingMonitor(run), candidate_(candidate) {}

  void begin_phase(int number, const Phase& phase, bool last) {
    phase_ = &phase;
    number_ = number;
    shown_ = since_progress_ = 0;
    lowest_ = std::numeric_limits<double>::infinity();
    keep_seconds_ = last ? 0.0 : 0.5 * remaining().seconds;
    ForwardingMonitor::set_outer(number);
  }

  bool go_on(const Iterate& iterate) override {
    const bool was_certified = candidate_.certificate().holds;
    const double residual = candidate_.consider(iterate.impulse());
    ++counters().products;
    if (shown_ == 0) far_away_ = growth_limit * std::max(residual, candidate_.judge().initial_residual());
    if (number_of_iterates_ > 0 && !(residual <= far_away_)) return false;  // diverged: not worth showing
    ++since_progress_;
    if (residual < progress * lowest_ || (candidate_.certificate().holds && !was_certified)) {
      lowest_ = std::min(lowest_, residual);
      since_progress_ = 0;
    }
    // The start of a later method is no iterate of its own.
    if ((shown_++ > 0 || number_of_iterates_ == 0) && !show(iterate.impulse(), iterate.velocity, false)) return false;
    const int patience = candidate_.certificate().holds ? after_certified : phase_->patience;
    return since_progress_ < patience && candidate_.relative(residual) > phase_->handover &&
           !(remaining().seconds < keep_seconds_);
  }
  /// Shows the candidate once more, as what the run has converged to. False when that ends the run.
  bool show_certified() { return show(candidate_.impulse(), nullptr, true); }

  bool solved() const override { return run_ended_ && ForwardingMonitor::solved(); }
  /// The outer column holds the number of the method, also while that method is a nested one.
  void set_outer(int) override {}

  bool run_ended() const { return run_ended_; }
  /// Iterates of the present method beside its start.
  int iterations() const { return shown_ > 0 ? shown_ - 1 : 0; }
  double lowest() const { return lowest_; }

 private:
  bool show(const Vector& impulse, const Vector* velocity, bool converged) {
    ++number_of_iterates_;
    const Certificate& best = candidate_.certificate();
    native_.phase = number_;
    native_.best_residual = best.relative_residual;
    native_.certified = best.holds ? 1.0 : 0.0;
    run_ended_ = !ForwardingMonitor::go_on({impulse, velocity, native_.values(), converged});
    if (solved()) candidate_.insist(impulse);
    return !run_ended_;
  }

  Candidate& candidate_;
  const Phase* phase_ = nullptr;
  ReferenceColumns native_;
  int number_ = 0, number_of_iterates_ = 0, shown_ = 0, since_progress_ = 0;
  double lowest_ = std::numeric_limits<double>::infinity(), keep_seconds_ = 0.0, far_away_ = 0.0;
  bool run_ended_ = false;
};

class ReferenceSession final : public Session {
 public:
  ReferenceSession(const CertificateRule& rule, const ContactProblem& problem, Model model, Monitor&)
      : rule_(rule), problem_(problem), model_(model) {}

  Outcome run(const WarmStart& start, const Vector& shift, Monitor& monitor) override {
    Candidate candidate(with_shift(problem_, shift), model_, rule_);
    PhaseMonitor phases(candidate, monitor);
    tried_.clear();
    const auto& list = plan(model_);
    for (std::size_t i = 0; i < list.size() && !phases.run_ended(); ++i) {
      if (candidate.certificate().holds && !list[i].warm) break;  // a polish that comes next is run in any case
      phases.begin_phase(static_cast<int>(i), list[i], i + 1 == list.size());
      const WarmStart best{candidate.impulse(), {}, 0.0};
      run_phase(list[i], i == 0 ? start : list[i].warm ? best : WarmStart{}, shift, candidate, phases);
    }
    if (!phases.run_ended() && candidate.certificate().holds) phases.show_certified();
    return outcome(candidate, phases.run_ended());
  }

 private:
  void run_phase(const Phase& phase, const WarmStart& start, const Vector& shift, Candidate& candidate,
                 PhaseMonitor& phases) {
    const auto solver = phase.make();
    for (const auto& [name, value] : phase.settings) solver->settings().set(name, value);
    if (const auto reason = solver->supports(problem_, model_)) return;
    const auto session = solver->native(model_)
                             ? solver->prepare(problem_, model_, phases)
                             : make_de_saxce_session(*solver, problem_, candidate.judge(), nullptr, phases);
    const Outcome end = session->run(start, shift, phases);
    phases.note([&] {
      return fmt::format("{}: relative residual {:.1e} after {} iterations{}", phase.name,
                         candidate.relative(phases.lowest()), phases.iterations(),
                         end.reason.empty() ? "" : ", " + end.reason);
    });
    tried_ += (tried_.empty() ? "" : ", ") + std::string(phase.name);
  }

  Outcome outcome(const Candidate& candidate, bool stopped) const {
    Outcome end{candidate.impulse(), {}, 0.0, std::nullopt, ""};
    const Certificate& certificate = candidate.certificate();
    end.reason = certificate.holds ? "certified: " + certificate.text(rule_)
                                   : fmt::format("no reference ({}): {}", tried_, certificate.text(rule_));
    if (!stopped) end.given_up = Status::stalled;
    return end;
  }

  CertificateRule rule_;
  ContactProblem problem_;
  Model model_;
  std::string tried_;
};

class Reference final : public Method<CertificateRule, ReferenceSession> {
 public:
  Reference()
      : Method({"reference",
                "Reference solution: several methods in turn, to the last digits, certified",
                "ours; ipm_cone, proximal_newton, nsgs, admm",
                {Model::ccp, Model::ncp},
                ReferenceColumns().columns(),
                true,
                false,
                true}) {
    fields_.add("tolerance", &settings_.tolerance, Range::positive(), "", "relative residual of a certified point", "ours")
        .add("floor_multiple", &settings_.floor_multiple, Range::non_negative(), "",
             "where rounding does not allow that: its velocity residual over the rounding floor", "ours");
  }
};

}  // namespace

std::unique_ptr<Solver> make_reference() { return std::make_unique<Reference>(); }

}  // namespace ccp
