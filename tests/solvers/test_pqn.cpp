#include <Eigen/LU>
#include <algorithm>
#include <catch2/catch.hpp>

#include "cones/product_cone.hpp"
#include "cones/smoothed_projection.hpp"
#include "support/recorder.hpp"
#include "support/run_solver.hpp"
#include "support/small_problems.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

StopRule to(double tolerance) {
  StopRule stop;
  stop.tolerance = tolerance;
  stop.max_iterations = 20000;
  return stop;
}

/// C_ω of Koziara 2017, eq. 41, with 1/kg as the unit of impulses.
Vector smoothed_natural_map(const ContactProblem& problem, const Vector& gamma, double omega) {
  Vector scratch, u;
  problem.local_velocity(gamma, scratch, u);
  Vector C = u;
  for (Index i = 0; i < problem.constraints().count(); ++i) {
    const double mu = problem.constraints().friction(i);
    const Vector3 F = smoothed_de_saxce(u.segment<3>(3 * i), mu, omega).value;
    C.segment<3>(3 * i) = F + smoothed_polar_projection(gamma.segment<3>(3 * i) - F, mu, omega).value;
  }
  return C;
}

/// A = ∇C_ω by differences (eq. 49).
DenseMatrix differences(const ContactProblem& problem, const Vector& gamma, double omega) {
  constexpr double step = 1e-6;
  DenseMatrix A(gamma.size(), gamma.size());
  for (Index j = 0; j < gamma.size(); ++j) {
    Vector ahead = gamma, behind = gamma;
    ahead[j] += step;
    behind[j] -= step;
    A.col(j) = (smoothed_natural_map(problem, ahead, omega) - smoothed_natural_map(problem, behind, omega)) / (2.0 * step);
  }
  return A;
}

}  // namespace

TEST_CASE("pqn steps by the derivative of the whole smoothed map, and projects: eq. 53") {
  const ContactProblem problem = random_problem(88, {6, 4});
  const double omega = 1e-2;
  const RunSpec spec{"pqn",
                     Model::ncp,
                     {},
                     {{"omega", 1e6},
                      {"omega_scale", std::string("absolute")},
                      {"merit_tolerance", 1e-8},
                      {"impulse_scale", std::string("none")},
                      {"epsilon", 1e-12},
                      {"inner_iterations", std::int64_t{60}},
                      {"restart", std::int64_t{60}}}};
  Recorder recorder(5);
  configured(spec)->prepare(problem, Model::ncp, recorder)->run({}, Vector::Zero(problem.rows()), recorder);
  REQUIRE(recorder.impulses.size() >= 5);
  for (std::size_t k = 0; k + 1 < recorder.impulses.size(); ++k) {
    const Vector& gamma = recorder.impulses[k];
    const DenseMatrix A = differences(problem, gamma, omega);
    Vector next = gamma - A.fullPivLu().solve(smoothed_natural_map(problem, gamma, omega));
    project_product(problem.constraints(), next);
    CAPTURE(k);
    CHECK((recorder.impulses[k + 1] - next).norm() <= 1e-5 * next.norm());
    if (k < 2) CHECK((next - gamma).norm() > 1e-4 * next.norm());
  }
}

TEST_CASE("pqn stops natively on the merit of eq. 40, whatever unit its steps have") {
  const ContactProblem problem = random_problem(84, {3, 12});
  for (const char* scale : {"none", "block"}) {
    RunSpec spec{"pqn", Model::ncp, to(1e-9), {{"merit_scale", std::string(scale)}}};
    MemoryTrace trace;
    run(problem, spec, &trace, {Measure::merit});
    CAPTURE(scale);
    REQUIRE(trace.rows.size() > 3);
    bool same = true;
    for (std::size_t row = 0; row < trace.rows.size(); ++row)
      same =
          same && trace.native(row, "pqn_merit") == Approx(trace.measure(row, Measure::merit)).epsilon(1e-6).margin(1e-20);
    CHECK(same == (std::string(scale) == "none"));
    // The iterates do not depend on it.
    StopRule native = to(1e-9);
    native.native = true;
    spec.stop = native;
    const Result result = run(problem, spec);
    if (std::string(scale) == "none") CHECK(result.measures[measure_index(Measure::merit)] < 1e-8);
  }
  CHECK(std::get<std::string>(make_solver("pqn")->settings().find("merit_scale")->default_value) == "none");
  CHECK_THAT(*make_solver("pqn")->settings().check("omega_scale", std::string("abs")), Catch::Contains("absolute"));
  CHECK_THAT(*make_solver("pqn")->settings().check("merit_scale", std::string("blocks")), Catch::Contains("block"));
}

TEST_CASE("pqn has the defaults of Table 1") {
  const auto solver = make_solver("pqn");
  const auto number = [&](const char* name) { return std::get<double>(solver->settings().find(name)->default_value); };
  const auto whole = [&](const char* name) { return std::get<std::int64_t>(solver->settings().find(name)->default_value); };
  CHECK(number("merit_tolerance") == 1e-8);
  CHECK(number("omega") == 1e-3);
  CHECK(number("delta") == 0.0);
  CHECK(number("epsilon") == 0.25);
  CHECK(whole("iterations") == 1000);
  CHECK(whole("inner_iterations") == 10);
  CHECK(whole("restart") == 20);
  CHECK(whole("product_cap") == 100000);
}

