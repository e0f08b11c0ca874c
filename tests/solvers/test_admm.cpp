#include <catch2/catch.hpp>

#include "solvers/splitting/rho_policy.hpp"
#include "support/run_solver.hpp"
#include "support/sanitized.hpp"
#include "support/small_problems.hpp"
#include "support/uniform.hpp"

using namespace ccp;
using namespace ccp::testing;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;

TEST_CASE("the balanced policy multiplies by the ratio of the residuals, guarded") {
  const RhoSettings balanced;
  CHECK(rho_factor(balanced, 5, {3.0, 1.0}) == 3.0);
  CHECK(rho_factor(balanced, 4, {3.0, 1.0}) == 1.0);  // between updates
  CHECK(rho_factor(balanced, 5, {1.9, 1.0}) == 1.0);  // dead band
  CHECK(rho_factor(balanced, 5, {0.51, 1.0}) == 1.0);
  CHECK(rho_factor(balanced, 5, {1e9, 1.0}) == 50.0);  // clamped
  CHECK(rho_factor(balanced, 5, {0.0, 1.0}) == 1.0 / 50.0);
  CHECK(rho_factor(balanced, 5, {1.0, 0.0}) == 50.0);
  CHECK(rho_factor(balanced, 5, {0.0, 0.0}) == 1.0);  // nothing to balance
  RhoSettings fixed = balanced;
  fixed.policy = RhoPolicy::fixed;
  CHECK(rho_factor(fixed, 5, {1e9, 1.0}) == 1.0);
}

TEST_CASE("the first update may come before the interval has passed, or after") {
  const auto updates = [](int first) {
    RhoSettings settings;
    settings.first_update = first;
    std::vector<int> iterations;
    for (int k = 1; k <= 16; ++k)
      if (updates_after(settings, k)) iterations.push_back(k);
    return iterations;
  };
  CHECK(updates(0) == std::vector<int>{5, 10, 15});
  CHECK(updates(5) == updates(0));
  CHECK(updates(1) == std::vector<int>{1, 6, 11, 16});
  CHECK(updates(8) == std::vector<int>{8, 13});
}

TEST_CASE("settings of ADMM that are out of range or unknown are refused") {
  const auto solver = make_solver("admm");
  FieldTable& settings = solver->settings();
  CHECK_THAT(*settings.check("first_update", std::int64_t{-1}), Contains("'first_update'") && Contains(">= 0"));
  CHECK_THAT(*settings.check("preconditioner", std::string("inverse")), Contains("inverse_diagonal"));
  CHECK_THAT(*settings.check("block_number", std::string("norm")), Contains("normal"));
  CHECK_THAT(*settings.check("hands_out", std::string("y")), Contains("gamma"));
  CHECK_THAT(*settings.check("adapting_rows", std::string("contacts")), Contains("cones"));
}

TEST_CASE("the three linear systems give the same iterates") {
  RandomShape shape{6, 3, 2, 2, 2};
  for (const bool compliance : {false, true})
    for (const bool coupled : {false, true}) {
      shape.compliance = compliance;
      shape.coupled_mass = coupled;
      const ContactProblem problem = random_problem(41, shape);
      StopRule stop;
      stop.max_iterations = 25;
      stop.tolerance = 0.0;
      std::vector<Vector> impulses;
      for (const char* form : {"saddle", "schur", "normal"}) {
        RunSpec spec{"admm", Model::ccp, stop, {{"linear_system", std::string(form)}}};
        impulses.push_back(run(problem, spec).impulse);
      }
      CAPTURE(compliance, coupled);
      CHECK((impulses[1] - impulses[0]).norm() <= 1e-7 * impulses[0].norm());
      CHECK((impulses[2] - impulses[0]).norm() <= 1e-7 * impulses[0].norm());
    }
}

TEST_CASE("every linear solver serves admm") {
  const ContactProblem problem = random_problem(42, {5, 4});
  for (const char* backend : {"mumps", "eigen_ldlt", "auto"})
    for (const char* form : {"saddle", "schur", "normal"}) {
      CAPTURE(backend, form);
      const RunSpec spec{
          "admm", Model::ccp, {}, {{"linear_system", std::string(form)}, {"linear_solver", std::string(backend)}}};
      CHECK(run(problem, spec).status == Status::solved);
    }
  // CHOLMOD takes positive definite systems only, and the method says so before it is run.
  const RunSpec saddle{
      "admm", Model::ccp, {}, {{"linear_system", std::string("saddle")}, {"linear_solver", std::string("cholmod")}}};
  const auto reason = configured(saddle)->supports(problem, Model::ccp);
  REQUIRE(reason.has_value());
  CHECK_THAT(*reason, Contains("'cholmod'") && Contains("saddle"));
}

