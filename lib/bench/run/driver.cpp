#include "bench/run/driver.hpp"

#include <fmt/format.h>

#include <utility>

#include "core/error.hpp"
#include "distributed/ranks_solver.hpp"
#include "problem/judge/judge.hpp"
#include "solvers/run_monitor.hpp"

namespace ccp {

std::unique_ptr<Solver> configured_solver(const std::string& name, const Parameters& parameters, const Catalog& catalog) {
  auto solver = catalog.make_solver(name);
  for (const auto& [parameter, value] : parameters) solver->settings().set(parameter, value);
  return solver;
}

std::unique_ptr<Solver> solver_of(const Cell& cell, const Catalog& catalog, std::optional<SceneOrigin> origin,
                                  bool they_judge) {
  auto solver = configured_solver(cell.solver->solver, cell.solver->parameters, catalog);
  return cell.ranks > 0 ? on_ranks(std::move(solver), cell.ranks, std::move(origin), they_judge) : std::move(solver);
}

Driver::Driver(std::unique_ptr<Solver> solver, const StopRule& stop, Model model, int threads)
    : solver_(std::move(solver)), stop_(stop), model_(model), threads_(threads) {}

Driver::Driver(const DriverSpec& spec, Model model, int threads, const Catalog& catalog)
    : Driver(configured_solver(spec.solver, spec.parameters, catalog), spec.stop, model, threads) {
  guarded_start_ = spec.guarded_start;
}

WarmStart start_of_step(const Motion& motion, const MotionProblem& problem, const StepEnd& last, StartMatch match) {
  const bool same = match == StartMatch::same;
  return {same ? same_impulse(problem, last) : matched_impulse(problem, last), motion.velocity(), last.carried,
          same ? same_multiplier(problem, last) : matched_multiplier(problem, last)};
}

Result result_without_rows(const std::optional<StepEnd>& last) {
  Result result;
  result.status = Status::solved;
  result.carried = last ? last->carried : 0.0;
  return result;
}

namespace {

/// ½ γᵀ N γ + rᵀ γ, J.
double objective(const ContactProblem& problem, const Vector& impulse) {
  Vector scratch, velocity;
  problem.local_velocity(impulse, scratch, velocity);
  return 0.5 * impulse.dot(velocity + problem.free_velocity());
}

}  // namespace

Result Driver::solve(const Motion& motion, const MotionProblem& problem, const std::optional<StepEnd>& last,
                     double seconds) const {
  if (problem.problem.rows() == 0) return result_without_rows(last);
  if (const auto refusal = solver_->supports(problem.problem, model_))
    throw InputError(fmt::format("the driver: step {}: {}", motion.step(), *refusal));
  StopRule stop = stop_;
  stop.time_limit_s = seconds;
  Judge judge(problem.problem, model_);
  RunMonitor monitor(judge, stop, threads_);
  WarmStart start = last ? start_of_step(motion, problem, *last, StartMatch::contacts) : WarmStart{};
  // The impulses of an impact, before the step after it, would feed energy into what the method leaves unsolved.
  if (guarded_start_ && start.impulse.size() > 0 && !(objective(problem.problem, start.impulse) < 0.0)) start = {};
  return solver_->solve(problem.problem, model_, start, monitor);
}

}  // namespace ccp
