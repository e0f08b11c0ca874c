#include <algorithm>
#include <catch2/catch.hpp>

#include "problem/judge/judge.hpp"
#include "problem/problem_builder.hpp"
#include "solvers/newton/sweep_phase.hpp"
#include "solvers/proximal_newton/decomposition.hpp"
#include "solvers/proximal_newton/newton_system.hpp"
#include "solvers/run_monitor.hpp"
#include "support/build_scene.hpp"
#include "support/run_solver.hpp"
#include "support/small_problems.hpp"
#include "support/uniform.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

std::vector<Matrix3> random_blocks(Uniform& uniform, Index count, double shift) {
  std::vector<Matrix3> blocks;
  for (Index i = 0; i < count; ++i) blocks.push_back(Matrix3(uniform.matrix(3, 3)) + shift * Matrix3::Identity());
  return blocks;
}

/// Solves J x = rhs with random blocks G_i, E_i and every third row an identity row, and puts x into J.
void check_newton_system(NewtonSystem& system, const ConstraintSet& constraints, double shift) {
  CAPTURE(system.name());
  const Index count = constraints.count();
  Uniform uniform(7);
  auto G = random_blocks(uniform, count, 2.0), E = random_blocks(uniform, count, shift);
  std::vector<char> identity(static_cast<std::size_t>(count), 0);
  for (std::size_t i = 0; i < identity.size(); i += 3) {
    identity[i] = 1;
    G[i].setZero();
    E[i].setIdentity();
  }
  // Padding stays out of the system.
  for (Index i = 0; i < count; ++i)
    for (Index row = constraints.rows(i); row < 3; ++row)
      for (Matrix3* block : {&G[static_cast<std::size_t>(i)], &E[static_cast<std::size_t>(i)]}) {
        block->row(row).setZero();
        block->col(row).setZero();
        (*block)(row, row) = block == &E[static_cast<std::size_t>(i)] ? 1.0 : 0.0;
      }
  const Vector rhs = uniform.vector(3 * count);
  Vector x(3 * count), product(3 * count);
  REQUIRE(system.factorize(G, E, identity));
  system.solve(rhs, x);
  system.multiply(x, product);
  for (Index i = 0; i < count; ++i) {
    const auto block = static_cast<std::size_t>(i);
    const Vector3 left = G[block] * product.segment<3>(3 * i) + E[block] * x.segment<3>(3 * i);
    CHECK((left - rhs.segment<3>(3 * i)).norm() <= 1e-10 * (1.0 + x.norm()));
  }
}

}  // namespace

TEST_CASE("both forms of a Newton system solve it", "[newton]") {
  RandomShape mixed{6, 4, 2, 2, 2};
  RandomShape soft = mixed;
  soft.compliance = true;
  for (const ContactProblem& problem : {random_problem(3, {5, 7}), random_problem(4, mixed), random_problem(5, soft)})
    for (const NewtonSpace space : {NewtonSpace::contacts, NewtonSpace::velocities})
      check_newton_system(*make_newton_system(problem, space), problem.constraints(), 6.0);
}

TEST_CASE("with much fill the contact form goes by fronts", "[newton]") {
  const ContactProblem little = scene_with("random_contacts", {{"contacts", std::int64_t{60}}});
  CHECK(make_newton_system(little, NewtonSpace::contacts)->name() == "contact space, minimum degree, blocks");
  const ContactProblem much = scene_with("random_contacts", {{"contacts", std::int64_t{200}}});
  const auto system = make_newton_system(much, NewtonSpace::contacts);
  CHECK(system->name() == "contact space, minimum degree, fronts");
  check_newton_system(*system, much.constraints(), 60.0);
}

