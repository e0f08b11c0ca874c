#include <Eigen/QR>
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>

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

/// Dense positive definite blocks on the diagonal, with eigenvalues of 1 to `condition`.
SparseMatrix grouped_mass(Uniform& uniform, const std::vector<Index>& sizes, double condition) {
  const Index n = std::accumulate(sizes.begin(), sizes.end(), Index{0});
  DenseMatrix H = DenseMatrix::Zero(n, n);
  Index first = 0;
  for (const Index size : sizes) {
    DenseMatrix A(size, size);
    for (Index j = 0; j < size; ++j) A.col(j) = uniform.vector(size);
    const DenseMatrix Q = A.householderQr().householderQ();
    Vector eigenvalues(size);
    for (Index i = 0; i < size; ++i)
      eigenvalues[i] = std::pow(condition, static_cast<double>(i) / static_cast<double>(std::max(size - 1, Index{1})));
    const DenseMatrix block = Q * eigenvalues.asDiagonal() * Q.transpose();
    H.block(first, first, size, size) = 0.5 * (block + block.transpose());
    first += size;
  }
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
    shape.bodies = 8;  // 48 dofs, more than a group of GroupInverse
    shape.coupled_mass = coupled;
    const ContactProblem problem = random_problem(3, shape);
    const MassMatrix& mass = problem.mass();
    CHECK(mass.block_diagonal() == !coupled);
    CHECK(mass.groups().empty() == coupled);
    const Vector rhs = uniform.vector(mass.size());
    Vector x(mass.size());
    mass.solve(rhs, x);
    CHECK((problem.global().H * x - rhs).norm() <= 1e-14 * rhs.norm() * 10);
    x = rhs;
    mass.solve(x, x);
    CHECK((problem.global().H * x - rhs).norm() <= 1e-14 * rhs.norm() * 10);
  }
}

TEST_CASE("H is inverted by groups of dofs as a sparse factorisation inverts it") {
  const double stiff = 1e8;
  Uniform uniform(5);
  const SparseMatrix H = grouped_mass(uniform, {12, 7, 1, 24, 3, 32}, stiff);
  const MassMatrix mass(H);
  CHECK(!mass.block_diagonal());
  CHECK(mass.groups().start == std::vector<Index>{0, 12, 19, 20, 44, 47, 79});
  CHECK(mass.factor_nonzeros() == 12 * 12 + 7 * 7 + 1 + 24 * 24 + 3 * 3 + 32 * 32);
  CHECK(!mass.factor());
  const auto factor = make_linear_solver("auto", MatrixKind::spd);
  factor->set_refinement_steps(1);
  REQUIRE(factor->analyze(H) == LinearStatus::ok);
  REQUIRE(factor->factorize(H) == LinearStatus::ok);
  DenseMatrix columns(mass.size(), 3), solutions(mass.size(), 3);
  for (Index c = 0; c < 3; ++c) {
    const Vector rhs = H * uniform.vector(mass.size());
    Vector x(mass.size()), expected(mass.size());
    REQUIRE(factor->solve(rhs, expected) == LinearStatus::ok);
    mass.solve(rhs, x);
    CHECK((x - expected).norm() <= 1e-15 * stiff * expected.norm());
    // Without its step of refinement: 1e-10 to 1e-9.
    CHECK((H * x - rhs).norm() <= 1e-14 * rhs.norm());
    columns.col(c) = rhs;
    solutions.col(c) = x;
  }
  mass.solve_columns(columns);
  CHECK(columns == solutions);
  // One dof more, and H is factorised as a whole.
  const MassMatrix whole(grouped_mass(uniform, {12, 33}, stiff));
  CHECK(whole.groups().empty());
  CHECK(whole.factor_nonzeros() > 0);
}

TEST_CASE("an H that is not positive definite is bad input") {
  for (const Index size : {Index{12}, Index{40}})
    for (const Index coupled : {Index{3}, size - 1}) {
      DenseMatrix H = DenseMatrix::Identity(size, size);
      H(0, coupled) = H(coupled, 0) = 2.0;
      ProblemBuilder builder;
      builder.global(sparse(H), Vector::Zero(size), SparseMatrix(size, 0), Vector(0));
      CHECK_THROWS_AS(builder.build(), InputError);
    }
}
