#include <Eigen/Eigenvalues>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>

#include "cones/product_cone.hpp"
#include "problems/registry.hpp"
#include "solvers/blocks/block_pass.hpp"
#include "solvers/gradient/iterates.hpp"
#include "support/recorder.hpp"
#include "support/run_solver.hpp"
#include "support/small_problems.hpp"
#include "support/uniform.hpp"
#include "support/wild_problems.hpp"

/// The gradient family: what the conformance test does not ask of every method.
using namespace ccp;
using namespace ccp::testing;

namespace {

Vector projected(const ConstraintSet& set, Vector x) {
  project_product(set, x);
  return x;
}

ContactProblem stack(double lift_factor) {
  const auto scene = make_scene("odd_mass_stack");
  scene->parameters().set("lift_factor", lift_factor);
  return scene->build(0);
}

int iterations_to(const ContactProblem& problem, RunSpec spec, double tolerance) {
  spec.stop.tolerance = tolerance;
  spec.stop.max_iterations = 5000;
  const Result result = run(problem, spec);
  return result.status == Status::solved ? result.iterations : 1 << 30;
}

/// ‖(γ − Π(γ − ρ u))/ρ‖₂/m, by hand (F.6).
double projected_gradient(const ContactProblem& problem, const Vector& gamma) {
  Vector scratch, u;
  problem.local_velocity(gamma, scratch, u);
  const ConstraintSet& set = problem.constraints();
  double squares = 0.0;
  for (Index i = 0; i < set.count(); ++i) {
    const double rho = static_cast<double>(set.rows(i)) / problem.assembled().diagonal_block(i).trace();
    Vector shifted = gamma;
    shifted -= rho * u;
    const Vector difference = gamma - projected(set, shifted);
    squares += difference.segment(set.offset(i), set.rows(i)).squaredNorm() / (rho * rho);
  }
  return std::sqrt(squares) / static_cast<double>(set.rows());
}

}  // namespace

TEST_CASE("apgd: restart, adaptive step and one product per iteration pay on TEST 1.B") {
  const ContactProblem problem = stack(2.0);
  const RunSpec plain{"apgd"};
  const int iterations = iterations_to(problem, plain, 1e-8);
  CHECK(iterations <= 500);
  for (const char* part : {"restart", "adaptive_step"}) {
    CAPTURE(part);
    CHECK(iterations_to(problem, {"apgd", Model::ccp, {}, {{part, false}}}, 1e-8) > iterations);
  }
  StopRule stop;
  stop.max_iterations = 400;
  stop.tolerance = 1e-14;
  const Result result = run(problem, {"apgd", Model::ccp, stop});
  CHECK(10 * result.counters.products <= 13 * result.iterations);
  CHECK(result.counters.factorizations + result.counters.back_solves == 0);
}

TEST_CASE("the fallback hands back the best iterate, no fallback the last, a solved run the one that is solved") {
  const ContactProblem problem = stack(0.0);
  for (const char* name : {"apgd", "spg"}) {
    RunSpec spec{name, Model::ccp, {}, {{"fallback", false}}};
    spec.stop.tolerance = 1e-12;
    MemoryTrace trace;
    run(problem, spec, &trace);
    // An iteration whose iterate is not the best one so far.
    double best = trace.native(0, "projected_gradient"), last = best;
    std::size_t row = 0;
    while (last < 1.2 * best) {
      last = trace.native(++row, "projected_gradient");
      best = std::min(best, last);
    }
    CAPTURE(name, row);
    spec.stop.max_iterations = static_cast<int>(row);
    CHECK(projected_gradient(problem, run(problem, spec).impulse) == Approx(last).epsilon(1e-6));
    spec.settings = {{"fallback", true}};
    CHECK(projected_gradient(problem, run(problem, spec).impulse) == Approx(best).epsilon(1e-6));
  }
  RunSpec spec{"apgd"};
  spec.stop.tolerance = 1e-3;
  MemoryTrace trace;
  const Result solved = run(problem, spec, &trace, {Measure::relative_residual});
  CHECK(solved.status == Status::solved);
  CHECK(solved.measures[measure_index(Measure::relative_residual)] ==
        Approx(trace.measure(trace.rows.size() - 1, Measure::relative_residual)));
}

TEST_CASE("spg: the objective stays below the largest of its memory") {
  const ContactProblem problem = random_problem(41, {12, 24, 3, 3, 3});
  for (const char* name : {"spg", "p_spg_fb"})
    for (const int memory : {1, 10}) {
      CAPTURE(name, memory);
      RunSpec spec{name, Model::ccp, {}, {{"memory", std::int64_t{memory}}}};
      spec.stop.tolerance = 1e-6;
      MemoryTrace trace;
      CHECK(run(problem, spec, &trace, {Measure::objective}).status == Status::solved);
      bool rose = false;
      for (std::size_t row = 1; row < trace.rows.size(); ++row) {
        double largest = -1e300;
        for (std::size_t j = row - std::min(row, static_cast<std::size_t>(memory)); j < row; ++j)
          largest = std::max(largest, trace.measure(j, Measure::objective));
        CHECK(trace.measure(row, Measure::objective) <= largest + 1e-12 * std::abs(largest));
        rose = rose || trace.measure(row, Measure::objective) > trace.measure(row - 1, Measure::objective);
      }
      if (memory == 10) CHECK(rose);  // or the memory would be no use
    }
}