TEST_CASE("contacts that hang on each other in one direction take sweeps alone", "[newton]") {
  // Each velocity depends on the impulses of the contacts before it.
  constexpr int count = 30;
  Uniform uniform(5);
  DenseMatrix N = DenseMatrix::Zero(3 * count, 3 * count);
  for (int i = 0; i < count; ++i) {
    const DenseMatrix root = uniform.matrix(3, 3);
    N.block<3, 3>(3 * i, 3 * i) = root * root.transpose() + DenseMatrix::Identity(3, 3);
    if (i > 0) N.block<3, 3>(3 * i, 3 * i - 3) = 0.5 * uniform.matrix(3, 3);
  }
  ProblemBuilder builder;
  builder.local(sparse(N), uniform.vector(3 * count));
  for (int i = 0; i < count; ++i) builder.contact(0.1 + 0.02 * i);
  StopRule stop;
  stop.measure = Measure::natural_map;
  stop.tolerance = 1e-12;
  const ContactProblem problem = builder.build();
  const Result swept = run(problem, {"proximal_newton", Model::ncp, stop});
  CHECK(swept.status == Status::solved);
  CHECK(swept.iterations == 1);
  CHECK(swept.counters.factorizations == 0);
  CHECK(run(problem, {"proximal_newton", Model::ncp, stop, {{"start", std::string("zero")}}}).iterations > 3);
}

TEST_CASE("a cold start is where every contact sticks, if that is nearer than zero", "[newton]") {
  StopRule stop;
  stop.tolerance = 1e-10;
  const auto steps = [&](const ContactProblem& problem, Model model, const char* start) {
    const Result result = run(problem, {"proximal_newton", model, stop, {{"start", std::string(start)}}});
    CHECK(result.status == Status::solved);
    const auto note = std::find(result.notes.begin(), result.notes.end(), "starts where every contact sticks");
    return std::pair(result.counters.factorizations, note != result.notes.end());
  };
  const ContactProblem stack = scene_with("odd_mass_stack", {});  // at rest: everything sticks
  for (const Model model : {Model::ncp, Model::ccp}) {
    const auto [sticking, taken] = steps(stack, model, "sticking");
    const auto [zero, never] = steps(stack, model, "zero");
    CHECK(taken);
    CHECK_FALSE(never);
    CHECK(sticking <= (model == Model::ncp ? zero / 2 : zero + 1));
  }
  // Sweeps may be all that is needed: where they come first a start that is dear beside them is not tried.
  const ContactProblem press = scene_with("sphere_press", {{"spheres", std::int64_t{500}}, {"per_side", std::int64_t{8}}});
  stop.max_iterations = 3;
  const Result swept = run(press, {"proximal_newton", Model::ncp, stop, {{"linear_system", std::string("contact")}}});
  CHECK(swept.iterations == 3);
  CHECK(swept.counters.factorizations == 0);
  stop.max_iterations = 1000;
  // Most of these separate or slip: one factorisation shows that they do not stick.
  const ContactProblem moving = scene_with("random_contacts", {{"contacts", std::int64_t{150}}});
  const auto [sticking, taken] = steps(moving, Model::ncp, "sticking");
  CHECK_FALSE(taken);
  CHECK(sticking == steps(moving, Model::ncp, "zero").first + 1);
}

TEST_CASE("proximal Newton reaches the last digits on a stack with a mass ratio of a thousand", "[newton]") {
  const ContactProblem problem = scene_with("odd_mass_stack", {});
  StopRule stop;
  stop.tolerance = 1e-12;
  stop.max_iterations = 100;
  for (const Model model : {Model::ncp, Model::ccp})
    for (const char* form : {"contact", "velocity"}) {
      CAPTURE(model_name(model), form);
      const Result result = run(problem, {"proximal_newton", model, stop, {{"linear_system", std::string(form)}}});
      CHECK(result.status == Status::below_rounding);  // ten floors are 1e-11
      CHECK(result.measures[measure_index(Measure::relative_residual)] <= 1e-12);
      CHECK(result.iterations <= 30);
      CHECK(result.measures[measure_index(Measure::cone_violation)] <= 1e-12);
    }
}

