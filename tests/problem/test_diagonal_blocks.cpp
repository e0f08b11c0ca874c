#include <Eigen/LU>
#include <catch2/catch.hpp>

#include "problem/conversion.hpp"
#include "problem/delassus/diagonal_blocks.hpp"
#include "support/elastic_bars.hpp"
#include "support/small_problems.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

/// N_ii from one solve with H for each column.
Matrix3 block_by_solves(const ContactProblem& problem, Index i) {
  const GlobalForm& form = problem.global();
  const Index rows = problem.constraints().rows(i), offset = problem.constraints().offset(i);
  Matrix3 block = Matrix3::Zero();
  Vector x(form.D.rows());
  for (Index c = 0; c < rows; ++c) {
    x = form.D.col(offset + c);
    problem.mass().solve(x, x);
    for (Index r = 0; r < rows; ++r) block(r, c) = form.D.col(offset + r).dot(x) + form.C.coeff(offset + r, offset + c);
  }
  return block;
}

void check_blocks(const ContactProblem& problem) {
  const auto& blocks = problem.diagonal_blocks();
  REQUIRE(blocks.size() == static_cast<std::size_t>(problem.constraints().count()));
  const Vector diagonal = delassus_diagonal(problem);
  double largest = 0.0;
  for (Index i = 0; i < problem.constraints().count(); ++i) {
    const Matrix3 expected = block_by_solves(problem, i), &block = blocks[static_cast<std::size_t>(i)];
    largest = std::max(largest, (block - expected).cwiseAbs().maxCoeff() / expected.diagonal().maxCoeff());
    const Index rows = problem.constraints().rows(i), offset = problem.constraints().offset(i);
    CHECK((diagonal.segment(offset, rows) - expected.diagonal().head(rows)).cwiseAbs().maxCoeff() <=
          1e-10 * expected.diagonal().maxCoeff());
  }
  CHECK(largest <= 1e-10);
}

/// Columns of D that join nodes far apart in one bar: their entries of H⁻¹ are not in the pattern of the factor.
ContactProblem far_apart() {
  const ElasticBar bar({10, 1, 1});
  const SparseMatrix H = bar.step_matrix(1e3, 1e6, 3e-3);
  std::vector<Triplet> entries;
  int column = 0;
  for (const int i : {0, 3, 5})
    for (int c = 0; c < 3; ++c, ++column) {
      entries.emplace_back(static_cast<int>(3 * bar.node(i, 0, 0) + c), column, 1.0);
      entries.emplace_back(static_cast<int>(3 * bar.node(10 - i / 2, 1, 1) + c), column, -1.0);
    }
  for (int c = 0; c < 3; ++c) entries.emplace_back(static_cast<int>(3 * bar.node(4, 1, 0) + c), column++, 1.0);
  SparseMatrix D(H.rows(), column);
  D.setFromTriplets(entries.begin(), entries.end());
  ProblemBuilder builder("far apart");
  builder.global(H, Vector::Zero(H.rows()), D, Vector::Zero(column));
  for (int i = 0; i < column / 3; ++i) builder.contact(0.3);
  return builder.build();
}

}  // namespace

TEST_CASE("diagonal blocks equal the columns solved for") {
  RandomShape coupled{4, 3, 2, 2, 3};
  coupled.coupled_mass = true;
  RandomShape soft = coupled;
  soft.compliance = true;
  RandomShape whole = soft;
  whole.bodies = 8;  // more dofs than a group of GroupInverse
  for (const RandomShape& shape : {RandomShape{5, 7}, coupled, soft, whole}) check_blocks(random_problem(31, shape));
  check_blocks(elastic_bars({{12, 3, 3}, 1e6}));
  check_blocks(elastic_bars({{6, 2, 2}, 1e6, 1e3, 1e-3, 3}));
  check_blocks(elastic_bars({{6, 2, 2}, 1e6, 1e3, 1e12, 2}));
  check_blocks(far_apart());
}

TEST_CASE("diagonal blocks of stiff bodies are as accurate as columns solved for") {
  // The condition of H is 1e10: neither has more than ten digits less than the sixteen of a double.
  using Quad = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  const ContactProblem problem = elastic_bars({{6, 2, 2}, 2e11});
  const Quad H = DenseMatrix(problem.global().H).cast<long double>(),
             D = DenseMatrix(problem.global().D).cast<long double>();
  const DenseMatrix N = (D.transpose() * H.partialPivLu().solve(D)).cast<double>();
  double worst = 0.0, worst_solved = 0.0;
  for (Index i = 0; i < problem.constraints().count(); ++i) {
    const Matrix3 exact = N.block(3 * i, 3 * i, 3, 3);
    const double scale = exact.diagonal().maxCoeff();
    worst = std::max(worst, (problem.diagonal_blocks()[static_cast<std::size_t>(i)] - exact).cwiseAbs().maxCoeff() / scale);
    worst_solved = std::max(worst_solved, (block_by_solves(problem, i) - exact).cwiseAbs().maxCoeff() / scale);
  }
  CHECK(worst <= 1e-6);
  CHECK(worst <= 10.0 * worst_solved);
}

TEST_CASE("a block that its entries of the inverse give without digits is solved for") {
  // A chain of stiff springs between light masses: each row sees the relative velocity of two, 1e-10 of what each of them
  // has.
  const Index size = 8;
  DenseMatrix H = DenseMatrix::Identity(size, size), D = DenseMatrix::Zero(size, size - 1);
  ProblemBuilder builder("relative velocities");
  for (Index i = 0; i + 1 < size; ++i) {
    H.block(i, i, 2, 2).diagonal().array() += 1e10;
    H(i, i + 1) -= 1e10;
    H(i + 1, i) -= 1e10;
    D(i, i) = 1.0;
    D(i + 1, i) = -1.0;
    builder.unilateral();
  }
  const ContactProblem problem = builder.global(sparse(H), Vector::Zero(size), sparse(D), Vector::Zero(size - 1)).build();
  using Quad = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  const Quad exact =
      D.cast<long double>().transpose() * Quad(H.cast<long double>()).partialPivLu().solve(D.cast<long double>());
  for (Index i = 0; i + 1 < size; ++i)
    CHECK(problem.diagonal_blocks()[static_cast<std::size_t>(i)](0, 0) ==
          Approx(static_cast<double>(exact(i, i))).epsilon(1e-12));
}

TEST_CASE("the sums of absolute values need no N") {
  const ContactProblem problem = elastic_bars({{4, 1, 1}, 1e6, 1e3, 1.0, 2});
  Uniform uniform(32);
  Vector x = uniform.vector(problem.rows()), expected(x.size());
  x.segment(5, 9).setZero();
  problem.assembled().multiply_absolute(x, expected);
  const Vector sums = absolute_product(problem.global(), problem.mass(), x);
  CHECK((sums - expected).cwiseAbs().maxCoeff() <= 1e-12 * expected.maxCoeff());
  CHECK(absolute_product(problem.global(), problem.mass(), Vector::Zero(x.size())) == Vector::Zero(x.size()));
}
