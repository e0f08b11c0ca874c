#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "core/error.hpp"
#include "linalg/matrices.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

Vector solution_of(LinearSolver& solver, const SparseMatrix& matrix, const Vector& rhs) {
  REQUIRE(solver.analyze(matrix) == LinearStatus::ok);
  REQUIRE(solver.factorize(matrix) == LinearStatus::ok);
  Vector x(rhs.size());
  REQUIRE(solver.solve(rhs, x) == LinearStatus::ok);
  return x;
}

}  // namespace

TEST_CASE("linear solvers: one analysis serves many values") {
  for (const auto& [backend, kind] : all_solver_cases()) {
    CAPTURE(backend, kind_name(kind));
    Uniform random(3);
    const SparseMatrix pattern = sample_matrix(kind);
    const auto solver = make_linear_solver(backend, kind);
    solver->set_refinement_steps(1);
    REQUIRE(solver->analyze(pattern) == LinearStatus::ok);
    for (int round = 1; round <= 20; ++round) {
      const SparseMatrix matrix = rescaled(pattern, random);
      const Vector rhs = matrix * random.vector(matrix.rows());
      Vector x(matrix.rows());
      REQUIRE(solver->factorize(matrix) == LinearStatus::ok);
      REQUIRE(solver->solve(rhs, x) == LinearStatus::ok);
      CHECK(relative_residual(matrix, x, rhs) < 1e-14);
      CHECK(solver->info().factorizations == round);
    }
    CHECK(solver->info().analyses == 1);
    CHECK(solver->info().analysis_s > 0.0);
    CHECK(solver->info().factorization_s > 0.0);
    CHECK(solver->info().back_solve_s > 0.0);
    CHECK(solver->info().back_solves == 40);
    CHECK(solver->info().refinements == 20);
    CHECK(solver->info().size == pattern.rows());
    CHECK(solver->info().nonzeros == pattern.nonZeros());
    CHECK(solver->backend() == backend);
    CHECK(solver->kind() == kind);
  }
}

TEST_CASE("linear solvers: operations of factorisations and back-solves are counted") {
  constexpr int n = 12;
  const SparseMatrix dense = (DenseMatrix::Ones(n, n) + n * DenseMatrix::Identity(n, n)).sparseView();
  for (const auto& [backend, kind] : all_solver_cases()) {
    CAPTURE(backend, kind_name(kind));
    const auto solver = make_linear_solver(backend, kind);
    solution_of(*solver, dense, Vector::Ones(n));
    const LinearInfo& info = solver->info();
    CHECK(std::isnan(info.flops) == (backend == "eigen_lu"));
    if (backend == "eigen_lu") continue;
    const double of_solve = (kind == MatrixKind::unsymmetric ? 2.0 : 4.0) * static_cast<double>(info.factor_nonzeros);
    CHECK(info.flops == info.factorization_flops + of_solve);
    if (backend == "mumps")  // counts in its own way, some of both triangles
      CHECK((info.factorization_flops > n * n * n / 6.0 && info.factorization_flops < 2.0 * n * n * n));
    else
      CHECK(info.factorization_flops == n * (n + 1) * (2 * n + 1) / 6.0);  // squares of the columns of L
    REQUIRE(solver->factorize(dense) == LinearStatus::ok);
    CHECK(info.flops == 2.0 * info.factorization_flops + of_solve);
  }
}

TEST_CASE("linear solvers: the values given to analyze do not matter") {
  for (const auto& [backend, kind] : all_solver_cases()) {
    CAPTURE(backend, kind_name(kind));
    const SparseMatrix matrix = sample_matrix(kind);
    SparseMatrix pattern = matrix;
    pattern.coeffs().setConstant(std::numeric_limits<double>::quiet_NaN());
    Uniform random(4);
    const Vector rhs = random.vector(matrix.rows());
    const auto solver = make_linear_solver(backend, kind), other = make_linear_solver(backend, kind);
    REQUIRE(solver->analyze(pattern) == LinearStatus::ok);
    REQUIRE(solver->factorize(matrix) == LinearStatus::ok);
    Vector x(rhs.size());
    REQUIRE(solver->solve(rhs, x) == LinearStatus::ok);
    CHECK(x == solution_of(*other, matrix, rhs));
  }
}

TEST_CASE("linear solvers: the same object analyses another pattern") {
  for (const auto& [backend, kind] : all_solver_cases()) {
    CAPTURE(backend, kind_name(kind));
    Uniform random(5);
    const SparseMatrix first = sample_matrix(kind, 1), second = laplacian(9);
    const auto solver = make_linear_solver(backend, kind), fresh = make_linear_solver(backend, kind);
    solution_of(*solver, first, random.vector(first.rows()));
    const Vector rhs = random.vector(second.rows());
    CHECK(solution_of(*solver, second, rhs) == solution_of(*fresh, second, rhs));
    CHECK(solver->info().analyses == 2);
    CHECK(solver->info().size == 81);
  }
}

