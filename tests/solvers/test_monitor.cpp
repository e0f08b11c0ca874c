#include <catch2/catch.hpp>
#include <cmath>
#include <thread>

#include "support/run_solver.hpp"
#include "support/small_problems.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

/// A method that shows a given list of multiples of the solution of `point_mass(2, (−1,0,0), 0.5)`, which is (2, 0, 0).
class Scripted final : public Solver {
 public:
  explicit Scripted(std::vector<double> factors, bool claims = false) : factors_(std::move(factors)), claims_(claims) {}

 private:
  class Run final : public Session {
   public:
    Run(const std::vector<double>& factors, bool claims) : factors_(factors), claims_(claims) {}
    Outcome run(const WarmStart&, const Vector&, Monitor& monitor) override {
      Vector gamma = Vector3(2.0, 0.0, 0.0) * factors_[0];
      const std::vector<double> native{0.0};
      std::size_t next = 1;
      while (monitor.go_on({gamma, nullptr, native, claims_})) {
        gamma = Vector3(2.0, 0.0, 0.0) * factors_[std::min(next++, factors_.size() - 1)];
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      return {gamma, {}, 0.0, std::nullopt, ""};
    }

   private:
    const std::vector<double>& factors_;
    bool claims_;
  };
  const SolverInfo& do_info() const override {
    static const SolverInfo info{"scripted", "", "", {Model::ccp, Model::ncp}, {{"native", "", ""}}};
    return info;
  }
  std::unique_ptr<Session> do_prepare(const ContactProblem&, Model, Monitor&) const override {
    return std::make_unique<Run>(factors_, claims_);
  }

  std::vector<double> factors_;
  bool claims_;
};

Result run_scripted(const Scripted& solver, const StopRule& stop, double approach = 1.0) {
  const ContactProblem problem = point_mass(2.0, {-approach, 0.0, 0.0}, 0.5);
  Judge judge(problem, Model::ncp);
  RunMonitor monitor(judge, stop);
  return solver.solve(problem, Model::ncp, {}, monitor);
}

}  // namespace

TEST_CASE("a run ends as solved, out of iterations, out of time or diverged") {
  StopRule stop;
  stop.tolerance = 1e-3;
  stop.max_iterations = 50;
  CHECK(run_scripted(Scripted({0.0, 0.5, 0.9, 0.9999}), stop).status == Status::solved);
  CHECK(run_scripted(Scripted({0.0, 0.5, 0.9, 0.9999}), stop).iterations == 3);
  CHECK(run_scripted(Scripted({0.0, 0.5}), stop).status == Status::iteration_limit);
  CHECK(run_scripted(Scripted({0.0, 0.5}), stop).iterations == 50);
  CHECK(run_scripted(Scripted({0.0, 0.5, std::nan("")}), stop).status == Status::diverged);
  CHECK(run_scripted(Scripted({0.0, 1e12}), stop).status == Status::diverged);
  // One jump is not a divergence.
  CHECK(run_scripted(Scripted({0.0, 1e12, 1e12, 0.5, 1.0}), stop).status == Status::solved);
  stop.max_iterations = 1000000;
  stop.time_limit_s = 0.02;
  const Result late = run_scripted(Scripted({0.0, 0.5}), stop);
  CHECK(late.status == Status::time_limit);
  CHECK(late.setup_s + late.solve_s >= 0.02);
}

TEST_CASE("the solver's own word counts only when it is asked for, and is checked") {
  StopRule stop;
  stop.tolerance = 1e-3;
  stop.max_iterations = 5;
  const Scripted liar({0.0, 0.5}, true);
  CHECK(run_scripted(liar, stop).status == Status::iteration_limit);
  CHECK(run_scripted(liar, stop).native_converged);
  stop.native = true;
  CHECK(run_scripted(liar, stop).status == Status::false_converged);
  CHECK(run_scripted(Scripted({1.0}, true), stop).status == Status::solved);
  // Without a claim the native rule runs on, however good the iterate; what is returned is judged all the same.
  const Result silent = run_scripted(Scripted({1.0}, false), stop);
  CHECK(silent.iterations == 5);
  CHECK(silent.status == Status::solved);
}

TEST_CASE("a run that leaves a solution has not diverged") {
  StopRule stop;
  stop.max_iterations = 30;
  stop.native = true;
  const double separation = -1.0;  // no impulse solves it, so that the residual at the start is rounding
  CHECK(run_scripted(Scripted({0.0, 0.5}), stop, separation).status == Status::iteration_limit);
  CHECK(run_scripted(Scripted({0.0, 1e12}), stop, separation).status == Status::diverged);
}

