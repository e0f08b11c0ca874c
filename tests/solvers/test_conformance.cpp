#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "problems/registry.hpp"
#include "support/run_solver.hpp"
#include "support/sanitized.hpp"
#include "support/small_problems.hpp"
#include "support/uniform.hpp"

/// Every registered solver with every choice that changes its algorithm × a set of small problems × both models. Each solver
/// of the registry has a test case of its own, so that CTest runs them beside each other.
using namespace ccp;
using namespace ccp::testing;

namespace {

/// The default settings and, unless these alone are wanted, one variant per value of each choice.
std::vector<RunSpec> variants(const std::string& name, bool defaults_alone = false) {
  std::vector<RunSpec> list{{name}};
  if (defaults_alone) return list;
  const auto solver = make_solver(name);
  for (const Field& field : solver->settings().fields())
    for (const std::string& choice : field.choices)
      if (FieldValue(choice) != field.default_value) list.push_back({name, Model::ccp, {}, {{field.name, choice}}});
  return list;
}

/// Whether the method comes to rest elsewhere than at solutions, by its own account.
bool inexact(const std::string& name) { return make_solver(name)->info().inexact; }

std::string label(const RunSpec& spec) {
  std::string text = spec.solver;
  for (const auto& [name, value] : spec.settings) text += " " + name + "=" + field_text(value);
  return text;
}

/// Problems every method solves to 1e-8 within the limits below.
std::vector<ContactProblem> solvable() {
  RandomShape contacts{4, 4};
  RandomShape mixed{6, 2, 2, 2, 2};
  RandomShape soft = mixed;
  soft.compliance = true;
  RandomShape coupled = mixed;
  coupled.coupled_mass = true;
  RandomShape frictionless{4, 4};
  frictionless.mu = 0.0;
  std::vector<ContactProblem> list{
      point_mass(2.0, {1.0, 0.5, -0.5}, 0.4, "open"),
      point_mass(2.0, {-1.0, 0.1, -0.2}, 0.4, "stick"),
      point_mass(2.0, {-1.0, 2.0, 0.0}, 0.4, "slip"),
      point_mass(2.0, {-1.0, 3.0, 0.0}, 0.0, "no friction"),
      point_mass(2.0, {-1.0, 3.0, 0.0}, 5.0, "large friction"),
      point_mass(1e-6, {-1.0, 0.1, 0.0}, 0.4, "one milligram"),
      redundant_point_mass(2.0, {-1.0, 0.1, 0.0}, 0.4, 3),
      random_problem(16, {1, 2}, "one body"),
      random_problem(17, {2, 6}, "more rows than dofs"),
      random_problem(11, contacts, "contacts"),
      random_problem(12, mixed, "mixed kinds"),
      random_problem(13, soft, "compliant"),
      random_problem(14, coupled, "coupled mass matrix"),
      random_problem(15, frictionless, "frictionless"),
  };
  const std::size_t global = list.size();
  for (std::size_t i = 0; i < global; ++i) list.push_back(as_local(list[i]));
  return list;
}

ContactProblem empty_problem() {
  ProblemBuilder builder("empty");
  return builder.global(diagonal(Vector3::Ones()), Vector3::Ones(), SparseMatrix(3, 0), Vector(0)).build();
}

/// The relative residual of a result by a judge that has seen nothing of the run.
double judged_anew(const Result& result, const ContactProblem& problem, Model model) {
  const Vector shifted =
      problem.impulse_shift().size() > 0 ? Vector(result.impulse + problem.impulse_shift()) : result.impulse;
  return Judge(problem, model).evaluate(Measure::relative_residual, {&shifted, nullptr});
}

/// Whether ten rounding floors of the returned point are at most the tolerance.
bool rounding_allows(const Result& result, const ContactProblem& problem, Model model, double tolerance) {
  const double initial = Judge(problem, model).initial_residual();
  const double floor = result.measures[measure_index(Measure::rounding_floor)];
  return 10.0 * floor <= tolerance * (initial > 0.0 ? initial : 1.0);
}

/// Solved means solved, and nothing else does, unless rounding does not allow to say so.
void check_honest(const Result& result, const ContactProblem& problem, Model model, double tolerance) {
  REQUIRE(result.impulse.size() == problem.rows());
  const bool within = judged_anew(result, problem, model) <= tolerance;
  if (within && result.status == Status::below_rounding)
    CHECK_FALSE(rounding_allows(result, problem, model, tolerance));
  else
    CHECK((result.status == Status::solved) == within);
}

/// The γ of the normal form divides the rounding of u by Θ (G.15), which is a millionth of N_ii here.
bool loses_its_impulse(const RunSpec& spec, const ContactProblem& problem) {
  const bool normal = !spec.settings.empty() && spec.settings[0].second == FieldValue(std::string("normal"));
  return spec.solver == "admm_chrono" && normal && problem.name() == "one milligram, local";
}

void solves_small_problems(const std::string& name) {
  StopRule stop;
  stop.tolerance = 1e-8;
  stop.max_iterations = inexact(name) ? 100 : 20000;
  stop.time_limit_s = 20.0;
  for (RunSpec spec : variants(name))
    for (const Model model : {Model::ccp, Model::ncp}) {
      spec.model = model;
      spec.stop = stop;
      for (const ContactProblem& problem : solvable()) {
        CAPTURE(label(spec), model_name(model), problem.name());
        if (configured(spec)->supports(problem, model)) continue;
        if (loses_its_impulse(spec, problem)) continue;
        if (sanitized && problem.name().find(spec.settings.empty() ? "mixed kinds" : "compliant") != 0) continue;
        const Result result = run(problem, spec);
        if (inexact(name))
          CHECK(result.impulse.allFinite());
        else
          CHECK(result.status == Status::solved);
        check_honest(result, problem, model, stop.tolerance);
      }
    }
}

void solves_an_empty_problem(const std::string& name) {
  for (const ContactProblem& problem : {empty_problem(), as_local(empty_problem())})
    for (const RunSpec& spec : variants(name)) {
      CAPTURE(label(spec));
      const auto solver = configured(spec);
      const Model model = solver->native(Model::ccp) ? Model::ccp : Model::ncp;
      if (solver->supports(problem, model)) continue;
      Judge judge(problem, model);
      RunMonitor monitor(judge, {});
      const Result result = solver->solve(problem, model, {}, monitor);
      CHECK(result.status == Status::solved);
      CHECK(result.iterations == 0);
    }
}

void takes_warm_starts(const std::string& name) {
  if (inexact(name)) return;
  const ContactProblem problem = random_problem(11, {4, 4});
  StopRule stop;
  stop.max_iterations = 100000;
  stop.tolerance = 1e-10;
  for (const Model model : {Model::ccp, Model::ncp}) {
    RunSpec spec{name, model, stop};
    if (configured(spec)->supports(problem, model)) continue;
    CAPTURE(model_name(model));
    const Result cold = run(problem, spec);
    REQUIRE(cold.status == Status::solved);
    spec.start = {cold.impulse, cold.velocity, cold.carried};
    const Result warm = run(problem, spec);
    CHECK(warm.status == Status::solved);
    CHECK(warm.iterations == 0);
    check_honest(warm, problem, model, stop.tolerance);
    // A velocity is handed over only where the method has one, and at a solution it belongs to the impulse.
    if (warm.velocity.size() > 0) CHECK(warm.measures[measure_index(Measure::momentum_residual)] <= 1e-6);
    for (const double size : {1e3, 1e8}) {
      spec.start = {size * Uniform(4).vector(problem.rows()), {}, 0.0};
      CAPTURE(size);
      CHECK(run(problem, spec).status == Status::solved);
    }
    // Nearly there, and with a step from another problem.
    spec.start = {(1.0 + 1e-9) * cold.impulse, {}, 1e-9};
    spec.stop.tolerance = 1e-12;
    CHECK(run(problem, spec).status == Status::solved);
  }
}

void refuses_bad_starts(const std::string& name) {
  const ContactProblem problem = point_mass(1.0, {-1, 0, 0}, 0.5);
  RunSpec spec{name, Model::ncp};
  spec.start.impulse = Vector::Zero(2);
  CHECK_THROWS_AS(run(problem, spec), InputError);
  spec.start.impulse = Vector::Constant(3, std::nan(""));
  CHECK_THROWS_AS(run(problem, spec), InputError);
  spec.start = {Vector::Zero(3), Vector::Zero(7), 0.0};
  CHECK_THROWS_AS(run(problem, spec), InputError);
}

void is_honest_about_mass_ratios(const std::string& name) {
  const auto scene = make_scene("odd_mass_stack");
  scene->parameters().set("spheres", std::int64_t{4});
  scene->parameters().set("heavy_index", std::int64_t{4});
  scene->parameters().set("heavy_mass", 1e10);
  const ContactProblem problem = scene->build(0);
  StopRule stop;
  stop.tolerance = 1e-6;
  stop.max_iterations = 500;
  for (const Model model : {Model::ccp, Model::ncp}) {
    const RunSpec spec{name, model, stop};
    if (configured(spec)->supports(problem, model)) continue;
    CAPTURE(model_name(model));
    const Result result = run(problem, spec);
    check_honest(result, problem, model, stop.tolerance);
    if (name == "admm") CHECK(result.status == Status::below_rounding);
  }
}

void takes_huge_friction(const std::string& name) {
  const ContactProblem problem = point_mass(2.0, {-1.0, 3.0, 0.0}, 1e6);
  const RunSpec coulomb{name, Model::ncp};
  if (configured(coulomb)->supports(problem, Model::ncp)) return;
  const Result result = run(problem, coulomb);
  // The De Saxcé shift is 3e6 m/s here: a fixed point over it need not get anywhere, but must say so.
  check_honest(result, problem, Model::ncp, 1e-8);
  if (name == "nsgs") CHECK(result.status == Status::below_rounding);
  if (inexact(name)) return;
  const RunSpec convex{name, Model::ccp};
  if (!configured(convex)->supports(problem, Model::ccp)) CHECK(run(problem, convex).status == Status::solved);
}

void solves_unsymmetric_problems(const std::string& name) {
  // Newton–Euler dumps: a symmetric part plus a defect of some 1e-3.
  const ContactProblem base = as_local(random_problem(21, {5, 5}));
  DenseMatrix N(base.local().N);
  Uniform uniform(5);
  N += 2e-3 * N.cwiseAbs().maxCoeff() * uniform.matrix(N.rows(), N.cols());
  ProblemBuilder builder("unsymmetric");
  const ContactProblem problem = builder.local(sparse(N), base.local().r).constraints(base.constraints()).build();
  StopRule stop;
  stop.tolerance = 1e-9;
  stop.max_iterations = 50000;
  if (inexact(name) || configured({name})->supports(problem, Model::ncp)) return;
  CHECK(run(problem, {name, Model::ncp, stop}).status == Status::solved);
  const RunSpec convex{name, Model::ccp, stop};
  if (!configured(convex)->supports(problem, Model::ccp)) CHECK(run(problem, convex).status == Status::solved);
}

void takes_or_refuses_an_unsymmetric_mass(const std::string& name) {
  RandomShape mixed{6, 2, 2, 2, 2};
  mixed.skew = 2.0;
  RandomShape coupled = mixed;
  coupled.coupled_mass = coupled.compliance = true;
  RandomShape frictionless{4, 4};
  frictionless.skew = 2.0;
  frictionless.mu = 0.0;
  StopRule stop;
  stop.max_iterations = inexact(name) ? 100 : 20000;
  for (RunSpec spec : variants(name, sanitized))
    for (const Model model : {Model::ccp, Model::ncp})
      for (const ContactProblem& problem : {random_problem(51, mixed, "mixed kinds"), random_problem(52, coupled, "coupled"),
                                            random_problem(53, frictionless, "frictionless")}) {
        if (!spec.settings.empty() && problem.name() != "mixed kinds") continue;
        spec.model = model;
        spec.stop = stop;
        CAPTURE(label(spec), model_name(model), problem.name());
        const auto solver = configured(spec);
        if (const auto reason = solver->supports(problem, model)) {
          const bool expected = !solver->info().unsymmetric_mass;
          if (expected && solver->native(model)) CHECK(reason->find("needs a symmetric H") != std::string::npos);
          continue;
        }
        CHECK(solver->info().unsymmetric_mass);
        const Result result = run(problem, *solver, spec);
        if (!inexact(name)) CHECK(result.status == Status::solved);
        check_honest(result, problem, model, stop.tolerance);
        if (result.velocity.size() > 0) CHECK(result.measures[measure_index(Measure::momentum_residual)] <= 1e-6);
      }
}

void check_same(const MemoryTrace& a, const MemoryTrace& b) {
  REQUIRE(a.rows.size() == b.rows.size());
  for (std::size_t i = 0; i < a.rows.size(); ++i) {
    CHECK(std::memcmp(&a.rows[i].measures, &b.rows[i].measures, sizeof(Measures)) == 0);
    CHECK(a.rows[i].native == b.rows[i].native);
    CHECK(a.rows[i].outer == b.rows[i].outer);
  }
}

void repeats_its_traces(const std::string& name) {
  const ContactProblem problem = random_problem(31, {20, 40, 4, 4, 4});
  StopRule stop;
  stop.max_iterations = sanitized ? 10 : 60;
  stop.tolerance = 0.0;
  for (RunSpec spec : variants(name, sanitized))
    for (const Model model : {Model::ccp, Model::ncp}) {
      spec.model = model;
      spec.stop = stop;
      if (configured(spec)->supports(problem, model)) continue;
      CAPTURE(label(spec), model_name(model));
      MemoryTrace first, second;
      const Result silent = run(problem, spec);
      const Result watched = run(problem, spec, &first, all_measures());
      run(problem, spec, &second, all_measures());
      CHECK(silent.impulse == watched.impulse);
      CHECK(first.rows.size() == static_cast<std::size_t>(watched.iterations) + 1);
      check_same(first, second);
    }
}

void does_not_depend_on_threads(const std::string& name) {
  // Large enough for the work to be shared out.
  const ContactProblem problem = random_problem(32, {300, 700, 30, 30, 30});
  StopRule stop;
  stop.max_iterations = 12;
  stop.tolerance = 0.0;
  for (const Model model : {Model::ccp, Model::ncp}) {
    RunSpec spec{name, model, stop};
    if (configured(spec)->supports(problem, model)) continue;
    CAPTURE(model_name(model));
    MemoryTrace one, two;
    const Result alone = run(problem, spec, &one);
    spec.threads = 2;
    const Result shared = run(problem, spec, &two);
    CHECK(shared.impulse == alone.impulse);
    check_same(one, two);
  }
}

void solves_light_bodies(const std::string& name) {
  StopRule stop;
  stop.max_iterations = inexact(name) ? 100 : 20000;
  for (const double mass : {1e-8, 1e-12}) {
    const ContactProblem problem = redundant_point_mass(mass, {-1.0, 0.7, 0.0}, 0.4, 3);
    for (const Model model : {Model::ccp, Model::ncp}) {
      RunSpec spec{name, model, stop};
      // A fixed step of 0.05 1/kg is none for bodies of 1e-12 kg: the method must say so.
      const bool fixed = name == "fadmm";
      if (configured(spec)->supports(problem, model)) continue;
      CAPTURE(model_name(model), mass);
      check_honest(run(problem, spec), problem, model, stop.tolerance);
      if (fixed) spec.settings = {{"step_policy", std::string("balanced")}};
      if (!inexact(name)) CHECK(run(problem, spec).status == Status::solved);
    }
  }
}

void is_honest_about_infeasible_problems(const std::string& name) {
  // Two stops that exclude each other: u >= 1 and −u >= 1.
  ProblemBuilder builder("infeasible");
  builder.global(diagonal(Vector::Ones(1)), Vector::Zero(1), sparse((DenseMatrix(1, 2) << 1.0, -1.0).finished()),
                 Vector::Constant(2, -1.0));
  const ContactProblem problem = builder.unilateral().unilateral().build();
  StopRule stop;
  stop.max_iterations = inexact(name) || sanitized ? 100 : 2000;
  for (const Model model : {Model::ccp, Model::ncp}) {
    const RunSpec spec{name, model, stop};
    if (configured(spec)->supports(problem, model)) continue;
    CAPTURE(model_name(model));
    const Result result = run(problem, spec);
    CHECK(result.status == Status::infeasible);
    CHECK_THAT(result.reason, Catch::StartsWith("unilateral rows 0 and 1 exclude each other: "));
    CHECK(judged_anew(result, problem, model) > 1e-8);
  }
}

struct Demand {
  const char* says;
  void (*check)(const std::string& solver);
};

constexpr Demand demands[] = {
    {"solves every small problem under every model it takes, unless it is inexact", solves_small_problems},
    {"an empty problem is solved at once", solves_an_empty_problem},
    {"a warm start at the solution stops at once, one at garbage still converges", takes_warm_starts},
    {"a start point of the wrong size or with NaN is bad input", refuses_bad_starts},
    {"a mass ratio of 1e9 gets an honest status and is solved by admm", is_honest_about_mass_ratios},
    {"a huge friction coefficient: solved as ccp, honest as ncp", takes_huge_friction},
    {"an unsymmetric N is solved as it is by a solver of the ncp model", solves_unsymmetric_problems},
    {"an unsymmetric H is taken as it is, or refused with the reason", takes_or_refuses_an_unsymmetric_mass},
    {"traces do not depend on being watched or on a second run", repeats_its_traces},
    {"traces do not depend on the number of threads", does_not_depend_on_threads},
    {"very light bodies are solved, whatever the first step makes of them", solves_light_bodies},
    {"an infeasible problem is called infeasible, never solved", is_honest_about_infeasible_problems},
};

/// The test case of one solver: one section a demand.
class Conformance final : public Catch::ITestInvoker {
 public:
  explicit Conformance(std::string solver) : solver_(std::move(solver)) {}
  void invoke() const override {
    for (const Demand& demand : demands) SECTION(demand.says) demand.check(solver_);
  }