TEST_CASE("linear solvers: several objects at once do not disturb each other") {
  std::vector<std::unique_ptr<LinearSolver>> solvers;
  std::vector<SparseMatrix> matrices;
  for (const auto& [backend, kind] : all_solver_cases())
    for (const std::uint64_t seed : {1, 2}) {
      solvers.push_back(make_linear_solver(backend, kind));
      matrices.push_back(sample_matrix(kind, seed));
      REQUIRE(solvers.back()->analyze(matrices.back()) == LinearStatus::ok);
    }
  for (std::size_t i = 0; i < solvers.size(); ++i) REQUIRE(solvers[i]->factorize(matrices[i]) == LinearStatus::ok);
  Uniform random(6);
  solvers.front().reset();
  for (std::size_t i = 1; i < solvers.size(); ++i) {
    CAPTURE(solvers[i]->backend(), kind_name(solvers[i]->kind()));
    const Vector rhs = matrices[i] * random.vector(matrices[i].rows());
    Vector x(rhs.size());
    REQUIRE(solvers[i]->solve(rhs, x) == LinearStatus::ok);
    CHECK(relative_residual(matrices[i], x, rhs) < 1e-11);
  }
}

TEST_CASE("linear solvers: only the lower triangle of the symmetric kinds is read") {
  for (const auto& [backend, kind] : all_solver_cases()) {
    if (kind == MatrixKind::unsymmetric) continue;
    CAPTURE(backend, kind_name(kind));
    Uniform random(8);
    const SparseMatrix full = sample_matrix(kind);
    const SparseMatrix lower = full.triangularView<Eigen::Lower>();
    SparseMatrix garbage = full;
    for (Index column = 0; column < garbage.cols(); ++column)
      for (SparseMatrix::InnerIterator it(garbage, column); it; ++it)
        if (it.row() < column) it.valueRef() = column % 2 ? std::numeric_limits<double>::quiet_NaN() : 1e6;
    REQUIRE(lower.nonZeros() < full.nonZeros());
    const Vector rhs = full * random.vector(full.rows());
    std::vector<Vector> solutions;
    for (const SparseMatrix& given : {full, lower, garbage}) {
      const auto solver = make_linear_solver(backend, kind);
      solver->set_refinement_steps(1);  // the residual, too, must not read it
      solutions.push_back(solution_of(*solver, given, rhs));
    }
    CHECK(relative_residual(full, solutions[0], rhs) < 1e-13);
    CHECK(solutions[1] == solutions[0]);
    CHECK(solutions[2] == solutions[0]);
  }
}

TEST_CASE("linear solvers: matrices that are not compressed") {
  for (const auto& [backend, kind] : all_solver_cases()) {
    CAPTURE(backend, kind_name(kind));
    Uniform random(9);
    const SparseMatrix matrix = sample_matrix(kind);
    SparseMatrix loose = matrix;
    loose.uncompress();
    loose.reserve(Eigen::VectorXi::Constant(loose.cols(), 3));
    const Vector rhs = random.vector(matrix.rows());
    const auto solver = make_linear_solver(backend, kind), other = make_linear_solver(backend, kind);
    CHECK(solution_of(*solver, loose, rhs) == solution_of(*other, matrix, rhs));
    CHECK(solver->factorize(matrix) == LinearStatus::ok);
  }
}

TEST_CASE("linear solvers: right-hand side and solution in one vector") {
  for (const auto& [backend, kind] : all_solver_cases())
    for (const int steps : {0, 1}) {
      CAPTURE(backend, kind_name(kind), steps);
      Uniform random(10);
      const SparseMatrix matrix = sample_matrix(kind);
      const Vector rhs = random.vector(matrix.rows());
      const auto solver = make_linear_solver(backend, kind);
      solver->set_refinement_steps(steps);
      const Vector expected = solution_of(*solver, matrix, rhs);
      Vector in_place = rhs;
      REQUIRE(solver->solve(in_place, in_place) == LinearStatus::ok);
      CHECK(in_place == expected);
      DenseMatrix columns(matrix.rows(), 2);  // a part of something larger
      columns.col(1) = rhs;
      REQUIRE(solver->solve(columns.col(1), columns.col(1)) == LinearStatus::ok);
      CHECK(columns.col(1) == expected);
    }
}

TEST_CASE("linear solvers: refinement improves") {
  Uniform random(12);
  const SparseMatrix masses = body_masses(40, random), joints = random_joints(40, 400, random);
  const SparseMatrix matrix = saddle_matrix(masses, joints, 1e-8 * mean_delassus_diagonal(masses, joints));
  const Vector rhs = matrix * random.vector(matrix.rows());
  for (const std::string& backend : backends_for(MatrixKind::quasi_definite)) {
    CAPTURE(backend);
    const auto solver = make_linear_solver(backend, MatrixKind::quasi_definite);
    CHECK(solver->refinement_steps() == 0);
    const double plain = relative_residual(matrix, solution_of(*solver, matrix, rhs), rhs);
    solver->set_refinement_steps(1);
    const double refined = relative_residual(matrix, solution_of(*solver, matrix, rhs), rhs);
    CHECK(plain > 1e-12);
    CHECK(refined < 1e-3 * plain);
  }
}

