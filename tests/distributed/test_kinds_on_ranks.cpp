#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "distributed/job.hpp"
#include "distributed/launch.hpp"
#include "distributed/ranks_solver.hpp"
#include "problem/problem_builder.hpp"
#include "support/environment.hpp"
#include "support/places.hpp"
#include "support/run_solver.hpp"
#include "support/skip.hpp"
#include "support/uniform.hpp"

namespace ccp {
namespace {

using testing::RunSpec;

struct Kinds {
  std::vector<int> bodies;  ///< velocities of each in turn
  std::vector<ConstraintKind> rows;
  double compliance = 0.0;
};

/// Bodies in a row, each bound to the next one by a block; no fewer velocities than rows, so that γ is unique.
ContactProblem chain(const Kinds& kinds) {
  constexpr std::size_t count = 40;
  testing::Uniform random(11);
  std::vector<Triplet> mass, jacobian, compliance;
  std::vector<int> start{0};
  for (std::size_t b = 0; b < count; ++b) {
    const int size = kinds.bodies[b % kinds.bodies.size()];
    const DenseMatrix root = random.matrix(size, size);
    const DenseMatrix body = root * root.transpose() / size + DenseMatrix::Identity(size, size);
    for (int i = 0; i < size; ++i)
      for (int j = 0; j < size; ++j) mass.emplace_back(start.back() + i, start.back() + j, 0.5 * (body(i, j) + body(j, i)));
    start.push_back(start.back() + size);
  }
  ConstraintSet set;
  for (std::size_t b = 0; b + 1 < count; ++b) {
    const ConstraintKind kind = kinds.rows[b % kinds.rows.size()];
    set.add(kind, 0.4, has_moments(kind) ? MomentFriction{0.05, 0.03, 0.5} : MomentFriction{});
    for (Index row = set.offset(std::ssize(set.offsets()) - 2); row < set.rows(); ++row) {
      for (int d = start[b]; d < start[b + 2]; ++d) jacobian.emplace_back(d, static_cast<int>(row), random());
      if (kinds.compliance > 0.0) compliance.emplace_back(row, row, kinds.compliance);
    }
  }
  ProblemBuilder builder("chain");
  builder.global(from_triplets(start.back(), start.back(), mass), random.vector(start.back()),
                 from_triplets(start.back(), set.rows(), jacobian), Vector::Zero(set.rows()));
  builder.constraints(set);
  if (kinds.compliance > 0.0) builder.compliance(from_triplets(set.rows(), set.rows(), compliance));
  return builder.build();
}

/// The impulses of three ranks, and the residuals of their first iterates, which sweeps make in another order. `bits`: those
/// of one rank, too.
void expect_same(const ContactProblem& problem, RunSpec spec, bool bits = false) {
  INFO(spec.solver);
  const bool sweeps = spec.solver == "gauss_seidel" || spec.solver == "nsgs";
  spec.stop = {.tolerance = 1e-10, .max_iterations = 2000};
  testing::MemoryTrace alone_trace, trace;
  const Result alone = testing::run(problem, spec, &alone_trace);
  const Result shared = testing::run(problem, *on_ranks(testing::configured(spec), 3), spec, &trace);
  CHECK(shared.reason == "");
  CHECK(shared.status == Status::solved);
  REQUIRE(alone.status == Status::solved);
  CHECK((shared.impulse - alone.impulse).cwiseAbs().maxCoeff() <= 1e-8 * alone.impulse.cwiseAbs().maxCoeff());
  CHECK(shared.ranks->cut_contacts > 0);
  const std::size_t compared = sweeps ? 1 : std::min<std::size_t>(10, trace.rows.size());
  for (std::size_t row = 0; row < compared; ++row) {
    const double expected = alone_trace.measure(row, Measure::velocity_residual);
    CHECK(std::abs(trace.measure(row, Measure::velocity_residual) - expected) <= 1e-6 * expected + 1e-12);
  }
  if (bits) CHECK(testing::run(problem, *on_ranks(testing::configured(spec), 1), spec).impulse == shared.impulse);
}

}  // namespace

TEST_CASE("ranks take bodies of up to 32 velocities, joints, compliance and moments", "[slow]") {
  const testing::Variable program("CCPBENCH_RANKS_PROGRAM", testing::ranks_file);
  if (!ranks_missing().empty()) return testing::skip(ranks_missing());
  using enum ConstraintKind;
  const std::vector<int> sizes = {6, 12, 3, 32, 9};
  SECTION("contacts, unilateral rows and joints") {
    const ContactProblem rigid = chain({sizes, {contact, unilateral, bilateral, contact, bilateral}});
    for (const char* name : {"jacobi", "spg", "admm"}) expect_same(rigid, {.solver = name});
    expect_same(rigid, {.solver = "apgd"}, true);
    expect_same(rigid, {.solver = "nsgs", .model = Model::ncp});
  }
  SECTION("with compliance") {
    const ContactProblem soft = chain({sizes, {contact, unilateral, bilateral}, 0.01});
    for (const char* name : {"projected_cg", "admm", "gauss_seidel"}) expect_same(soft, {.solver = name});
  }
  SECTION("with moments, and compliance") {
    const ContactProblem rolls = chain({sizes, {contact, rolling, bilateral, torsion, rolling_torsion}, 0.01});
    expect_same(rolls, {.solver = "pqn"}, true);
    for (const char* name : {"p_spg_fb", "apgd"}) expect_same(rolls, {.solver = name});
    expect_same(rolls, {.solver = "nsgs", .model = Model::ncp});
    const auto admm = on_ranks(make_solver("admm"), 3);
    CHECK_THAT(*admm->supports(rolls, Model::ccp), Catch::Matchers::Contains("moments and compliance"));
  }
  SECTION("bodies in the plane") {
    const ContactProblem planar = chain({{3}, {contact2d, rolling2d, bilateral}});
    for (const char* name : {"apgd", "gauss_seidel"}) expect_same(planar, {.solver = name});
  }
}

TEST_CASE("ranks say which problems they do not take") {
  const ContactProblem large = chain({{33, 6}, {ConstraintKind::contact}});
  CHECK_THAT(*rank_problem_defect("apgd", large), Catch::Matchers::Contains("at most 32 velocities"));
  CHECK(!rank_problem_defect("apgd", chain({{32, 6}, {ConstraintKind::contact}})));
  SparseMatrix N(3, 3);
  N.setIdentity();
  const ContactProblem local = ProblemBuilder("local").local(N, Vector::Ones(3)).contact(0.5).build();
  CHECK_THAT(*rank_problem_defect("apgd", local), Catch::Matchers::Contains("global form"));
}

}  // namespace ccp