TEST_CASE("factorisations happen when ρ changes and only then") {
  const ContactProblem problem = random_problem(43, {6, 6});
  StopRule stop;
  stop.max_iterations = 30;
  stop.tolerance = 0.0;
  RunSpec spec{"admm", Model::ccp, stop, {{"step_policy", std::string("fixed")}}};
  const Result fixed = run(problem, spec);
  CHECK(fixed.counters.analyses == 1);
  CHECK(fixed.counters.factorizations == 1);
  CHECK(fixed.counters.back_solves == 60);  // one step of refinement each
  CHECK(fixed.counters.projections == 30);
  CHECK(fixed.counters.analysis_s > 0.0);
  CHECK(fixed.counters.factorization_s > 0.0);
  CHECK(fixed.counters.back_solve_s > 0.0);
  CHECK(fixed.counters.analysis_s + fixed.counters.factorization_s + fixed.counters.back_solve_s <=
        fixed.setup_s + fixed.solve_s);
  spec.settings = {};
  MemoryTrace trace;
  const Result balanced = run(problem, spec, &trace);
  int changes = 1;
  for (std::size_t row = 2; row < trace.rows.size(); ++row)
    changes += trace.native(row, "rho") != trace.native(row - 1, "rho");
  // A change after the last row is factorised but no longer seen in a row.
  CHECK(balanced.counters.factorizations >= changes);
  CHECK(balanced.counters.factorizations <= changes + 1);
  CHECK(changes > 1);
}

TEST_CASE("without contacts a warm admm needs one iteration: a linear solve") {
  const ContactProblem problem = random_problem(44, {4, 0, 0, 0, 5});
  RunSpec spec{"admm"};
  spec.stop.tolerance = 1e-7;  // ρ_b = 1e-9 leaves that much
  CHECK(run(problem, spec).iterations == 1);
  // A start that does not satisfy the joints must not leave its error behind (y⁰ = 0 on bilateral rows).
  spec.start.impulse = 10.0 * Uniform(1).vector(problem.rows());
  CHECK(run(problem, spec).iterations == 1);
}

TEST_CASE("the step is carried from run to run") {
  const ContactProblem problem = random_problem(45, {6, 6});
  RunSpec spec{"admm"};
  const Result first = run(problem, spec);
  REQUIRE(first.status == Status::solved);
  CHECK(first.carried != 0.1);
  spec.start.carried = first.carried;
  MemoryTrace trace;
  run(problem, spec, &trace);
  CHECK(trace.native(1, "rho") == first.carried);
}

TEST_CASE("a result of any linear system is its own warm start") {
  const ContactProblem global = random_problem(47, {4, 4});
  for (const ContactProblem& problem : {global, as_local(global)})
    for (const char* form : {"saddle", "schur", "normal"}) {
      CAPTURE(form, problem.name());
      RunSpec spec{"admm", Model::ccp, {}, {{"linear_system", std::string(form)}}};
      const Result cold = run(problem, spec);
      REQUIRE(cold.status == Status::solved);
      spec.start = {cold.impulse, cold.velocity, cold.carried};
      CHECK(run(problem, spec).iterations == 0);
    }
}

TEST_CASE("a run that starts from y and z goes on as if it had not stopped") {
  const ContactProblem problem = random_problem(17, {6, 6, 2, 2, 2});
  RunSpec spec{"admm"};
  spec.stop.tolerance = 0.0;
  spec.stop.max_iterations = 8;
  spec.settings = {{"step_policy", std::string("fixed")}, {"warm_start", std::string("y_z")}};
  const Result first = run(problem, spec);
  REQUIRE(first.multiplier.size() == problem.rows());
  RunSpec whole = spec;
  whole.stop.max_iterations = 16;
  const Vector straight = run(problem, whole).impulse;
  spec.start = {first.impulse, {}, first.carried, first.multiplier};
  CHECK((straight - run(problem, spec).impulse).norm() <= 1e-12 * straight.norm());
  spec.settings.back().second = std::string("gamma");
  const Result other = run(problem, spec);
  CHECK((straight - other.impulse).norm() > 1e-6 * straight.norm());
  CHECK(other.multiplier.size() == 0);
}