TEST_CASE("sweeps come first where they are asked for, and end at the handover", "[newton]") {
  const ContactProblem problem = scene_with("random_contacts", {{"contacts", std::int64_t{150}}});
  StopRule stop;
  stop.tolerance = 1e-10;
  for (const Model model : {Model::ncp, Model::ccp}) {
    CAPTURE(model_name(model));
    MemoryTrace rows;
    const Result result =
        run(problem, {"proximal_newton", model, stop, {{"first_phase", std::string("sweeps")}, {"handover", 0.1}}}, &rows,
            {Measure::relative_residual});
    CHECK(result.status == Status::solved);
    std::size_t sweeps = 0;
    while (sweeps + 1 < rows.rows.size() && rows.native(sweeps + 1, "proximal_weight") == 0.0) ++sweeps;
    CHECK(sweeps >= 10);
    CHECK(rows.measure(sweeps, Measure::relative_residual) <= 0.2);
    CHECK(rows.rows[sweeps].counters.factorizations == 1);  // that of the start
    CHECK(result.counters.factorizations >= 1);
  }
  const Result without =
      run(problem,
          {"proximal_newton", Model::ncp, stop, {{"first_phase", std::string("none")}, {"start", std::string("zero")}}});
  CHECK(without.status == Status::solved);
  CHECK(without.counters.back_solves >= without.iterations);
}

TEST_CASE("from where sweeps end a packing takes few Newton steps", "[newton]") {
  const ContactProblem problem = scene_with("sphere_press", {{"spheres", std::int64_t{200}}, {"per_side", std::int64_t{6}}});
  StopRule stop;
  stop.measure = Measure::natural_map;
  stop.max_iterations = 5000;
  const Result result =
      run(problem,
          {"proximal_newton",
           Model::ncp,
           stop,
           {{"first_phase", std::string("sweeps")}, {"linear_system", std::string("velocity")}, {"decomposition", false}}});
  CHECK(result.status == Status::solved);
  CHECK(result.counters.factorizations <= 20);
}

TEST_CASE("lagged sweeps go on where nonlinear ones do not progress", "[newton]") {
  const ContactProblem problem = scene_with("random_contacts", {{"contacts", std::int64_t{500}}}, 2);
  StopRule stop;
  stop.max_iterations = 5000;
  const auto run_with = [&](bool lagged, bool decomposition = false) {
    return run(problem,
               {"proximal_newton",
                Model::ncp,
                stop,
                {{"first_phase", std::string("sweeps")}, {"lagged_sweeps", lagged}, {"decomposition", decomposition}}});
  };
  const Result with = run_with(true), without = run_with(false);
  CHECK(with.status == Status::solved);
  CHECK(with.counters.factorizations <= 5);
  // The decomposition, which would look for bodies at rest by factorisations, comes after both kinds.
  CHECK(run_with(true, true).counters.factorizations == with.counters.factorizations);
  CHECK(without.counters.factorizations >= 20);
  const auto lagged = [](const Result& result) {
    return std::any_of(result.notes.begin(), result.notes.end(),
                       [](const std::string& note) { return note.find("lagged ones") != std::string::npos; });
  };
  CHECK(lagged(with));
  CHECK_FALSE(lagged(without));
}

TEST_CASE("sweeps go on where Newton steps crawl", "[newton]") {
  StopRule stop;
  stop.measure = Measure::natural_map;
  for (const double mass_ratio : {1.0, 100.0}) {
    const ContactProblem problem = scene_with("random_contacts",
                                              {{"contacts", std::int64_t{100}},
                                               {"friction_min", mass_ratio > 1.0 ? 1.0 : 0.5},
                                               {"friction_max", mass_ratio > 1.0 ? 1.0 : 1.5},
                                               {"mass_ratio", mass_ratio}},
                                              3);
    const auto factorizations = [&](const char* phase) {
      const Result result = run(problem, {"proximal_newton", Model::ncp, stop, {{"first_phase", std::string(phase)}}});
      CHECK(result.status == Status::solved);
      return result.counters.factorizations;
    };
    const auto with = factorizations("auto");
    CHECK(with <= 30);
    CHECK(factorizations("none") >= 2 * with);
  }
}

