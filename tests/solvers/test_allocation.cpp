#include <catch2/catch.hpp>

#include "support/allocation_counter.hpp"
#include "support/run_solver.hpp"
#include "support/small_problems.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

/// Counts what a method allocates between two calls of go_on.
class CountingMonitor final : public Monitor {
 public:
  bool go_on(const Iterate&) override {
    if (shown_ > 1) largest = std::max(largest, allocations - before_);
    before_ = allocations;
    return ++shown_ < 40;
  }
  Counters& counters() override { return counters_; }
  int threads() const override { return 1; }
  void note(const std::string&) override {}

  long largest = 0;

 private:
  Counters counters_;
  long before_ = 0;
  int shown_ = 0;
};

}  // namespace

TEST_CASE("no method allocates inside an iteration") {
  Vector probe;
  const long before = allocations;
  probe.resize(1000);
  REQUIRE(allocations == before + 1);  // the counter counts
  for (const ContactProblem& problem : {random_problem(61, {6, 8}), random_problem(62, {6, 4, 3, 2, 2})})
    for (const ContactProblem& form : {problem, as_local(problem)})
      for (const std::string& name : solver_names()) {
        CAPTURE(name, form.name());
        const auto solver = make_solver(name);
        // A change of ρ reassembles and factorises; everything else must stay off the heap.
        if (name == "admm") solver->settings().set("step_policy", std::string("fixed"));
        const Model model = solver->info().models.front();
        CountingMonitor monitor;
        solver->prepare(form, model, monitor)->run({}, Vector::Zero(form.rows()), monitor);
        CHECK(monitor.largest == 0);
      }
}