TEST_CASE("linear solvers: calls out of order are programmer errors") {
  for (const auto& [backend, kind] : all_solver_cases()) {
    CAPTURE(backend, kind_name(kind));
    const SparseMatrix matrix = sample_matrix(kind);
    Vector x = Vector::Ones(matrix.rows());
    const auto solver = make_linear_solver(backend, kind);
    CHECK_THROWS_AS(solver->factorize(matrix), std::logic_error);
    CHECK_THROWS_AS(solver->solve(x, x), std::logic_error);
    REQUIRE(solver->analyze(matrix) == LinearStatus::ok);
    CHECK_THROWS_AS(solver->solve(x, x), std::logic_error);
    REQUIRE(solver->factorize(matrix) == LinearStatus::ok);
    CHECK(solver->solve(x, x) == LinearStatus::ok);
    REQUIRE(solver->analyze(matrix) == LinearStatus::ok);
    CHECK_THROWS_AS(solver->solve(x, x), std::logic_error);
  }
}

TEST_CASE("linear solvers: shapes and patterns that do not fit are programmer errors") {
  for (const auto& [backend, kind] : all_solver_cases()) {
    CAPTURE(backend, kind_name(kind));
    const SparseMatrix matrix = sample_matrix(kind);
    const auto solver = make_linear_solver(backend, kind);
    CHECK_THROWS_AS(solver->analyze(SparseMatrix(3, 4)), std::logic_error);
    REQUIRE(solver->analyze(matrix) == LinearStatus::ok);
    CHECK_THROWS_AS(solver->factorize(laplacian(3)), std::logic_error);
    const SparseMatrix lower = matrix.triangularView<Eigen::Lower>();
    CHECK_THROWS_AS(solver->factorize(lower), std::logic_error);
    // The same numbers of rows and entries, one entry elsewhere.
    SparseMatrix moved = matrix;
    Index column = 0;
    while (moved.innerIndexPtr()[moved.outerIndexPtr()[column + 1] - 1] == moved.rows() - 1) ++column;
    ++moved.innerIndexPtr()[moved.outerIndexPtr()[column + 1] - 1];
    CHECK_THROWS_AS(solver->factorize(moved), std::logic_error);
    REQUIRE(solver->factorize(matrix) == LinearStatus::ok);
    Vector x(matrix.rows()), short_one(matrix.rows() - 1);
    CHECK_THROWS_AS(solver->solve(short_one, x), std::logic_error);
    CHECK_THROWS_AS(solver->solve(x, short_one), std::logic_error);
  }
}

TEST_CASE("linear solvers: names, kinds and the automatic choice") {
  const std::vector<std::string> names = linear_solver_names();
  CHECK(names.front() == "mumps");
  const bool with_cholmod = std::find(names.begin(), names.end(), "cholmod") != names.end();
  CHECK(make_linear_solver("auto", MatrixKind::spd)->backend() == (with_cholmod ? "cholmod" : "mumps"));
  for (const MatrixKind kind : {MatrixKind::quasi_definite, MatrixKind::indefinite, MatrixKind::unsymmetric}) {
    CHECK(make_linear_solver("auto", kind)->backend() == "mumps");
    CHECK(linear_solver_supports("auto", kind));
  }
  CHECK(linear_solver_supports("eigen_ldlt", MatrixKind::quasi_definite));
  CHECK_FALSE(linear_solver_supports("eigen_ldlt", MatrixKind::indefinite));
  CHECK_FALSE(linear_solver_supports("eigen_lu", MatrixKind::spd));
  CHECK_FALSE(linear_solver_supports("nothing", MatrixKind::spd));
}

TEST_CASE("linear solvers: unknown names and kinds not taken") {
  using Catch::Contains;
  CHECK_THROWS_AS(make_linear_solver("mumsp", MatrixKind::spd), InputError);
  CHECK_THROWS_WITH(make_linear_solver("mumsp", MatrixKind::spd), Contains("'mumsp'") && Contains("did you mean 'mumps'?"));
  CHECK_THROWS_WITH(make_linear_solver("pardiso-64", MatrixKind::spd), Contains("known: mumps") && Contains("auto"));
  CHECK_THROWS_AS(make_linear_solver("eigen_lu", MatrixKind::spd), InputError);
  CHECK_THROWS_WITH(make_linear_solver("eigen_ldlt", MatrixKind::indefinite),
                    Contains("'eigen_ldlt' does not take indefinite matrices") && Contains("those that do: mumps"));
}