TEST_CASE("a fixed step stays where it was set") {
  RunSpec spec{"admm", Model::ccp, {}, {{"step_policy", std::string("fixed")}}};
  spec.stop.max_iterations = 50;
  const Result result = run(redundant_point_mass(1e-14, {-1.0, 0.7, 0.0}, 0.4, 3), spec);
  CHECK(result.counters.factorizations == 1);
  CHECK(result.carried == 0.1);
}

TEST_CASE("a slightly indefinite N is solved with pivoting or honestly given up") {
  DenseMatrix N(DenseMatrix(as_local(random_problem(46, {4, 4})).local().N));
  N(2, 2) -= 1.0001 * N(2, 2);
  ProblemBuilder builder("indefinite");
  for (int i = 0; i < 4; ++i) builder.contact(0.5);
  const ContactProblem problem = builder.local(sparse(N), Vector::Constant(12, -0.1)).build();
  RunSpec spec{"admm"};
  spec.stop.max_iterations = 500;
  spec.settings = {{"rho", 1e-9}};
  const Result result = run(problem, spec);
  const bool within = result.measures[measure_index(Measure::relative_residual)] <= spec.stop.tolerance;
  CHECK((result.status == Status::solved) == within);
  CHECK_THAT(result.notes.back(), Contains("pivoting"));
}

TEST_CASE("a result says which linear system was factorised by what") {
  RandomShape soft{6, 4};
  soft.compliance = true;
  const ContactProblem rigid = random_problem(48, {6, 4}), jointed = random_problem(48, {6, 4, 0, 0, 2});
  const auto note_of = [](const ContactProblem& problem) { return run(problem, {"admm"}).notes.front(); };
  CHECK_THAT(note_of(rigid), StartsWith("linear system: normal by ") && EndsWith("(auto)"));
  CHECK_THAT(note_of(jointed), StartsWith("linear system: normal with the bilateral rows kept by mumps"));
  CHECK_THAT(note_of(random_problem(48, soft)), StartsWith("linear system: saddle by mumps"));
  CHECK_THAT(note_of(as_local(rigid)), StartsWith("linear system: schur by "));
  const RunSpec asked{"admm", Model::ccp, {}, {{"linear_system", std::string("normal")}}};
  CHECK_THAT(run(rigid, asked).notes.front(), !Contains("auto"));
}

TEST_CASE("every policy, linear system and preconditioner together solve, soft or not", "[slow]") {
  RandomShape shape{4, 2, 1, 1, 2};
  for (const bool compliance : {false, true}) {
    shape.compliance = compliance;
    const ContactProblem problem = random_problem(49, shape);
    for (const char* method : {"admm", "fadmm"})
      for (const char* policy : {"fixed", "balanced", "balanced_normalized", "spectral"})
        for (const char* form : {"saddle", "schur", "normal"})
          for (const char* preconditioner : {"none", "diagonal"}) {
            if (sanitized && (!compliance || std::string(preconditioner) == "none")) continue;
            CAPTURE(method, policy, form, preconditioner, compliance);
            RunSpec spec{method, Model::ccp, {}, {}};
            spec.stop.max_iterations = 5000;
            spec.settings = {{"step_policy", std::string(policy)},
                             {"linear_system", std::string(form)},
                             {"preconditioner", std::string(preconditioner)}};
            CHECK(run(problem, spec).status == Status::solved);
          }
  }
}

TEST_CASE("bodies of 1e12 kg on joints need a step relative to their N_ii") {
  // Under the default ρ_b = 1e-9 1/kg, of the size of 1000 N_ii here, the joints of such bodies give way.
  const ContactProblem light = random_problem(50, {4, 0, 0, 0, 5});
  const GlobalForm& form = light.global();
  ProblemBuilder builder("heavy");
  for (Index i = 0; i < light.rows(); ++i) builder.bilateral();
  const ContactProblem heavy = builder.global(SparseMatrix(1e12 * form.H), 1e12 * form.k, form.D, form.b).build();
  RunSpec spec{"admm"};
  spec.stop.tolerance = 1e-7;
  spec.stop.max_iterations = 20;
  CHECK(run(heavy, spec).iterations > 1);
  spec.settings = {{"rho_bilateral_relative", true}};
  const Result relative = run(heavy, spec);
  CHECK(relative.status == Status::solved);
  CHECK(relative.iterations == 1);
}

