#include <catch2/catch.hpp>

#include "problem/problem_part.hpp"
#include "support/small_problems.hpp"
#include "support/uniform.hpp"

using namespace ccp;
using namespace ccp::testing;

TEST_CASE("a part of a problem is the whole with bodies held and constraints gone") {
  RandomShape shape{5, 4, 2, 2, 1};
  const ContactProblem whole = random_problem(11, shape);
  const ConstraintSet& set = whole.constraints();
  Uniform uniform(3);
  const Vector k = uniform.vector(whole.dofs()), b = uniform.vector(whole.rows());
  const std::vector<char> bodies{1, 0, 1, 1, 0};
  std::vector<char> blocks(static_cast<std::size_t>(set.count()), 1);
  blocks[1] = blocks[5] = 0;
  const ProblemPart part = part_of(whole, bodies, blocks, k, b);
  REQUIRE(part.problem.dofs() == 18);
  REQUIRE(part.problem.constraints().count() == set.count() - 2);

  Vector impulse = uniform.vector(whole.rows()), own, back = Vector::Zero(whole.rows());
  for (const Index gone : {1, 5}) impulse.segment(set.offset(gone), set.rows(gone)).setZero();
  part.gather(set, impulse, own);
  part.scatter(set, own, back);
  CHECK(back == impulse);

  // v of the whole with the other bodies at v = 0, and u = Dᵀv + b.
  const DenseMatrix H = whole.global().H, D = whole.global().D;
  Vector v = H.ldlt().solve(k + D * impulse);
  for (const Index held : {1, 4}) v.segment(6 * held, 6).setZero();
  const Vector u = D.transpose() * v + b;
  Vector own_v, own_u, expected;
  part.problem.local_velocity(own, own_v, own_u);
  part.gather(set, u, expected);
  CHECK((own_u - expected).norm() <= 1e-12 * expected.norm());
  for (std::size_t i = 0; i < part.blocks.size(); ++i) {
    CHECK(part.problem.constraints().kind(static_cast<Index>(i)) == set.kind(part.blocks[i]));
    CHECK(part.problem.constraints().friction(static_cast<Index>(i)) == set.friction(part.blocks[i]));
  }

  RandomShape soft = shape;
  soft.compliance = true;
  const ContactProblem compliant = random_problem(11, soft);
  CHECK_THROWS_AS(part_of(compliant, bodies, blocks, k, b), std::logic_error);
}