TEST_CASE("first times at each decade are kept") {
  StopRule stop;
  stop.tolerance = 1e-7;
  const Result result = run_scripted(Scripted({0.0, 0.5, 1.0 - 5e-3, 1.0 - 5e-5, 1.0}), stop);
  const auto at = [&](int decade) { return result.crossings[static_cast<std::size_t>(decade - first_decade)].iteration; };
  CHECK(at(2) == 2);
  CHECK(at(3) == 3);
  CHECK(at(4) == 3);
  CHECK(at(5) == 4);
  CHECK(at(12) == 4);
}

TEST_CASE("judging is off the clock") {
  // A judge a thousand times as dear as the iterations: the solver clock must not see it.
  const ContactProblem problem = random_problem(6, {30, 120});
  StopRule stop;
  stop.max_iterations = 40;
  stop.tolerance = 0.0;
  MemoryTrace trace;
  Stopwatch wall;
  Judge judge(problem, Model::ccp);
  RunMonitor monitor(judge, stop);
  std::vector<Measure> many;
  for (int copy = 0; copy < 200; ++copy) many.push_back(Measure::rounding_floor);
  monitor.set_trace(&trace, many);
  const auto solver = make_solver("jacobi");
  wall.start();
  const Result result = solver->solve(problem, Model::ccp, {}, monitor);
  CHECK(result.setup_s + result.solve_s < 0.5 * wall.seconds());
}

TEST_CASE("a replay judges nothing, and calls for other work at each of its iterates, off the clock") {
  const ContactProblem problem = point_mass(2.0, {-1.0, 0.0, 0.0}, 0.5);
  const Scripted solver({0.0, 0.5, 0.75, 1.0});
  Judge judge(problem, Model::ncp);
  int calls = 0;
  const auto count = [&calls] {
    ++calls;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  };
  RunMonitor first(judge, {});
  first.during_replay(count);
  CHECK(solver.solve(problem, Model::ncp, {}, first).status == Status::solved);
  CHECK(calls == 0);
  RunMonitor again(judge, {});
  again.replay({first.iteration(), first.verdict(), first.crossings()});
  again.during_replay(count);
  const Result result = solver.solve(problem, Model::ncp, {}, again);
  CHECK(result.iterations == 3);
  CHECK(calls == 4);
  CHECK(result.solve_s < 0.06);
}

TEST_CASE("a run judged at its end alone ends on the method's own criterion, and the judge has the last word") {
  const ContactProblem problem = point_mass(2.0, {-1.0, 0.0, 0.0}, 0.5);
  Judge judge(problem, Model::ncp);
  StopRule stop;
  stop.max_iterations = 5;
  const auto end_of = [&](const std::vector<double>& factors, bool claims) {
    RunMonitor monitor(judge, stop);
    monitor.judge_end_alone();
    return Scripted(factors, claims).solve(problem, Model::ncp, {}, monitor);
  };
  const Result right = end_of({1.0}, true), wrong = end_of({0.5}, true), endless = end_of({0.5, 1.0, 0.5}, false);
  CHECK(right.status == Status::solved);
  CHECK(right.iterations == 0);
  CHECK(wrong.status == Status::false_converged);
  CHECK(endless.status == Status::iteration_limit);  // the solution in between was not judged
  CHECK(endless.iterations == 5);
  CHECK(end_of({0.5, 1.0}, false).status == Status::solved);
  CHECK(end_of({std::nan("")}, false).iterations == 0);

  RunMonitor traced(judge, stop);
  MemoryTrace trace;
  traced.set_trace(&trace, {});
  traced.judge_end_alone();
  CHECK_THROWS_AS(Scripted({1.0}).solve(problem, Model::ncp, {}, traced), std::logic_error);
}

TEST_CASE("of a run that judges now and then each so many-th iterate has a row, and the last") {
  const ContactProblem problem = point_mass(2.0, {-1.0, 0.0, 0.0}, 0.5);
  Judge judge(problem, Model::ncp);
  StopRule stop;
  stop.max_iterations = 10;
  stop.judge_every = 4;
  const auto traced = [&](const std::vector<double>& factors, bool claims) {
    RunMonitor monitor(judge, stop);
    MemoryTrace trace;
    monitor.set_trace(&trace, {});
    const Result result = Scripted(factors, claims).solve(problem, Model::ncp, {}, monitor);
    std::vector<int> rows;
    for (const MemoryTrace::Row& row : trace.rows) rows.push_back(row.iteration);
    return std::pair(result, rows);
  };
  const auto [solved, four] = traced({0.0, 0.5, 1.0}, true);  // the word of the method does not count here
  CHECK(solved.status == Status::solved);
  CHECK(solved.iterations == 4);
  CHECK(solved.crossings.front().iteration == 4);
  CHECK(four == std::vector{0, 4});
  const auto [unsolved, all] = traced({0.0, 0.5}, false);
  CHECK(unsolved.status == Status::iteration_limit);
  CHECK(unsolved.iterations == 10);
  CHECK(all == std::vector{0, 4, 8, 10});
  stop.native = true;
  stop.judge_every = 3;
  CHECK(traced({1.0}, true).second == std::vector{0});
  CHECK(traced({0.0, 1.0}, false).second == std::vector{0, 3, 6, 9, 10});
}

