#include <catch2/catch.hpp>

#include "support/build_scene.hpp"
#include "support/run_solver.hpp"
#include "support/small_problems.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

StopRule after(int iterations, double tolerance) {
  StopRule stop;
  stop.tolerance = tolerance;
  stop.max_iterations = iterations;
  return stop;
}

}  // namespace

TEST_CASE("nonsmooth_ipm and its series: the three linear systems give the same iterates") {
  RandomShape mixed{6, 6, 2, 2, 2};
  RandomShape soft = mixed;
  soft.compliance = true;
  for (const std::string solver : {"nonsmooth_ipm", "nonsmooth_ipm_series"})
    for (const RandomShape& shape : {mixed, soft}) {
      const ContactProblem problem = random_problem(41, shape);
      Vector first;
      for (const std::string form : {"saddle", "normal", "schur"}) {
        CAPTURE(solver, form, shape.compliance);
        const Result result = run(problem, {solver, Model::ncp, after(5, 0.0), {{"linear_system", form}}});
        REQUIRE(result.iterations == 5);
        if (first.size() == 0) first = result.impulse;
        CHECK((result.impulse - first).norm() <= 1e-7 * first.norm());
      }
    }
}

TEST_CASE("nonsmooth_ipm_series: a step multiplies complementarity by the ν of its path") {
  MemoryTrace trace;
  const ContactProblem problem = random_problem(41, {6, 6, 2, 2, 2});
  run(problem, {"nonsmooth_ipm_series", Model::ncp, after(4, 0.0), {{"accuracy", 1e-10}}}, &trace);
  REQUIRE(trace.rows.size() == 5);
  for (std::size_t k = 1; k < trace.rows.size(); ++k) {
    const double nu = trace.native(k, "centering");
    CHECK(nu < 1.0);
    CHECK(trace.native(k, "mean_complementarity") == Approx(nu * trace.native(k - 1, "mean_complementarity")).epsilon(1e-7));
  }
}

TEST_CASE("nonsmooth_ipm_series goes round the turns of its path, where nonsmooth_ipm stays") {
  const ContactProblem problem =
      scene_with("random_contacts", {{"contacts", std::int64_t{60}}, {"friction_min", 1.0}, {"friction_max", 1.5}}, 4);
  CHECK(run(problem, {"nonsmooth_ipm", Model::ncp, after(200, 1e-8)}).status == Status::stalled);
  MemoryTrace trace;
  REQUIRE(run(problem, {"nonsmooth_ipm_series", Model::ncp, after(200, 1e-8)}, &trace).status == Status::solved);
  bool turned = false;
  for (std::size_t k = 1; k < trace.rows.size(); ++k) turned = turned || trace.native(k, "centering") > 1.0;
  CHECK(turned);
}

TEST_CASE(
    "nonsmooth_ipm: near the solution of a slipping contact a step gains at least two digits, which a frozen shift does "
    "not") {
  MemoryTrace trace;
  const Result result = run(point_mass(2.0, {-1.0, 3.0, 1.0}, 0.4), {"nonsmooth_ipm", Model::ncp, after(40, 1e-12)}, &trace);
  REQUIRE(result.status == Status::solved);
  REQUIRE(trace.rows.size() >= 4);
  const std::size_t last = trace.rows.size() - 1;
  CHECK(trace.measure(last, Measure::velocity_residual) <= 0.01 * trace.measure(last - 1, Measure::velocity_residual));
}

TEST_CASE("nonsmooth_ipm solves a disordered packing in 9 to 25 factorisations", "[slow]") {
  // Where the De Saxcé loop over ipm_cone takes as many for one of its convex problems.
  for (const double friction : {0.1, 0.3}) {
    CAPTURE(friction);
    const ContactProblem problem = scene_with("sphere_press", {{"packing", std::string("random")},
                                                               {"spheres", std::int64_t{100}},
                                                               {"per_side", std::int64_t{5}},
                                                               {"friction", friction}});
    const Result result = run(problem, {"nonsmooth_ipm", Model::ncp, after(60, 1e-8)});
    CHECK(result.status == Status::solved);
    CHECK(result.counters.factorizations >= 9);
    CHECK(result.counters.factorizations <= 25);
    const Result looped = run(problem, {"ipm_cone", Model::ncp, after(500, 1e-8)});
    CHECK(looped.counters.factorizations >= 3 * result.counters.factorizations);
  }
}

TEST_CASE("nonsmooth_ipm refuses an unsymmetric N in the forms that would lose a part of it") {
  const ContactProblem base = as_local(random_problem(21, {5, 5}));
  DenseMatrix N(base.local().N);
  N(0, 4) += 0.01;
  ProblemBuilder builder("unsymmetric");
  const ContactProblem problem = builder.local(sparse(N), base.local().r).constraints(base.constraints()).build();
  const RunSpec spec{"nonsmooth_ipm", Model::ncp, {}, {{"linear_system", std::string("saddle")}}};
  CHECK(configured(spec)->supports(problem, Model::ncp) ==
        std::string("linear_system = saddle needs a symmetric N; schur takes this one"));
  N(0, 4) += 1e-15 - 0.01;  // rounding of who formed it
  const ContactProblem rounded =
      ProblemBuilder("rounded").local(sparse(N), base.local().r).constraints(base.constraints()).build();
  CHECK_FALSE(configured(spec)->supports(rounded, Model::ncp));
}