TEST_CASE("p_spg_fb is spg with the preconditioner and the fallback") {
  const ContactProblem problem = random_problem(42, {6, 9, 2, 2, 2});
  StopRule stop;
  stop.max_iterations = 30;
  stop.tolerance = 1e-14;
  const Result preset = run(problem, {"p_spg_fb", Model::ccp, stop});
  const Result spelled =
      run(problem, {"spg", Model::ccp, stop, {{"preconditioner", std::string("diagonal")}, {"fallback", true}}});
  CHECK(preset.impulse == spelled.impulse);
  CHECK_FALSE(preset.impulse == run(problem, {"spg", Model::ccp, stop}).impulse);
}

TEST_CASE("the diagonal preconditioner makes the iterates independent of the unit of mass of one body") {
  // Bodies that do not touch each other, one of them 2^20 times heavier: scaled by N_ii the problem is the same.
  ProblemBuilder even("even"), odd("odd");
  const Vector3 free_velocity(-1.0, 0.7, 0.2);
  for (auto* builder : {&even, &odd}) {
    const double heavy = builder == &even ? 1.0 : 0x1p20;
    Vector mass(6), k(6);
    mass << 1.0, 2.0, 3.0, heavy, 2.0 * heavy, 3.0 * heavy;
    k << free_velocity, free_velocity;
    builder->global(diagonal(mass), mass.cwiseProduct(k), sparse(DenseMatrix::Identity(6, 6)), Vector::Zero(6));
    builder->contact(0.4).contact(0.4);
  }
  const ContactProblem problems[] = {even.build(), odd.build()};
  for (const char* name : {"spg", "projected_cg"}) {
    StopRule stop;
    stop.tolerance = 1e-10;
    const RunSpec spec{name, Model::ccp, stop, {{"preconditioner", std::string("diagonal")}}};
    CHECK(run(problems[0], spec).iterations == run(problems[1], spec).iterations);
  }
}

TEST_CASE("projected_cg: without inequalities it is the conjugate gradient method and ends after rank steps") {
  // N γ = −r with N of full rank 14.
  const ContactProblem problem = random_problem(43, {6, 0, 0, 0, 14});
  Recorder recorder(14);
  make_solver("projected_cg")->prepare(problem, Model::ccp, recorder)->run({}, Vector::Zero(14), recorder);
  const DenseMatrix N(problem.local().N);
  Vector gamma = Vector::Zero(14), residual = -problem.local().r, direction = residual;
  for (std::size_t k = 1; k <= 6; ++k) {
    CAPTURE(k);
    const double length = residual.squaredNorm() / direction.dot(N * direction);
    gamma += length * direction;
    const Vector next = residual - length * (N * direction);
    direction = next + next.squaredNorm() / residual.squaredNorm() * direction;
    residual = next;
    CHECK((recorder.impulses[k] - gamma).norm() <= 1e-8 * gamma.norm());
  }
  StopRule stop;
  stop.tolerance = 1e-9;
  CHECK(run(problem, {"projected_cg", Model::ccp, stop}).iterations <= 14);
  // A single body held by more rows than it has degrees of freedom: rank 6.
  CHECK(run(random_problem(44, {1, 0, 0, 0, 9}), {"projected_cg", Model::ccp, stop}).iterations <= 6);
}

TEST_CASE("projected_cg: iterations on the stack, on sticking and on opening contacts") {
  CHECK(iterations_to(stack(0.0), {"projected_cg"}, 1e-10) <= 150);
  CHECK(iterations_to(stack(2.0), {"projected_cg"}, 1e-10) <= 80);
}

TEST_CASE("projected_cg: on a problem without a solution it does not step into overflow") {
  for (const std::uint64_t seed : {10653u, 10763u}) {
    const ContactProblem problem = wild_problem(seed);
    const Result result =
        run(problem, {"projected_cg", Model::ccp, StopRule{Measure::relative_residual, 1e-8, false, 200, 1.0}});
    CAPTURE(seed, result.reason);
    CHECK(result.status == Status::infeasible);
    CHECK(result.impulse.allFinite());
  }
}

