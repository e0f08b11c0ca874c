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
#include "support/uniform.hpp"

namespace ccp {
namespace {

using testing::configured;
using testing::RunSpec;

/// As on one process: iterations ± 1, and the same impulses.
void expect_same(const ContactProblem& problem, RunSpec spec, Status status, const std::vector<int>& ranks) {
  spec.solver = "admm";
  spec.stop.max_iterations = 60;
  const Result alone = testing::run(problem, spec);
  INFO(problem.name());
  CHECK(alone.status == status);
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
  const ContactProblem packing = build_scene("random_contacts", {{"contacts", "120"}});
  SECTION("free bodies, two of them on three ranks") {
    expect_same(packing, spec, Status::iteration_limit, {1, 2, 3});
    spec.stop.tolerance = 1e-9;
    expect_same(build_scene("odd_mass_stack", {{"spheres", "2"}, {"heavy_index", "1"}}), spec, Status::solved, {3});
  }
  SECTION("joints stay in the system") {
    spec.settings = {{"preconditioner", std::string("diagonal")}, {"step_policy", std::string("balanced_normalized")}};
    expect_same(build_scene("guided_stack"), spec, Status::solved, {3});
  }
  SECTION("ncp, a start, another policy") {
    spec.model = Model::ncp;
    spec.start.impulse = Vector::LinSpaced(packing.rows(), 0.0, 1.0);
    spec.settings = {{"step_policy", std::string("spectral")}};
    expect_same(packing, spec, Status::iteration_limit, {2});
  }
  SECTION("compliance") {
    expect_same(build_scene("wrecking_ball", {{"rows", "3"}, {"columns", "3"}, {"compliance", "1e-8"}}), spec,
                Status::iteration_limit, {2});
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

TEST_CASE("ranks without moments work as those with them") {
  const testing::Variable program("CCPBENCH_RANKS_PROGRAM", testing::ranks_file);
  if (!ranks_missing().empty()) return testing::skip(ranks_missing());
  constexpr int bodies = 13;
  testing::Uniform random(5);
  ConstraintSet set;
  for (int i = 0; i + 1 < bodies; ++i) {
    const bool rolls = i < 4;
    set.add(rolls ? ConstraintKind::rolling_torsion : ConstraintKind::contact, 0.4,
            rolls ? MomentFriction{0.05, 0.03, 0.5} : MomentFriction{});
  }
  std::vector<Triplet> mass, jacobian;
  for (int d = 0; d < 6 * bodies; ++d) mass.emplace_back(d, d, 1.0 + 0.01 * d);
  for (int i = 0; i + 1 < bodies; ++i)
    for (int d = 6 * i; d < 6 * i + 12; ++d)
      for (Index row = set.offset(i); row < set.offset(i) + set.rows(i); ++row)
        jacobian.emplace_back(d, static_cast<int>(row), random());
  Vector k(6 * bodies);
  for (double& entry : k) entry = random();
  const ContactProblem chain = ProblemBuilder("chain")
                                   .global(from_triplets(6 * bodies, 6 * bodies, mass), k,
                                           from_triplets(6 * bodies, set.rows(), jacobian), Vector::Zero(set.rows()))
                                   .constraints(set)
                                   .build();
  const RunSpec spec{.solver = "pqn", .stop = {.max_iterations = 6}};
  const Result one = testing::run(chain, *on_ranks(configured(spec), 1), spec);
  const Result four = testing::run(chain, *on_ranks(configured(spec), 4), spec);
  CHECK(one.iterations > 2);
  CHECK(one.impulse == four.impulse);
}

TEST_CASE("the first rank takes whole problems up to a limit") {
  CHECK(!hand_over_defect(most_handed_over));
  CHECK_THAT(*hand_over_defect(most_handed_over + 1),
             Catch::Matchers::Contains("at most 1000000 contacts, this one has 1000001"));
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
