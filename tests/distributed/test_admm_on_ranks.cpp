#include <catch2/catch.hpp>
#include <cmath>

#include "distributed/job.hpp"
#include "distributed/launch.hpp"
#include "distributed/ranks_solver.hpp"
#include "problem/problem_builder.hpp"
#include "support/build_scene.hpp"
#include "support/environment.hpp"
#include "support/places.hpp"
#include "support/run_solver.hpp"
#include "support/skip.hpp"

namespace ccp {
namespace {

using testing::configured;
using testing::RunSpec;

/// As on one process: iterations ± 1, and the same impulses.
void expect_same(const ContactProblem& problem, RunSpec spec, const std::vector<int>& ranks) {
  spec.solver = "admm";
  spec.stop.tolerance = 1e-11;
  spec.stop.measure = Measure::velocity_residual;
  const Result alone = testing::run(problem, spec);
  INFO(problem.name());
  CHECK(alone.status == Status::solved);
  CHECK(alone.iterations > 10);
  for (const int count : ranks) {
    INFO("ranks " << count);
    const Result shared = testing::run(problem, *on_ranks(testing::configured(spec), count), spec);
    CHECK(shared.reason == alone.reason);
    CHECK(shared.status == alone.status);
    CHECK(std::abs(shared.iterations - alone.iterations) <= 1);
    CHECK((shared.impulse - alone.impulse).cwiseAbs().maxCoeff() <= 1e-8 * alone.impulse.cwiseAbs().maxCoeff());
    REQUIRE(shared.ranks);
    CHECK(shared.ranks->ranks == count);
  }
}

}  // namespace

TEST_CASE("admm takes the same iterations on ranks as on one process", "[slow]") {
  const testing::Variable program("CCPBENCH_RANKS_PROGRAM", testing::ranks_file);
  if (!ranks_missing().empty()) return testing::skip(ranks_missing());
  RunSpec spec;
  SECTION("free bodies, also two on three ranks") {
    expect_same(build_scene("random_contacts", {{"contacts", "300"}}), spec, {1, 2, 3});
    expect_same(build_scene("odd_mass_stack", {{"spheres", "2"}, {"heavy_index", "1"}}), spec, {3});
  }
  SECTION("joints stay in the system") {
    expect_same(build_scene("guided_stack"), spec, {2});
    spec.settings = {{"preconditioner", std::string("diagonal")}, {"step_policy", std::string("balanced_normalized")}};
    expect_same(build_scene("guided_stack"), spec, {3});
  }
  SECTION("ncp, a start, another policy") {
    const ContactProblem packing = build_scene("random_contacts", {{"contacts", "120"}});
    spec.settings = {{"step_policy", std::string("spectral")}, {"proximal", 1e-6}};
    expect_same(packing, spec, {3});
    spec.settings.clear();
    spec.start.impulse = Vector::LinSpaced(packing.rows(), 0.0, 1.0);
    expect_same(packing, spec, {2});
    spec.model = Model::ncp;
    expect_same(packing, spec, {3});
  }
  SECTION("compliance") {
    expect_same(build_scene("wrecking_ball", {{"compliance", "1e-6"}}), spec, {2});
  }
}

TEST_CASE("ranks take a problem without contacts") {
  const testing::Variable program("CCPBENCH_RANKS_PROGRAM", testing::ranks_file);
  if (!ranks_missing().empty()) return testing::skip(ranks_missing());
  SparseMatrix H(12, 12);
  H.setIdentity();
  const ContactProblem free = ProblemBuilder("free").global(H, Vector::Ones(12), SparseMatrix(12, 0), Vector()).build();
  for (const char* name : {"apgd", "gauss_seidel", "pqn", "admm"}) {
    INFO(name);
    const Result result = testing::run(free, *on_ranks(make_solver(name), 2), {.solver = name});
    CHECK(result.reason.empty());
    CHECK(result.status == Status::solved);
  }
}

TEST_CASE("admm on ranks says what it does not take") {
  const auto solver = configured({.solver = "admm", .settings = {{"linear_system", std::string("schur")}}});
  CHECK_THAT(*rank_settings_defect(solver->settings()), Catch::Matchers::Contains("linear_system auto or normal"));
  const auto sweeps = configured({.solver = "gauss_seidel", .settings = {{"sweep", std::string("coloured")}}});
  CHECK_THAT(*rank_settings_defect(sweeps->settings()), Catch::Matchers::Contains("sweep forward or symmetric"));
  for (const char* name : {"admm", "gauss_seidel", "nsgs", "pqn", "apgd"})
    CHECK(!rank_settings_defect(make_solver(name)->settings()));
}

}  // namespace ccp