TEST_CASE("sums of a pass do not depend on the number of threads") {
  ConstraintSet set;
  for (int i = 0; i < 3000; ++i)
    set.add(i % 3 == 0 ? ConstraintKind::contact : i % 3 == 1 ? ConstraintKind::contact2d : ConstraintKind::bilateral, 0.3);
  const Vector x = Uniform(8).vector(set.rows());
  ProblemBuilder builder("blocks");
  builder.constraints(set).local(diagonal(Vector::Ones(set.rows())), Vector::Zero(set.rows()));
  const ContactProblem problem = builder.build();
  BlockPass pass(problem);
  const auto sums = [&](int threads) {
    return pass.run<2>(threads, [&](const auto& block) {
      return BlockPass::Sums<2>{block.of(x).sum(), block.of(x).squaredNorm()};
    });
  };
  const auto one = sums(1);
  for (const int threads : {2, 3, 8}) CHECK(std::memcmp(one.data(), sums(threads).data(), sizeof(one)) == 0);
  CHECK(one[0] == Approx(x.sum()));
  CHECK(one[1] == Approx(x.squaredNorm()));
}

TEST_CASE("the best iterate survives those that follow it") {
  Iterates iterates(1);
  std::vector<double> shown{0.0};
  for (int k = 1; k < 20; ++k) {
    iterates.next()[0] = k;
    iterates.accept();
    if (k == 3 || k == 4 || k == 11) iterates.mark_best();
    CHECK(iterates.current()[0] == k);
    CHECK(iterates.previous()[0] == k - 1);
    CHECK(iterates.best()[0] == (k < 3 ? 0 : k < 4 ? 3 : k < 11 ? 4 : 11));
    iterates.next()[0] = -1.0;
  }
}

TEST_CASE("primal_dual: the iterates of (F.15) to (F.18) by hand, in both models") {
  const ContactProblem problem = as_local(random_problem(51, {8, 14, 2, 2, 2}));
  const ConstraintSet& set = problem.constraints();
  const DenseMatrix N(problem.local().N);
  const Vector& r = problem.local().r;
  Vector P(set.rows());
  for (Index i = 0; i < set.count(); ++i)
    P.segment(set.offset(i), set.rows(i))
        .setConstant(static_cast<double>(set.rows(i)) / problem.assembled().diagonal_block(i).trace());
  for (const Model model : {Model::ccp, Model::ncp}) {
    CAPTURE(model_name(model));
    StopRule stop;
    stop.max_iterations = 40;
    stop.tolerance = 0.0;
    MemoryTrace trace;
    const Result result = run(problem, {"primal_dual", model, stop}, &trace);
    const double product = trace.native(0, "step");  // σ τ, with τ = 1 at first
    const DenseMatrix scaled = P.cwiseSqrt().asDiagonal() * N * P.cwiseSqrt().asDiagonal();
    const double largest = Eigen::SelfAdjointEigenSolver<DenseMatrix>(scaled).eigenvalues().maxCoeff();
    CHECK(product * largest == Approx(1.0 / 1.1).epsilon(0.05));
    const auto shifted = [&](const Vector& u) {
      Vector s = Vector::Zero(set.rows());
      if (model == Model::ncp) de_saxce_shift(set, u, s);
      return Vector(u + s);
    };
    Vector gamma = Vector::Zero(set.rows()), u = r, leading = r;
    double tau = 1.0, sigma = product, theta = 1.0 / std::sqrt(3.0);
    int restarts = 0;
    for (int k = 0; k < stop.max_iterations; ++k) {
      const Vector before = gamma, old = u;
      gamma = projected(set, gamma - sigma * P.cwiseProduct(shifted(leading)));
      const Vector own = N * gamma + r;
      const bool uphill = shifted(own).dot(gamma - before) > 0.0;
      u = uphill ? own : Vector((old + tau * own) / (1.0 + tau));
      leading = uphill ? own : Vector(u + theta * (u - old));
      tau = uphill ? 1.0 : theta * tau;
      sigma = uphill ? product : sigma / theta;
      theta = 1.0 / std::sqrt(1.0 + 2.0 * tau);
      restarts += uphill ? 1 : 0;
      REQUIRE(trace.native(static_cast<std::size_t>(k) + 1, "step") == Approx(sigma).epsilon(1e-9));
    }
    CHECK(restarts == trace.native(40, "restarts"));
    CHECK(restarts >= 1);
    REQUIRE(result.iterations == 40);
  }
}

TEST_CASE("primal_dual brings a packing to 1e-4 in both models without a factorisation") {
  const auto scene = make_scene("sphere_press");
  scene->parameters().set("spheres", std::int64_t{60});
  scene->parameters().set("per_side", std::int64_t{5});
  const ContactProblem problem = scene->build(0);
  for (const Model model : {Model::ccp, Model::ncp}) {
    RunSpec spec{"primal_dual", model};
    spec.stop.measure = Measure::natural_map;
    CHECK(iterations_to(problem, spec, 1e-4) < 5000);
    CHECK(run(problem, spec).counters.factorizations == 0);
  }
}
