#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "problems/registry.hpp"
#include "support/run_solver.hpp"
#include "support/small_problems.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

ContactProblem scene(const std::string& name, const std::vector<std::pair<std::string, FieldValue>>& parameters) {
  const auto made = make_scene(name);
  for (const auto& [key, value] : parameters) made->parameters().set(key, value);
  return made->build(1);
}

StopRule stop_at(double tolerance) {
  StopRule stop;
  stop.tolerance = tolerance;
  stop.max_iterations = 100;
  return stop;
}

}  // namespace

TEST_CASE("ipm_cone reaches 1e-12 in every form and from every start") {
  const ContactProblem problem = scene("random_contacts", {{"contacts", std::int64_t{60}}});
  for (const std::string form : {"normal", "saddle", "schur"})
    for (const std::string start : {"central", "mehrotra", "two_step"})
      for (const std::string steps : {"equal", "split"}) {
        CAPTURE(form, start, steps);
        const Result result = run(problem, {"ipm_cone",
                                            Model::ccp,
                                            stop_at(1e-12),
                                            {{"linear_system", form}, {"starting_point", start}, {"step_lengths", steps}}});
        CHECK(result.status == Status::solved);
        CHECK(result.iterations <= 60);
      }
}

TEST_CASE("the iterations on a stack of equal spheres do not depend on their number or mass") {
  for (const std::string solver : {"ipm_qp", "ipm_cone"})
    for (const double mass : {1e2, 1e12})
      for (const std::int64_t spheres : {1, 10, 40}) {
        CAPTURE(solver, mass, spheres);
        const Result result = run(scene("guided_stack", {{"spheres", spheres}, {"mass", mass}}),
                                  {solver, Model::ccp, stop_at(1e-11), {{"starting_point", std::string("central")}}});
        CHECK(result.status == Status::solved);
        CHECK(result.iterations <= 6);
      }
}

TEST_CASE("a stack of 1e15 in mass ends within its rounding floor by the method's own criterion") {
  StopRule stop = stop_at(1e-10);
  stop.native = true;
  const Result result = run(
      scene("guided_stack", {{"spheres", std::int64_t{15}}, {"mass", 10.0}, {"growth", 10.0}}),
      {"ipm_cone",
       Model::ccp,
       stop,
       {{"starting_point", std::string("central")}, {"tolerance_residual", 1e-14}, {"tolerance_complementarity", 1e-15}}});
  // No tolerance can ask for less than rounding leaves: the method has not lied, and a note says where it ended.
  CHECK(result.native_converged);
  CHECK(result.status == Status::solved);
  CHECK(result.measures[measure_index(Measure::relative_residual)] > stop.tolerance);
  CHECK(std::any_of(result.notes.begin(), result.notes.end(),
                    [](const std::string& note) { return note.find("rounding floor") != std::string::npos; }));
  CHECK(result.iterations <= 45);
  CHECK(result.measures[measure_index(Measure::velocity_residual)] <=
        10.0 * result.measures[measure_index(Measure::rounding_floor)]);
}

TEST_CASE("without inequalities one step solves the problem") {
  RandomShape joints{4, 0, 0, 0, 6};
  const ContactProblem problem = random_problem(3, joints);
  for (const std::string solver : {"ipm_qp", "ipm_cone"})
    CHECK(run(problem, {solver, Model::ccp, stop_at(1e-10)}).iterations <= 2);
}

TEST_CASE("ipm_qp refuses friction and takes contacts without") {
  CHECK(make_solver("ipm_qp")->supports(point_mass(1.0, {-1, 0, 0}, 0.5), Model::ccp).has_value());
  CHECK_FALSE(make_solver("ipm_qp")->supports(point_mass(1.0, {-1, 0, 0}, 0.0), Model::ccp).has_value());
}

TEST_CASE("a warm start saves iterations on a neighbour of the problem") {
  const ContactProblem problem = scene("random_contacts", {{"contacts", std::int64_t{60}}});
  const Result solved = run(problem, {"ipm_cone", Model::ccp, stop_at(1e-12)});
  const GlobalForm& form = problem.global();
  Uniform uniform(9);
  Vector k = form.k;
  for (Index i = 0; i < k.size(); ++i) k[i] *= 1.0 + 1e-6 * uniform();
  ProblemBuilder builder("neighbour");
  const ContactProblem neighbour = builder.global(form.H, k, form.D, form.b).constraints(problem.constraints()).build();
  RunSpec spec{"ipm_cone", Model::ccp, stop_at(1e-8), {{"warm_start", std::string("none")}}};
  spec.start = {solved.impulse, solved.velocity, 0.0};
  const Result none = run(neighbour, spec);
  spec.settings = {{"warm_start", std::string("full")}};
  const Result full = run(neighbour, spec);
  REQUIRE(none.status == Status::solved);
  REQUIRE(full.status == Status::solved);
  CHECK(full.iterations < none.iterations);
}

TEST_CASE("the pattern is analysed once and factorised once an iteration") {
  const ContactProblem problem = random_problem(11, {4, 4});
  MemoryTrace trace;
  const Result result = run(problem, {"ipm_cone", Model::ccp, stop_at(1e-10)}, &trace);
  CHECK(result.counters.factorizations == result.iterations + 1);  // one for the start
}