TEST_CASE("sweeps after a failed subproblem end soon, and begin later where they take long", "[newton]") {
  const auto iterations = [](const char* contacts, const char* most_friction, std::uint64_t seed) {
    const ContactProblem problem =
        build_scene("random_contacts", {{"contacts", contacts}, {"friction_max", most_friction}}, seed);
    const Result result = run(problem, {"proximal_newton", Model::ncp, {}});
    CHECK(result.status == Status::solved);
    return result.iterations;
  };
  CHECK(iterations("300", "1.5", 4) <= 100);  // 156 with the handover of sweeps that come first
  CHECK(iterations("100", "0.6", 1) <= 20);   // 46, most of them sweeps, after two steps without progress
}

TEST_CASE("contacts with masses a hundred times apart take less than a hundred factorisations", "[newton]") {
  StopRule stop;
  stop.measure = Measure::natural_map;
  for (const std::int64_t contacts : {60, 200}) {
    CAPTURE(contacts);
    const ContactProblem problem = scene_with(
        "random_contacts", {{"contacts", contacts}, {"friction_min", 1.0}, {"friction_max", 1.0}, {"mass_ratio", 100.0}},
        contacts == 60 ? 4 : 3);
    const Result result = run(problem, {"proximal_newton", Model::ncp, stop});
    CHECK(result.status == Status::solved);
    CHECK(result.counters.factorizations <= 90);  // with the usual patience throughout: 205 and 263
  }
}

TEST_CASE("factors are used again near a solution, where a factorisation takes many back-solves", "[newton]") {
  const auto steps_with_old_factors = [](const char* contacts) {
    const ContactProblem problem = build_scene("random_contacts", {{"contacts", contacts}});
    const StopRule stop{Measure::relative_residual, 1e-12};
    const Result result =
        run(problem,
            {"proximal_newton", Model::ccp, stop, {{"first_phase", std::string("none")}, {"start", std::string("zero")}}});
    CHECK(result.status == Status::solved);
    return result.iterations - result.counters.factorizations;
  };
  CHECK(steps_with_old_factors("400") >= 2);
  CHECK(steps_with_old_factors("10") == 0);
}

TEST_CASE("few bodies that move are split from a packing at rest", "[newton]") {
  StopRule stop;
  stop.measure = Measure::natural_map;
  const auto press = [](const char* packing, double friction) {
    return scene_with("sphere_press", {{"packing", std::string(packing)},
                                       {"spheres", std::int64_t{100}},
                                       {"per_side", std::int64_t{4}},
                                       {"friction", friction}});
  };
  const auto factorizations = [&](const ContactProblem& problem, bool decomposition) {
    const Result result =
        run(problem,
            {"proximal_newton", Model::ncp, stop, {{"decomposition", decomposition}, {"first_phase", std::string("none")}}});
    CHECK(result.status == Status::solved);
    return result.counters.factorizations;
  };
  for (const char* packing : {"thrown", "random"}) {
    const ContactProblem problem = press(packing, 0.3);
    const auto with = factorizations(problem, true);
    CHECK(with <= 100);
    CHECK(factorizations(problem, false) >= 2 * with);
  }
  // It does not take what has no bodies, or is convex.
  CHECK_FALSE(Decomposition::applies(press("random", 0.3), Model::ccp));
  ProblemBuilder local;
  local.local(diagonal(Vector3::Ones()), Vector3(-1.0, 0.0, 0.0));
  CHECK_FALSE(Decomposition::applies(local.contact(0.4).build(), Model::ncp));
}

TEST_CASE("sweeps end where they do not progress", "[newton]") {
  const ContactProblem problem = scene_with("random_contacts", {{"contacts", std::int64_t{60}}});
  Judge judge(problem, Model::ncp);
  StopRule stop;
  stop.tolerance = 0.0;
  stop.max_iterations = 3000;
  const auto sweep = [&](auto&& make, const SweepRunner::Limits& limits) {
    RunMonitor monitor(judge, stop, 1);
    monitor.begin({});
    auto sweeps = make(monitor);
    const Vector zero = Vector::Zero(problem.rows());
    const auto residual = [&](const Vector& impulse) {
      return judge.evaluate(Measure::velocity_residual, {&impulse, nullptr});
    };
    return sweeps.run(zero, zero, limits, residual, {}, monitor);
  };
  const auto nonlinear = [&](Monitor& monitor) { return SweepRunner(problem, Model::ncp, monitor); };
  const auto lagged = [&](Monitor& monitor) { return LaggedSweepRunner(problem, 50, monitor); };
  const double target = 1e-9;
  const SweepRunner::Result free = sweep(nonlinear, {target, 2000}), strict = sweep(nonlinear, {0.0, 2000, 1e-30});
  CHECK(free.residual <= target);
  CHECK_FALSE(free.stagnated);
  CHECK(strict.stagnated);
  CHECK_FALSE(strict.stopped);
  const SweepRunner::Result convex = sweep(lagged, {1e-5, 2000});
  CHECK(convex.residual <= 1e-5);
  CHECK_FALSE(convex.stagnated);
  CHECK(sweep(lagged, {0.0, 2000, 1e-30}).stagnated);
  CHECK_FALSE(sweep(lagged, {0.0, 120}).stagnated);
}

