#include <catch2/catch.hpp>

#include "core/error.hpp"
#include "problem/mass_matrix.hpp"
#include "support/small_problems.hpp"
#include "support/uniform.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

SparseMatrix banded(Index n, const std::vector<std::pair<Index, Index>>& couplings) {
  DenseMatrix H = 2.0 * DenseMatrix::Identity(n, n);
  for (const auto& [i, j] : couplings) H(i, j) = H(j, i) = 0.5;
  return sparse(H);
}

}  // namespace

TEST_CASE("bodies are found from the pattern of H") {
  CHECK(find_body_blocks(banded(12, {})).start == std::vector<Index>{0, 6, 12});
  CHECK(find_body_blocks(banded(12, {{0, 5}, {6, 8}})).start == std::vector<Index>{0, 6, 12});
  CHECK(find_body_blocks(banded(9, {{3, 5}})).start == std::vector<Index>{0, 3, 6, 9});
  // A coupling across a multiple of 6: groups of 3 still fit.
  CHECK(find_body_blocks(banded(18, {{0, 2}, {15, 17}})).start == std::vector<Index>{0, 6, 12, 18});
  CHECK(find_body_blocks(banded(12, {{5, 6}})).start == std::vector<Index>{0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12});
  CHECK(find_body_blocks(banded(5, {{1, 4}})).start == std::vector<Index>{0, 1, 5});
  CHECK(find_body_blocks(banded(8, {{0, 7}})).empty());
  CHECK(find_body_blocks(SparseMatrix(0, 0)).empty());
}

TEST_CASE("H is inverted by bodies and by sparse Cholesky alike") {
  Uniform uniform(1);
  for (const bool coupled : {false, true}) {
    RandomShape shape;
    shape.coupled_mass = coupled;
    const ContactProblem problem = random_problem(3, shape);
    const MassMatrix& mass = problem.mass();
    CHECK(mass.block_diagonal() == !coupled);
    const Vector rhs = uniform.vector(mass.size());
    Vector x(mass.size());
    mass.solve(rhs, x);
    CHECK((problem.global().H * x - rhs).norm() <= 1e-14 * rhs.norm() * 10);
    x = rhs;
    mass.solve(x, x);
    CHECK((problem.global().H * x - rhs).norm() <= 1e-14 * rhs.norm() * 10);
  }
}

TEST_CASE("an H that is not positive definite is bad input") {
  for (const Index coupled : {Index{3}, Index{8}}) {
    DenseMatrix H = DenseMatrix::Identity(12, 12);
    H(0, coupled) = H(coupled, 0) = 2.0;
    ProblemBuilder builder;
    builder.global(sparse(H), Vector::Zero(12), SparseMatrix(12, 0), Vector(0));
    CHECK_THROWS_AS(builder.build(), InputError);
  }
}
