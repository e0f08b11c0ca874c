#include "bench/run/warm_up.hpp"

#include <cstdlib>

#include "bench/run/attempt.hpp"
#include "peers/peer_solver.hpp"
#include "problem/problem_builder.hpp"

namespace ccp {
namespace {

constexpr int contacts = 2;
constexpr int iterations = 20;  // enough for every branch that a solution of two contacts takes

/// With nothing derived.
ContactProblem copy_of(const ContactProblem& problem) {
  ProblemBuilder builder(problem.name());
  builder.constraints(problem.constraints());
  if (!problem.given_global()) return builder.local(problem.local().N, problem.local().r).build();
  const GlobalForm& form = problem.global();
  builder.global(form.H, form.k, form.D, form.b).compliance(form.C);
  if (problem.subsystems() != nullptr) builder.subsystems(*problem.subsystems());
  return builder.build();
}

}  // namespace

ContactProblem warm_up_problem(const ContactProblem& like, bool coupled) {
  const ConstraintSet& set = like.constraints();
  const ConstraintKind kind = set.count() > 0 ? set.kind(0) : ConstraintKind::contact;
  ProblemBuilder builder("warm-up");
  for (int i = 0; i < contacts; ++i) switch (kind) {
      case ConstraintKind::contact: builder.contact(set.count() > 0 ? set.friction(0) : 0.5); break;
      case ConstraintKind::contact2d: builder.contact2d(set.friction(0)); break;
      case ConstraintKind::unilateral:
      case ConstraintKind::bilateral: builder.unilateral(); break;
      default: builder.rolling_contact(kind, set.friction(0), 0.1, 0.1); break;
    }
  const Index rows = contacts * constraint_rows(kind);
  std::vector<Triplet> H, D;
  for (int i = 0; i < 6; ++i) H.emplace_back(i, i, 1.0 + 0.1 * i);
  for (int j = 0; j < static_cast<int>(rows); ++j)
    for (int i = 0; i < 6; ++i)
      D.emplace_back(i, j, i == j ? 1.0 : coupled ? 0.3 / (1.0 + std::abs(i - j)) : 0.1 / (1.0 + i + j));
  Vector k = Vector::Zero(6);
  k[0] = -1.0;
  if (coupled) k << -1.0, 0.7, 0.2, -1.0, -0.3, 0.1;
  builder.global(from_triplets(6, 6, H), k, from_triplets(6, rows, D), Vector::Zero(rows));
  const ContactProblem global = builder.build();
  if (like.given_global()) return global;
  ProblemBuilder local("warm-up");
  local.constraints(global.constraints());
  return local.local(global.local().N, global.local().r).build();
}

void warm_up(const Solver& solver, const ContactProblem& like, Model model, int threads) {
  attempt([&] {  // a method may fail on this problem, and none of its runs depends on it
    for (const bool coupled : {true, false}) {
      const ContactProblem problem = warm_up_problem(like, coupled);
      if (as_peer(solver) != nullptr) {
        problem.local();
        return;
      }
      if (solver.supports(problem, model)) return;
      StopRule stop;
      stop.tolerance = 1e-12;
      stop.max_iterations = iterations;
      Judge judge(problem, model);
      RunMonitor monitor(judge, stop, threads);
      solver.solve(problem, model, {}, monitor);
    }
  });
}

void rehearse(const Solver& solver, const ContactProblem& problem, Judge& judge, const WarmStart& start,
              const StopRule& stop, const Replay& earlier, int threads) {
  attempt([&] {
    const ContactProblem copy = copy_of(problem);
    Judge other(copy, judge.model());
    RunMonitor monitor(other, stop, threads);
    monitor.replay(earlier);
    solver.solve(copy, judge.model(), start, monitor);
  });
  const Vector zero = Vector::Zero(problem.rows());
  judge.evaluate(stop.measure, {&zero, nullptr});
}

}  // namespace ccp