TEST_CASE("lagged sweeps that change nothing any more end", "[newton]") {
  ProblemBuilder builder("a sphere that rests");  // N = I, and without friction one sweep is exact
  builder.local(SparseMatrix(DenseMatrix::Identity(3, 3).sparseView()), Vector(Vector3(-1.0, 0.0, 0.0)));
  ConstraintSet one;
  one.add(ConstraintKind::contact, 0.0);
  const ContactProblem problem = builder.constraints(one).build();
  Judge judge(problem, Model::ncp);
  StopRule stop;
  stop.tolerance = -1.0;  // the residual is exactly 0
  stop.max_iterations = 100000;
  RunMonitor monitor(judge, stop, 1);
  monitor.begin({});
  LaggedSweepRunner sweeps(problem, 5, monitor);
  const Vector zero = Vector::Zero(3);
  const auto residual = [&](const Vector& impulse) {
    return judge.evaluate(Measure::velocity_residual, {&impulse, nullptr}) + 1.0;  // never at the limit
  };
  const SweepRunner::Result result = sweeps.run(zero, zero, {0.0, 100000}, residual, {}, monitor);
  CHECK(result.impulse[0] == 1.0);
  CHECK_FALSE(result.stagnated);
  CHECK_FALSE(result.stopped);
  CHECK(monitor.counters().products <= 10);
}

TEST_CASE("many rows on fewer velocities are not analysed by contacts", "[newton]") {
  const ContactProblem large = scene_with("sphere_press", {{"spheres", std::int64_t{216}}, {"per_side", std::int64_t{6}}});
  REQUIRE(large.rows() > 3000);
  CHECK(make_newton_system(large, NewtonSpace::automatic)->name().rfind("velocity", 0) == 0);
  const ContactProblem few = scene_with("random_contacts", {{"contacts", std::int64_t{20}}});
  CHECK(make_newton_system(few, NewtonSpace::automatic)->name().rfind("contact", 0) == 0);
}

TEST_CASE("the velocity form is refused where bodies are coupled", "[newton]") {
  RandomShape shape{4, 4};
  shape.coupled_mass = true;
  const auto solver = configured({"proximal_newton", Model::ncp, {}, {{"linear_system", std::string("velocity")}}});
  CHECK(solver->supports(random_problem(14, shape), Model::ncp));
  CHECK_FALSE(solver->supports(random_problem(14, {4, 4}), Model::ncp));
}

TEST_CASE("every complementarity function of semismooth Newton finds the same velocity", "[newton]") {
  const ContactProblem problem = random_problem(12, {6, 4, 1, 1, 1});
  StopRule stop;
  stop.tolerance = 1e-12;
  for (const Model model : {Model::ncp, Model::ccp}) {
    Vector reference, u, scratch;
    for (const char* function : {"alart_curnier", "natural_map", "fischer_burmeister"}) {
      CAPTURE(model_name(model), function);
      const Result result = run(problem, {"semismooth_newton", model, stop, {{"function", std::string(function)}}});
      REQUIRE(result.status == Status::solved);
      CHECK(result.iterations <= 60);
      problem.local_velocity(result.impulse, scratch, u);
      if (reference.size() == 0) reference = u;
      CHECK((u - reference).cwiseAbs().maxCoeff() <= 1e-9);
    }
  }
}