 private:
  std::string solver_;
};

/// Registers what TEST_CASE would, but for each solver.
const bool registered = [] {
  for (const std::string& solver : solver_names())
    Catch::getMutableRegistryHub().registerTest(Catch::makeTestCase(
        new Conformance(solver), "", {solver + " conforms", "[slow]"}, Catch::SourceLineInfo(__FILE__, __LINE__)));
  return true;
}();

}  // namespace

TEST_CASE("ccp and ncp solvers agree on the local velocity", "[slow]") {
  StopRule stop;
  stop.tolerance = 1e-11;
  stop.max_iterations = 100000;
  for (const ContactProblem& problem : solvable())
    for (const Model model : {Model::ccp, Model::ncp}) {
      Vector reference;
      for (const std::string& name : solver_names()) {
        const RunSpec spec{name, model, stop};
        if (inexact(name) || configured(spec)->supports(problem, model)) continue;
        CAPTURE(name, model_name(model), problem.name());
        const Result result = run(problem, spec);
        REQUIRE(result.status == Status::solved);
        Vector scratch, u;
        problem.local_velocity(result.impulse, scratch, u);
        if (reference.size() == 0) reference = u;
        CHECK((u - reference).cwiseAbs().maxCoeff() <= 1e-8);
      }
    }
}

TEST_CASE("a run that leaves for infinity is called diverged, by any stop measure") {
  RunSpec spec{"jacobi", Model::ccp, {}, {{"omega", 20.0}}};
  for (const Measure measure : {Measure::relative_residual, Measure::natural_map}) {
    spec.stop.measure = measure;
    CHECK(run(random_problem(11, {4, 4}), spec).status == Status::diverged);
  }
}
