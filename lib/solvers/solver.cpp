#include "solvers/solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "core/error.hpp"
#include "problem/judge/infeasibility.hpp"
#include "solvers/de_saxce/de_saxce_loop.hpp"
#include "solvers/flops.hpp"

namespace ccp {
namespace {

void check_start(const ContactProblem& problem, const WarmStart& start) {
  if (start.impulse.size() != 0 && start.impulse.size() != problem.rows())
    throw InputError(fmt::format("the start impulse has {} entries, expected {}", start.impulse.size(), problem.rows()));
  if (start.velocity.size() != 0 && start.velocity.size() != problem.dofs())
    throw InputError(fmt::format("the start velocity has {} entries, expected {}", start.velocity.size(), problem.dofs()));
  if (start.multiplier.size() != 0 && start.multiplier.size() != problem.rows())
    throw InputError(
        fmt::format("the start multiplier has {} entries, expected {}", start.multiplier.size(), problem.rows()));
  if (!start.impulse.allFinite() || !start.velocity.allFinite() || !start.multiplier.allFinite())
    throw InputError("the start point is not finite");
}

/// The start in the terms the methods work in (B.2, A.7).
WarmStart shifted_start(const ContactProblem& problem, const WarmStart& start) {
  WarmStart shifted = start;
  if (shifted.impulse.size() > 0) shifted.impulse = problem.own_impulse(std::move(shifted.impulse));
  return shifted;
}

/// The status of a run, decided on the returned point, the last one judged, by the stop rule alone. floors: the least
/// value of the stop measure there that rounding does not reach.
Status decide(const Outcome& outcome, RunMonitor& monitor, const Measures& measures, double floors) {
  const StopRule& rule = monitor.stop_rule();
  const double value = measures[measure_index(rule.measure)];
  if (!outcome.impulse.allFinite() || !std::isfinite(value)) return Status::diverged;
  const bool rounding_allows = floors <= rule.tolerance;  // false for NaN
  if (monitor.within(value, rule.tolerance, outcome.impulse))
    return rounding_allows ? Status::solved : Status::below_rounding;
  if (!rounding_allows && monitor.within(value, floors, outcome.impulse)) return Status::below_rounding;
  if (outcome.given_up) return *outcome.given_up;
  if (monitor.verdict() == Status::solved) return Status::stalled;  // an earlier iterate was within, the returned one is not
  return monitor.verdict().value_or(Status::stalled);
}

/// The least value of the stop measure that the result claims: the tolerance, or a decade that was reached.
double least_claim(double tolerance, const Crossings& crossings) {
  for (int decade = last_decade; decade >= first_decade; --decade)
    if (crossings[uz(decade - first_decade)].iteration >= 0) return std::min(tolerance, std::pow(10.0, -decade));
  return tolerance;
}

/// Takes back what the run was said to have reached below what rounding allows.
void forget_below(double floors, Crossings& crossings) {
  for (int decade = first_decade; decade <= last_decade; ++decade)
    if (!(floors <= std::pow(10.0, -decade))) crossings[uz(decade - first_decade)] = {};
}

std::string rounding_reason(const StopRule& rule, double floors) {
  return fmt::format("the tolerance {:g} is below what rounding allows here: {:.1e} of {}", rule.tolerance, floors,
                     measure_info(rule.measure).name);
}

/// Whether a run that ends so may have had no solution to find.
bool may_lack_solution(Status status) {
  switch (status) {
    case Status::solved:
    case Status::time_limit:
    case Status::false_converged:
    case Status::crashed:
    case Status::out_of_memory:
    case Status::unsupported:
    case Status::interrupted: return false;
    default: return true;
  }
}

/// Turns the result into `infeasible` where the problem is proved to have no solution. The clock stands. The search begins
/// at the last u, unless rounding has moved that out of the reach of impulses. impulse: the last point judged.
void diagnose(Judge& judge, const Vector& impulse, Result& result) {
  constexpr double exact = 1e-9;
  if (!may_lack_solution(result.status)) return;
  const bool reached = judge.floor(Measure::velocity_residual, impulse) <= exact * max_norm(judge.free_velocity());
  const auto proof = find_infeasibility(judge.problem(), judge.model(), reached ? &judge.local_velocity() : nullptr);
  if (!proof) return;
  if (!result.reason.empty()) result.notes.push_back(std::move(result.reason));
  result.status = Status::infeasible;
  result.reason = infeasibility_text(judge.problem(), *proof);
}

}  // namespace

void judge_end(const Outcome& outcome, RunMonitor& monitor, Result& result) {
  Judge& judge = monitor.judge();
  const Point last{&outcome.impulse, outcome.velocity.size() > 0 ? &outcome.velocity : nullptr};
  result.measures = judge.evaluate(monitor.end_measures(), last);
  const StopRule& rule = monitor.stop_rule();
  const double claim = least_claim(rule.tolerance, result.crossings);
  const double floors = judge.floor_within(rule.measure, meaningful_floors, claim, outcome.impulse)
                            ? 0.0
                            : meaningful_floors * judge.floor(rule.measure, outcome.impulse);
  result.status = decide(outcome, monitor, result.measures, floors);
  if (result.status == Status::below_rounding)
    result.reason += (result.reason.empty() ? "" : "; ") + rounding_reason(rule, floors);
  if (outcome.impulse.allFinite()) forget_below(floors, result.crossings);
}

bool Solver::native(Model model) const {
  const auto& models = info().models;
  return std::find(models.begin(), models.end(), model) != models.end();
}

std::optional<std::string> Solver::supports(const ContactProblem& problem, Model model) const {
  if (!native(model) && !(model == Model::ncp && native(Model::ccp)))
    return fmt::format("{} does not solve the {} model", info().name, model_name(model));
  if (!problem.symmetric_mass() && !info().unsymmetric_mass)
    return fmt::format("{} needs a symmetric H; this one is off by {:.1e}", info().name, problem.mass_asymmetry());
  if (problem.constraints().has_moments() && !info().moments)
    return fmt::format("{} takes no rolling or spinning friction: it knows the cone of a contact only, of three rows",
                       info().name);
  return do_supports(problem, model);
}

std::unique_ptr<Session> Solver::prepare(const ContactProblem& problem, Model model, Monitor& monitor) const {
  return do_prepare(problem, model, monitor);
}

Result Solver::solve(const ContactProblem& problem, Model model, const WarmStart& start, RunMonitor& monitor) const {
  check_start(problem, start);
  if (const auto reason = supports(problem, model)) throw std::logic_error(*reason);
  const WarmStart first = shifted_start(problem, start);

  monitor.begin(info().native);
  const auto session = native(model) ? prepare(model == Model::ccp ? problem.symmetrised() : problem, model, monitor)
                                     : make_de_saxce_session(*this, problem, monitor.judge(), &monitor.clock(), monitor);
  monitor.judge().set_added_compliance(session->added_compliance());
  monitor.end_setup();
  Outcome outcome = session->run(first, Vector::Zero(problem.rows()), monitor);
  monitor.end();

  Result result;
  result.notes = monitor.notes();
  result.crossings = monitor.crossings();
  result.reason = outcome.reason;
  const auto& judgement = monitor.judgement();
  if (monitor.verdict() == Status::interrupted) {
    result.measures.fill(std::numeric_limits<double>::quiet_NaN());  // nobody waits for them
    result.status = Status::interrupted;
  } else if (judgement) {
    result.status = judgement->status;
    result.reason = judgement->reason;
    result.measures = judgement->measures;
    result.balance = judgement->balance;
  } else {
    judge_end(outcome, monitor, result);
    diagnose(monitor.judge(), outcome.impulse, result);
  }
  result.impulse = problem.given_impulse(std::move(outcome.impulse));
  result.velocity = std::move(outcome.velocity);
  result.carried = outcome.carried;
  result.multiplier = std::move(outcome.multiplier);
  result.native_converged = monitor.last_native_converged();
  result.iterations = std::max(monitor.iteration(), 0);
  result.counters = monitor.counters();
  result.counters.flops = judgement ? std::numeric_limits<double>::quiet_NaN() : total_flops(result.counters, problem);
  result.setup_s = monitor.setup_s();
  result.solve_s = monitor.clock().seconds() - monitor.setup_s();
  result.verdict = monitor.verdict();
  result.ranks = monitor.ranks();
  return result;
}

}  // namespace ccp
