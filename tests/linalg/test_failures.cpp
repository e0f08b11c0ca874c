#include <catch2/catch.hpp>
#include <limits>
#include <stdexcept>

#include "linalg/matrices.hpp"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#endif

using namespace ccp;
using namespace ccp::testing;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// While it lives, leaks are not reported.
struct LeaksIgnored {
#if defined(__SANITIZE_ADDRESS__)
  __lsan::ScopedDisabler disabler;
#else
  LeaksIgnored() {}
#endif
};

/// 4 × 4: the 2 × 2 matrix in the first and last row and column, ones between.
SparseMatrix bordered(double a, double b, double c, double d) {
  std::vector<Triplet> entries = {{0, 0, a}, {0, 3, b}, {3, 0, c}, {3, 3, d}, {1, 1, 1.0}, {2, 2, 1.0}};
  SparseMatrix matrix(4, 4);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

SparseMatrix regular(MatrixKind kind) {
  return kind == MatrixKind::spd || kind == MatrixKind::unsymmetric ? bordered(2, 1, 1, 2) : bordered(2, 1, 1, -2);
}

/// The failed object refuses to solve, says why, and takes good values of the same pattern.
void check_recoverable(LinearSolver& solver, const SparseMatrix& bad, const SparseMatrix& good) {
  const int analyses = solver.info().analyses;
  CHECK(solver.factorize(bad) == LinearStatus::recoverable);
  CHECK_FALSE(solver.info().message.empty());
  Uniform random(1);
  const Vector rhs = good * random.vector(good.rows());
  Vector x(rhs.size());
  CHECK_THROWS_AS(solver.solve(rhs, x), std::logic_error);
  CHECK(solver.factorize(good) == LinearStatus::ok);
  CHECK(solver.info().message.empty());
  CHECK(solver.solve(rhs, x) == LinearStatus::ok);
  CHECK(relative_residual(good, x, rhs) < 1e-13);
  CHECK(solver.info().analyses == analyses);
}

}  // namespace

TEST_CASE("linear solvers: singular and indefinite matrices are not positive definite") {
  for (const std::string& backend : backends_for(MatrixKind::spd)) {
    CAPTURE(backend);
    const auto solver = make_linear_solver(backend, MatrixKind::spd);
    const SparseMatrix good = regular(MatrixKind::spd);
    REQUIRE(solver->analyze(good) == LinearStatus::ok);
    for (const SparseMatrix& bad : {bordered(1, -1, -1, 1), bordered(1, 0, 0, 0), bordered(0, 0, 0, 0), bordered(1, 2, 2, 1),
                                    bordered(-1, 0, 0, 1), bordered(0, 1, 1, 0)}) {
      CAPTURE(DenseMatrix(bad));
      check_recoverable(*solver, bad, good);
    }
  }
}

TEST_CASE("linear solvers: larger matrices that are not positive definite") {
  for (const std::string& backend : backends_for(MatrixKind::spd))
    for (const std::uint64_t seed : {1, 2, 3}) {
      CAPTURE(backend, seed);
      SparseMatrix bad = sample_matrix(MatrixKind::spd, seed);
      const SparseMatrix good = bad;
      bad.coeffRef(static_cast<Index>(17 * seed), static_cast<Index>(17 * seed)) *= -1;
      const auto solver = make_linear_solver(backend, MatrixKind::spd);
      REQUIRE(solver->analyze(good) == LinearStatus::ok);
      check_recoverable(*solver, bad, good);
    }
}

TEST_CASE("linear solvers: a diagonal entry that is missing") {
  SparseMatrix bad(3, 3);
  bad.insert(0, 0) = 1;
  bad.insert(2, 2) = 1;
  bad.makeCompressed();
  for (const auto& [backend, kind] : all_solver_cases()) {
    if (kind == MatrixKind::indefinite) continue;
    CAPTURE(backend, kind_name(kind));
    const LeaksIgnored mumps_loses_four_bytes_when_it_finds_a_structurally_singular_matrix;
    const auto solver = make_linear_solver(backend, kind);
    REQUIRE(solver->analyze(bad) == LinearStatus::ok);
    CHECK(solver->factorize(bad) == LinearStatus::recoverable);
    const SparseMatrix nothing(3, 3);
    REQUIRE(solver->analyze(nothing) == LinearStatus::ok);
    CHECK(solver->factorize(nothing) == LinearStatus::recoverable);
    REQUIRE(solver->analyze(regular(kind)) == LinearStatus::ok);
    CHECK(solver->factorize(regular(kind)) == LinearStatus::ok);
  }
}

TEST_CASE("linear solvers: a zero pivot where none is allowed") {
  for (const MatrixKind kind : {MatrixKind::quasi_definite, MatrixKind::unsymmetric})
    for (const std::string& backend : backends_for(kind)) {
      CAPTURE(backend, kind_name(kind));
      const auto solver = make_linear_solver(backend, kind);
      REQUIRE(solver->analyze(regular(kind)) == LinearStatus::ok);
      check_recoverable(*solver, bordered(1, 1, 1, 1), regular(kind));
      check_recoverable(*solver, bordered(0, 0, 0, 0), regular(kind));
    }
}

TEST_CASE("linear solvers: entries that are not finite") {
  for (const auto& [backend, kind] : all_solver_cases())
    for (const double value : {not_a_number, infinity, -infinity}) {
      CAPTURE(backend, kind_name(kind), value);
      const SparseMatrix good = regular(kind);
      const auto solver = make_linear_solver(backend, kind);
      REQUIRE(solver->analyze(good) == LinearStatus::ok);
      SparseMatrix diagonal = good, lower = good;
      diagonal.coeffRef(1, 1) = value;
      lower.coeffRef(3, 0) = value;
      check_recoverable(*solver, diagonal, good);
      check_recoverable(*solver, lower, good);

      Vector rhs = Vector::Ones(4), x = Vector::Zero(4);
      rhs[2] = value;
      CHECK(solver->solve(rhs, x) == LinearStatus::recoverable);
      CHECK_FALSE(solver->info().message.empty());
      CHECK(x == Vector::Zero(4));
      CHECK(solver->solve(Vector::Ones(4), x) == LinearStatus::ok);
    }
}

TEST_CASE("linear solvers: an overflow in the solution") {
  for (const auto& [backend, kind] : all_solver_cases()) {
    CAPTURE(backend, kind_name(kind));
    SparseMatrix tiny = regular(kind);
    tiny.coeffRef(1, 1) = 1e-200;
    const auto solver = make_linear_solver(backend, kind);
    REQUIRE(solver->analyze(tiny) == LinearStatus::ok);
    const LinearStatus status = solver->factorize(tiny);
    if (kind == MatrixKind::indefinite && status == LinearStatus::ok && *solver->info().null_pivots == 1) continue;
    REQUIRE(status == LinearStatus::ok);
    Vector x(4);
    CHECK(solver->solve(Vector::Constant(4, 1e200), x) == LinearStatus::recoverable);
    CHECK_FALSE(solver->info().message.empty());
  }
}
