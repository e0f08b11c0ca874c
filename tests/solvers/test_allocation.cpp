#include <algorithm>
#include <catch2/catch.hpp>

#include "support/allocation_counter.hpp"
#include "support/bare_monitor.hpp"
#include "support/run_solver.hpp"
#include "support/small_problems.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

/// Counts what a method allocates between two calls of go_on.
class CountingMonitor final : public BareMonitor {
 public:
  using BareMonitor::BareMonitor;
  bool go_on(const Iterate&) override {
    if (shown_ > 1) largest = std::max(largest, allocations - before_);
    before_ = allocations;
    return ++shown_ < 40;
  }

  long largest = 0;

 private:
  long before_ = 0;
  int shown_ = 0;
};

/// The most a method allocates in one iteration.
long largest_of(const Solver& solver, const ContactProblem& problem, int threads) {
  CountingMonitor monitor(threads);
  solver.prepare(problem, solver.info().models.front(), monitor)->run({}, Vector::Zero(problem.rows()), monitor);
  return monitor.largest;
}

/// All but `reference`, which makes its next method between two iterations.
std::vector<std::string> methods() {
  std::vector<std::string> names = solver_names();
  names.erase(std::remove(names.begin(), names.end(), "reference"), names.end());
  return names;
}

}  // namespace

TEST_CASE("no method allocates inside an iteration") {
  Vector probe;
  const long before = allocations;
  probe.resize(1000);
  REQUIRE(allocations == before + 1);  // the counter counts
  for (const ContactProblem& problem : {random_problem(61, {6, 8}), random_problem(62, {6, 4, 3, 2, 2})})
    for (const ContactProblem& form : {problem, as_local(problem)})
      for (const std::string& name : methods()) {
        CAPTURE(name, form.name());
        CHECK(largest_of(*make_solver(name), form, 1) == 0);
      }
}

TEST_CASE("no method allocates inside an iteration on two threads", "[slow]") {
  // Large enough for the work to be shared out.
  const ContactProblem problem = random_problem(63, {100, 560});
  for (const std::string& name : methods()) {
    CAPTURE(name);
    const auto solver = make_solver(name);
    // It sweeps here, a phase of its own, which begins with copies between two iterations.
    if (name == "proximal_newton") solver->settings().set("first_phase", std::string("none"));
    CHECK(largest_of(*solver, problem, 2) == 0);
  }
}

TEST_CASE("a change of ρ writes into what is there") {
  for (const char* name : {"admm", "fadmm"})
    for (const char* form : {"saddle", "normal", "schur"})
      for (const bool compliance : {false, true}) {
        CAPTURE(name, form, compliance);
        RandomShape shape{6, 4, 3, 2, 2};
        shape.compliance = compliance;
        const ContactProblem problem = random_problem(64, shape);
        const auto solver = make_solver(name);
        solver->settings().set("linear_system", std::string(form));
        solver->settings().set("step_policy", std::string("balanced"));
        solver->settings().set("dead_band", 1.0);
        CountingMonitor monitor(1);
        solver->prepare(problem, Model::ccp, monitor)->run({}, Vector::Zero(problem.rows()), monitor);
        CHECK(monitor.counters().factorizations > 3);
        CHECK(monitor.largest == 0);
      }
}