TEST_CASE("pqn with exact steps is Newton's method: a few of them are enough") {
  for (const std::uint64_t seed : {81, 82, 83}) {
    const Result result = run(random_problem(seed, {6, 4}),
                              {"pqn",
                               Model::ncp,
                               to(1e-12),
                               {{"epsilon", 1e-10}, {"inner_iterations", std::int64_t{60}}, {"restart", std::int64_t{60}}}});
    CHECK(result.status == Status::solved);
    CHECK(result.iterations <= 12);
  }
}

TEST_CASE("every GMRES solve of pqn is exact enough or at its limit, and all together keep to the cap") {
  for (const int cap : {7, 100000}) {
    MemoryTrace trace;
    const Result result =
        run(random_problem(84, {3, 12}), {"pqn", Model::ncp, to(1e-10), {{"product_cap", std::int64_t{cap}}}}, &trace);
    CHECK(result.status == Status::solved);
    double products = 0.0;
    for (std::size_t row = 1; row < trace.rows.size(); ++row) {
      products += trace.native(row, "gmres_products");
      if (trace.native(row, "fallback") == 0.0 && products < cap)
        CHECK((trace.native(row, "gmres_residual") <= 0.25 || trace.native(row, "gmres_products") == 10.0));
    }
    CHECK(products <= cap);
    CHECK((trace.native(trace.rows.size() - 1, "fallback") == 1.0) == (cap == 7));
  }
}

TEST_CASE("pqn records where Gauss–Seidel took over") {
  const ContactProblem problem = random_problem(85, {3, 12});
  RunSpec spec{"pqn", Model::ncp, to(1e-10), {{"iterations", std::int64_t{2}}}};
  MemoryTrace trace;
  const Result result = run(problem, spec, &trace);
  CHECK(result.status == Status::solved);
  CHECK_THAT(result.reason, Catch::Contains("after 2 Newton steps: Gauss–Seidel"));
  REQUIRE(result.notes.size() == 1);
  CHECK(result.notes.front() == result.reason);
  for (std::size_t row = 0; row < trace.rows.size(); ++row) CHECK(trace.native(row, "fallback") == (row > 2 ? 1.0 : 0.0));

  spec.settings.emplace_back("fallback", false);
  const Result alone = run(problem, spec);
  CHECK(alone.status == Status::stalled);
  CHECK(alone.iterations == 2);
  CHECK_THAT(alone.reason, Catch::Contains("after 2 Newton steps"));
}

TEST_CASE("a relative delta of pqn is that times a diagonal entry of N") {
  const ContactProblem problem = random_problem(86, {3, 6});
  const Vector diagonal = problem.local().N.diagonal();
  const std::vector<std::pair<std::string, double>> cases{
      {"min", diagonal.minCoeff()}, {"avg", diagonal.mean()}, {"max", diagonal.maxCoeff()}};
  MemoryTrace plain;
  run(problem, {"pqn", Model::ncp, to(1e-8)}, &plain);
  for (const auto& [name, entry] : cases) {
    MemoryTrace relative, absolute;
    run(problem, {"pqn", Model::ncp, to(1e-8), {{"delta", 0.1}, {"delta_relative", name}}}, &relative);
    run(problem, {"pqn", Model::ncp, to(1e-8), {{"delta", 0.1 * entry}}}, &absolute);
    CAPTURE(name);
    REQUIRE(relative.rows.size() > 2);
    CHECK(relative.native(2, "pqn_merit") == Approx(absolute.native(2, "pqn_merit")).epsilon(1e-6));
    CHECK(relative.native(2, "pqn_merit") != Approx(plain.native(2, "pqn_merit")).epsilon(1e-6));
  }
}

TEST_CASE("the merit of pqn is one where nothing is known of contacts that close, zero where they open") {
  MemoryTrace closing, opening;
  run(point_mass(2.0, {-1.0, 0.0, 0.0}, 0.4), {"pqn", Model::ncp, to(1e-8)}, &closing);
  run(point_mass(2.0, {1.0, 0.0, 0.0}, 0.4), {"pqn", Model::ncp, to(1e-8)}, &opening);
  CHECK(closing.native(0, "pqn_merit") == Approx(1.0).epsilon(1e-12));
  CHECK(opening.native(0, "pqn_merit") == 0.0);
}

TEST_CASE("pqn does not depend on the unit of mass") {
  const auto iterations = [](double mass) {
    return run(redundant_point_mass(mass, {-1.0, 0.7, 0.1}, 0.4, 3), {"pqn", Model::ncp, to(1e-9)}).iterations;
  };
  CHECK(iterations(0x1p-40) == iterations(1.0));
  CHECK(iterations(0x1p+30) == iterations(1.0));
}