TEST_CASE("a warm start with the carried step beats one that forgets it") {
  const ContactProblem problem = random_problem(51, {8, 8});
  RunSpec spec{"admm"};
  spec.stop.max_iterations = 5000;
  const Result cold = run(problem, spec);
  REQUIRE(cold.status == Status::solved);
  // The next time step: nearly the same problem.
  const GlobalForm& form = problem.global();
  ProblemBuilder builder("next");
  for (Index i = 0; i < problem.constraints().count(); ++i) builder.contact(problem.constraints().friction(i));
  const ContactProblem next = builder.global(form.H, Vector(1.001 * form.k), form.D, form.b).build();
  spec.start = {cold.impulse, cold.velocity, cold.carried};
  const Result carried = run(next, spec);
  CHECK(carried.status == Status::solved);
  spec.start.carried = 0.0;
  const Result forgotten = run(next, spec);
  CHECK(forgotten.status == Status::solved);
  CAPTURE(carried.iterations, forgotten.iterations, cold.iterations);
  CHECK(carried.iterations < forgotten.iterations);
}

TEST_CASE("rows without a cone may be left out of the adaptation of ρ") {
  // A sliding contact, and a joint of another body that nothing connects with it but the norms.
  const Vector3 free_velocity(-1.0, 2.0, 0.5);
  const ContactProblem alone = point_mass(2.0, free_velocity, 0.3);
  Vector k(4);
  k << 2.0 * free_velocity, 1e6;
  ProblemBuilder builder("with a joint");
  builder.global(diagonal(Vector::Constant(4, 2.0)), k, sparse(DenseMatrix::Identity(4, 4)), Vector::Zero(4));
  const ContactProblem joined = builder.contact(0.3).bilateral().build();
  StopRule stop;
  stop.max_iterations = 40;
  stop.tolerance = 1e-300;
  const auto steps = [&](const ContactProblem& problem, const char* policy, const char* rows) {
    MemoryTrace trace;
    run(problem,
        RunSpec{"admm",
                Model::ccp,
                stop,
                {{"step_policy", std::string(policy)}, {"adapting_rows", std::string(rows)}, {"rho", 3.0}}},
        &trace);
    std::vector<double> rho;
    for (std::size_t row = 0; row < trace.rows.size(); ++row) rho.push_back(trace.native(row, "rho"));
    return rho;
  };
  for (const char* policy : {"balanced", "balanced_normalized"}) {
    CAPTURE(policy);
    const std::vector<double> expected = steps(alone, policy, "all");
    CHECK(expected.front() != expected[10]);
    CHECK(steps(joined, policy, "cones").size() == expected.size());
    for (std::size_t row = 0; row < expected.size() && row < 12; ++row)
      CHECK(steps(joined, policy, "cones")[row] == Approx(expected[row]).epsilon(1e-6));
  }
  const std::vector<double> misled = steps(joined, "balanced_normalized", "all");
  const std::vector<double> expected = steps(alone, "balanced_normalized", "all");
  CHECK_FALSE(std::equal(misled.begin(), misled.begin() + 12, expected.begin()));
}

TEST_CASE("ρ changes at multiples of the update interval only, and never by less than the dead band") {
  const ContactProblem problem = random_problem(43, {6, 6});
  for (const std::int64_t interval : {1, 3, 7}) {
    RunSpec spec{"admm", Model::ccp, {}, {{"update_interval", interval}, {"dead_band", 4.0}}};
    spec.stop.max_iterations = 43;
    spec.stop.tolerance = 0.0;
    MemoryTrace trace;
    run(problem, spec, &trace);
    int changes = 0;
    for (std::size_t row = 2; row < trace.rows.size(); ++row) {
      // Row k shows the ρ of iteration k; a change after iteration k is first seen in row k + 1.
      const double factor = trace.native(row, "rho") / trace.native(row - 1, "rho");
      if (factor == 1.0) continue;
      ++changes;
      CAPTURE(interval, row, factor);
      CHECK((static_cast<std::int64_t>(row) - 1) % interval == 0);
      CHECK(std::max(factor, 1.0 / factor) > 4.0);
      CHECK(std::max(factor, 1.0 / factor) <= 50.0 * (1.0 + 1e-12));
    }
    CHECK(changes > 0);
  }
}