TEST_CASE("a method takes the same steps however often it is judged") {
  const ContactProblem problem = random_problem(9, {8, 24});
  for (const std::string& name : solver_names())
    for (const Model model : {Model::ccp, Model::ncp}) {
      if (make_solver(name)->supports(problem, model)) continue;
      CAPTURE(name, model_name(model));
      StopRule stop;
      stop.tolerance = 1e-300;
      stop.max_iterations = 20;
      const Result each = testing::run(problem, {.solver = name, .model = model, .stop = stop});
      stop.judge_every = 7;
      const Result some = testing::run(problem, {.solver = name, .model = model, .stop = stop});
      CHECK(some.iterations == each.iterations);
      CHECK(some.status == each.status);
      CHECK(some.impulse == each.impulse);
    }
}

TEST_CASE("a monitor serves one run") {
  const ContactProblem problem = point_mass(1.0, {-1, 0, 0}, 0.5);
  Judge judge(problem, Model::ccp);
  RunMonitor monitor(judge, {});
  const auto solver = make_solver("jacobi");
  solver->solve(problem, Model::ccp, {}, monitor);
  CHECK_THROWS_AS(solver->solve(problem, Model::ccp, {}, monitor), std::logic_error);
}

TEST_CASE("an interrupted run ends at the iterate it is asked at, whatever the method, and keeps no measures") {
  const ContactProblem problem = random_problem(9, {8, 24});
  for (const std::string& name : solver_names()) {
    const auto solver = make_solver(name);
    for (const Model model : {Model::ccp, Model::ncp}) {
      if (solver->supports(problem, model)) continue;
      CAPTURE(name, model_name(model));
      Judge judge(problem, model);
      StopRule stop;
      stop.tolerance = 0.0;
      RunMonitor monitor(judge, stop);
      int asked = 0;
      monitor.interrupt_when([&asked] { return ++asked == 3; });
      const Result result = solver->solve(problem, model, {}, monitor);
      CHECK(result.status == Status::interrupted);
      CHECK(result.iterations == 2);
      CHECK(asked == 3);
      CHECK(std::isnan(result.measures[measure_index(Measure::velocity_residual)]));
    }
  }
}

TEST_CASE("remarks are kept once, and written off the clock") {
  const ContactProblem problem = point_mass(1.0, {-1, 0, 0}, 0.5);
  Judge judge(problem, Model::ccp);
  RunMonitor monitor(judge, {});
  monitor.begin({});
  bool counted = true;
  monitor.note([&] {
    counted = monitor.clock().running();
    return "a";
  });
  CHECK_FALSE(counted);
  CHECK(monitor.clock().running());
  monitor.note([] { return "a"; });
  monitor.note([] { return "b"; });
  monitor.note([] { return "a"; });
  CHECK(monitor.notes() == std::vector<std::string>{"a", "b"});
}

TEST_CASE("the measures of the end are all, or those that were asked for, with the same verdict") {
  const ContactProblem problem = point_mass(2.0, {-1.0, 0.0, 0.0}, 0.5);
  const Scripted solver({0.0, 0.5, 0.9, 0.9999});
  const Result whole = run_scripted(solver, {.tolerance = 1e-3});
  Judge judge(problem, Model::ncp);
  RunMonitor monitor(judge, {.tolerance = 1e-3});
  monitor.measure_end_by({Measure::objective});
  const Result result = solver.solve(problem, Model::ncp, {}, monitor);
  CHECK(result.status == whole.status);
  CHECK(result.impulse == whole.impulse);
  for (const Measure measure : {Measure::objective, Measure::relative_residual})
    CHECK(result.measures[measure_index(measure)] == whole.measures[measure_index(measure)]);
  CHECK(std::isnan(result.measures[measure_index(Measure::natural_map)]));
  CHECK_FALSE(std::isnan(whole.measures[measure_index(Measure::natural_map)]));
}
