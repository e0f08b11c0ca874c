#include <Eigen/LU>
#include <catch2/catch.hpp>
#include <stdexcept>

#include "linalg/matrices.hpp"
#include "linalg/selected_inverse.hpp"
#include "support/elastic_bars.hpp"
#include "support/skip.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

std::unique_ptr<LinearSolver> factorized(const SparseMatrix& matrix) {
  auto solver = make_linear_solver("auto", MatrixKind::spd);
  REQUIRE(solver->analyze(matrix) == LinearStatus::ok);
  REQUIRE(solver->factorize(matrix) == LinearStatus::ok);
  return solver;
}

/// Two copies of a matrix that nothing couples.
SparseMatrix twice(const SparseMatrix& matrix) {
  std::vector<Triplet> entries;
  const auto size = static_cast<int>(matrix.rows());
  for (Index c = 0; c < matrix.cols(); ++c)
    for (SparseMatrix::InnerIterator entry(matrix, c); entry; ++entry)
      for (const int shift : {0, size})
        entries.emplace_back(static_cast<int>(entry.row()) + shift, static_cast<int>(c) + shift, entry.value());
  SparseMatrix result(2 * size, 2 * size);
  result.setFromTriplets(entries.begin(), entries.end());
  return result;
}

}  // namespace

TEST_CASE("selected inverse: the entries of the pattern are those of the inverse") {
  for (const SparseMatrix& matrix :
       {laplacian(1), laplacian(2), laplacian(13), twice(laplacian(7)), ElasticBar({5, 2, 2}).step_matrix(1e3, 1e6, 3e-3)}) {
    const auto solver = factorized(matrix);
    const auto factor = solver->supernodal_factor();
    if (!factor) return skip("no linear solver that shows its factor");
    SelectedInverse inverse(*factor);
    const DenseMatrix dense = DenseMatrix(matrix).inverse();
    std::vector<std::pair<Index, Index>> asked;
    for (Index i = 0; i < matrix.rows(); i += 1 + i % 3)
      for (Index j = 0; j < matrix.cols(); ++j) {
        if (!inverse.coupled(i, j)) CHECK(dense(i, j) == 0.0);
        if (matrix.coeff(i, j) != 0.0) CHECK(inverse.holds(i, j));
        CHECK(inverse.holds(i, j) == inverse.holds(j, i));
        if (!inverse.holds(i, j)) continue;
        CHECK(inverse.ask(i, j) == static_cast<Index>(asked.size()));
        asked.emplace_back(i, j);
      }
    const Vector entries = inverse.entries();
    REQUIRE(entries.size() == static_cast<Index>(asked.size()));
    const double scale = dense.cwiseAbs().maxCoeff();
    for (std::size_t e = 0; e < asked.size(); ++e)
      CHECK(std::abs(entries[static_cast<Index>(e)] - dense(asked[e].first, asked[e].second)) <= 1e-12 * scale);
  }
}

TEST_CASE("selected inverse: uncoupled parts are known, and cost nothing where nothing is asked of them") {
  const SparseMatrix one = laplacian(12), two = twice(one);
  const auto solver = factorized(two), single = factorized(one);
  if (!solver->supernodal_factor()) return skip("no linear solver that shows its factor");
  SelectedInverse inverse(*solver->supernodal_factor());
  CHECK(inverse.coupled(0, 1));
  CHECK_FALSE(inverse.coupled(0, one.rows()));
  CHECK(inverse.operations() == 0.0);
  CHECK(inverse.entries().size() == 0);
  inverse.ask(0, 0);
  const double some = inverse.operations();
  CHECK(some > 0.0);
  for (Index i = 0; i < one.rows(); ++i) inverse.ask(i, i);
  const double half = inverse.operations();
  CHECK(half > some);
  for (Index i = one.rows(); i < two.rows(); ++i) inverse.ask(i, i);
  CHECK(inverse.operations() > 1.5 * half);
}

TEST_CASE("selected inverse: an entry outside the pattern cannot be asked for") {
  const SparseMatrix matrix = laplacian(20);
  const auto solver = factorized(matrix);
  if (!solver->supernodal_factor()) return skip("no linear solver that shows its factor");
  SelectedInverse inverse(*solver->supernodal_factor());
  Index outside = 0;
  for (Index i = 0; i < matrix.rows(); ++i) {
    if (inverse.holds(0, i)) continue;
    ++outside;
    CHECK_THROWS_AS(inverse.ask(0, i), std::logic_error);
  }
  CHECK(outside > 0);
}

TEST_CASE("linear solvers: several columns at once") {
  Uniform random(21);
  for (const auto& [backend, kind] : all_solver_cases())
    for (const int steps : {0, 1}) {
      CAPTURE(backend, kind_name(kind), steps);
      const SparseMatrix matrix = sample_matrix(kind);
      const auto solver = make_linear_solver(backend, kind);
      solver->set_refinement_steps(steps);
      REQUIRE(solver->analyze(matrix) == LinearStatus::ok);
      DenseMatrix X(matrix.rows(), 11);
      CHECK_THROWS_AS(solver->solve_columns(X), std::logic_error);
      REQUIRE(solver->factorize(matrix) == LinearStatus::ok);
      for (Index c = 0; c < X.cols(); ++c) X.col(c) = matrix * random.vector(matrix.rows());
      const DenseMatrix rhs = X;
      REQUIRE(solver->solve_columns(X) == LinearStatus::ok);
      CHECK(solver->info().back_solves == 11 * (1 + steps));
      for (Index c = 0; c < X.cols(); ++c)
        CHECK(relative_residual(matrix, X.col(c), rhs.col(c)) < (steps > 0 ? 1e-14 : 1e-11));
      DenseMatrix none(matrix.rows(), 0), bad = rhs, short_one = rhs.topRows(1);
      CHECK(solver->solve_columns(none) == LinearStatus::ok);
      bad(0, 1) = std::numeric_limits<double>::infinity();
      CHECK(solver->solve_columns(bad) == LinearStatus::recoverable);
      CHECK_THROWS_AS(solver->solve_columns(short_one), std::logic_error);
    }
}
