#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "problem/perturbation.hpp"
#include "support/build_scene.hpp"
#include "support/run_solver.hpp"
#include "support/small_problems.hpp"
#include "support/uniform.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

StopRule stop_at(double tolerance) {
  StopRule stop;
  stop.tolerance = tolerance;
  stop.max_iterations = 100;
  return stop;
}

/// Contacts of which every second neither moves nor carries anything at the solution: there an error of the complementarity
/// shows by its square root.
ContactProblem grazing_contacts(std::uint64_t seed, int contacts, double mu) {
  Uniform uniform(seed);
  const DenseMatrix root = uniform.matrix(3 * contacts, 2 * contacts);
  const DenseMatrix N = root * root.transpose();
  Vector impulse = Vector::Zero(3 * contacts);
  for (int i = 0; i < contacts; i += 2) impulse[3 * i] = 1.0;
  ProblemBuilder builder("grazing");
  builder.local(N.sparseView(), -N * impulse);
  for (int i = 0; i < contacts; ++i) builder.contact(mu);
  return builder.build();
}

}  // namespace

TEST_CASE("ipm_cone reaches 1e-12 in every form and from every start") {
  const ContactProblem problem = scene_with("random_contacts", {{"contacts", std::int64_t{60}}});
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
        const Result result = run(scene_with("guided_stack", {{"spheres", spheres}, {"mass", mass}}),
                                  {solver, Model::ccp, stop_at(1e-11), {{"starting_point", std::string("central")}}});
        CHECK(result.status == Status::solved);
        CHECK(result.iterations <= 6);
      }
}

TEST_CASE("a stack of 1e15 in mass ends within its rounding floor by the method's own criterion") {
  StopRule stop = stop_at(1e-10);
  stop.native = true;
  const Result result = run(
      scene_with("guided_stack", {{"spheres", std::int64_t{15}}, {"mass", 10.0}, {"growth", 10.0}}),
      {"ipm_cone",
       Model::ccp,
       stop,
       {{"starting_point", std::string("central")}, {"tolerance_residual", 1e-14}, {"tolerance_complementarity", 1e-15}}});
  // No tolerance can ask for less than rounding leaves: the method has not lied, and the reason says where it ended.
  CHECK(result.native_converged);
  CHECK(result.status == Status::below_rounding);
  CHECK(result.measures[measure_index(Measure::relative_residual)] > stop.tolerance);
  CHECK(result.reason.find("below what rounding allows") != std::string::npos);
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

TEST_CASE("a warm start from velocities saves iterations on neighbours of a problem, and so does a full one") {
  const ContactProblem problem = scene_with("random_contacts", {{"contacts", std::int64_t{60}}});
  const Result solved = run(problem, {"ipm_cone", Model::ccp, stop_at(1e-12)});
  for (const std::string starting_point : {"two_step", "mehrotra", "central"}) {
    CAPTURE(starting_point);
    int none = 0, partial = 0, full = 0;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const ContactProblem neighbour = perturbed(problem, {.noise = 0.01, .seed = seed, .b_noise = 0.01});
      for (auto [warm_start, sum] : {std::pair{"none", &none}, {"partial", &partial}, {"full", &full}}) {
        RunSpec spec{"ipm_cone",
                     Model::ccp,
                     stop_at(1e-8),
                     {{"warm_start", std::string(warm_start)}, {"starting_point", starting_point}}};
        spec.start = {solved.impulse, solved.velocity, 0.0};
        const Result result = run(neighbour, spec);
        CHECK(result.status == Status::solved);
        *sum += result.iterations;
      }
    }
    CAPTURE(none, partial, full);
    CHECK(partial < none);
    CHECK(full < none);  // which of the two saves more depends on the BLAS kernels: 78 and 89, or 96 and 80
  }
}

TEST_CASE("a partial warm start takes no impulses") {
  const ContactProblem problem = scene_with("random_contacts", {{"contacts", std::int64_t{20}}});
  const Result solved = run(problem, {"ipm_cone", Model::ccp, stop_at(1e-12)});
  MemoryTrace traces[2];
  for (const int i : {0, 1}) {
    RunSpec spec{"ipm_cone", Model::ccp, stop_at(0.0), {{"warm_start", std::string("partial")}}};
    spec.stop.max_iterations = 4;
    spec.start = {(i == 0 ? 1.0 : 0.5) * solved.impulse, solved.velocity, 0.0};
    run(problem, spec, &traces[i]);
  }
  REQUIRE(traces[0].rows.size() == 5);
  REQUIRE(traces[1].rows.size() == 5);
  CHECK(traces[0].measure(0, Measure::velocity_residual) != traces[1].measure(0, Measure::velocity_residual));
  for (std::size_t row = 1; row < 5; ++row)
    CHECK(traces[0].measure(row, Measure::velocity_residual) == traces[1].measure(row, Measure::velocity_residual));
}

TEST_CASE("a run that ends without meeting the tolerance hands over its best iterate") {
  int last_was_worse = 0;
  for (const std::string solver : {"ipm_qp", "ipm_cone"})
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      CAPTURE(solver, seed);
      const ContactProblem problem = grazing_contacts(seed, 12, solver == "ipm_qp" ? 0.0 : 0.5);
      MemoryTrace trace;
      const Result result = run(problem, {solver, Model::ccp, stop_at(0.0)}, &trace);
      REQUIRE(result.status != Status::solved);
      double least = trace.measure(0, Measure::velocity_residual);
      for (std::size_t row = 1; row < trace.rows.size(); ++row)
        least = std::min(least, trace.measure(row, Measure::velocity_residual));
      CHECK(result.measures[measure_index(Measure::velocity_residual)] == Approx(least));
      if (trace.measure(trace.rows.size() - 1, Measure::velocity_residual) > 2.0 * least) ++last_was_worse;
    }
  CHECK(last_was_worse > 0);
}

TEST_CASE("the pattern is analysed once and factorised once an iteration") {
  const ContactProblem problem = random_problem(11, {4, 4});
  MemoryTrace trace;
  const Result result = run(problem, {"ipm_cone", Model::ccp, stop_at(1e-10)}, &trace);
  CHECK(result.counters.factorizations == result.iterations + 1);  // one for the start
  CHECK(result.counters.analyses == 1);
}

TEST_CASE("centrality correctors save factorisations and reach the same impulses") {
  const ContactProblem problem = scene_with("random_contacts", {{"contacts", std::int64_t{300}}});
  for (const std::string form : {"normal", "saddle", "schur"}) {
    CAPTURE(form);
    const auto with = [&](std::int64_t correctors) {
      return run(problem, {"ipm_cone", Model::ccp, stop_at(1e-11), {{"linear_system", form}, {"correctors", correctors}}});
    };
    const Result plain = with(0), corrected = with(4);
    REQUIRE(plain.status == Status::solved);
    REQUIRE(corrected.status == Status::solved);
    CHECK(corrected.iterations < plain.iterations);
    CHECK(corrected.counters.factorizations == corrected.iterations + 1);
    CHECK(corrected.counters.back_solves > plain.counters.back_solves);
    CHECK((corrected.impulse - plain.impulse).norm() <= 1e-6 * plain.impulse.norm());
  }
}
