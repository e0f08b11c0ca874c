#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "distributed/job.hpp"
#include "distributed/launch.hpp"
#include "distributed/ranks_solver.hpp"
#include "problem/judge/balance.hpp"
#include "problem/problem_builder.hpp"
#include "problems/registry.hpp"
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

TEST_CASE("ranks judge each so many-th iterate, and count them all") {
  const testing::Variable program("CCPBENCH_RANKS_PROGRAM", testing::ranks_file);
  if (!ranks_missing().empty()) return testing::skip(ranks_missing());
  const ContactProblem packing = build_scene("random_contacts", {{"contacts", "120"}});
  for (const Model model : {Model::ccp, Model::ncp}) {
    RunSpec spec{.solver = "apgd", .model = model, .stop = {.tolerance = 1e-300, .max_iterations = 20}};
    const Result each = testing::run(packing, *on_ranks(configured(spec), 2), spec);
    spec.stop.judge_every = 7;
    testing::MemoryTrace trace;
    const Result some = testing::run(packing, *on_ranks(configured(spec), 2), spec, &trace);
    CHECK(some.iterations == 20);
    CHECK(some.impulse == each.impulse);
    std::vector<int> rows;
    for (const testing::MemoryTrace::Row& row : trace.rows) rows.push_back(row.iteration);
    CHECK(rows == std::vector{0, 7, 14, 20});
  }
}

TEST_CASE("ranks judge the returned point as one process does") {
  const testing::Variable program("CCPBENCH_RANKS_PROGRAM", testing::ranks_file);
  if (!ranks_missing().empty()) return testing::skip(ranks_missing());
  const auto [name, parameters] = GENERATE(
      std::pair("random_contacts", std::vector{std::pair("contacts", "300")}),
      std::pair("sphere_press",
                std::vector{std::pair("spheres", "60"), std::pair("per_side", "4"), std::pair("rolling_friction", "0.01")}));
  const auto scene = make_scene(name);
  for (const auto& [parameter, value] : parameters) scene->parameters().set_from_text(parameter, value);
  const auto origin = origin_of(*scene, 1);
  const ContactProblem problem = scene->build(1);
  const std::vector<Measure> shared = shared_end_measures();
  for (const double tolerance : {1e-3, 1e-8, 1e-30})
    for (const Model model : {Model::ccp, Model::ncp}) {
      INFO(name << ", tolerance " << tolerance << ", " << model_name(model));
      const RunSpec spec{.solver = "pqn", .model = model, .stop = {.tolerance = tolerance, .max_iterations = 40}};
      const Result here = testing::run(problem, *on_ranks(configured(spec), 2, origin), spec);
      std::vector<Result> there;
      for (const int ranks : {1, 3})
        there.push_back(testing::run(without_blocks("outline"), *on_ranks(configured(spec), ranks, origin, true), spec));
      INFO(here.reason << ' ' << there[0].reason << ' ' << there[1].reason);
      REQUIRE(there[0].status == here.status);
      CHECK(there[0].impulse == here.impulse);
      CHECK(there[0].crossings.front().iteration == here.crossings.front().iteration);
      for (const Measure measure : all_measures()) {
        INFO(measure_info(measure).name);
        const double own = there[0].measures[measure_index(measure)], whole = here.measures[measure_index(measure)];
        const bool known = std::find(shared.begin(), shared.end(), measure) != shared.end();
        CHECK(std::isnan(own) == (!known || std::isnan(whole)));
        if (!std::isnan(own)) CHECK(own == Approx(whole).epsilon(1e-6).margin(1e-13));
        if (!std::isnan(own)) CHECK(own == there[1].measures[measure_index(measure)]);
      }
      const Balance balance = balance_of(problem, here.impulse);
      REQUIRE(there[0].balance);
      CHECK(there[0].balance->load_carried == Approx(balance.load_carried).margin(1e-12));
      CHECK(there[0].balance->speed_left == Approx(balance.speed_left).margin(1e-6));
      CHECK(there[0].balance->load_carried == there[1].balance->load_carried);
    }
}

TEST_CASE("ranks that are lost judge nothing") {
  const testing::Variable program("CCPBENCH_RANKS_PROGRAM", testing::ranks_file);
  if (!ranks_missing().empty()) return testing::skip(ranks_missing());
  const SceneOrigin nowhere{"no_such_scene", {}, 0};
  const RunSpec spec{.solver = "apgd"};
  const Result result = testing::run(without_blocks("outline"), *on_ranks(configured(spec), 2, nowhere, true), spec);
  CHECK(result.status == Status::failed);
  CHECK(!result.reason.empty());
  CHECK(std::isnan(result.measures[measure_index(Measure::relative_residual)]));
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
