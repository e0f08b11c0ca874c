#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "linalg/matrices.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

struct Solved {
  double residual, refined_residual;  // relative, without and with one refinement step
  Vector x;                           // refined
  LinearInfo info;
};

/// b = A y with y random in [-1, 1): consistent, and the size of x known.
Solved solve_with(const std::string& backend, MatrixKind kind, const SparseMatrix& matrix, std::uint64_t seed = 7) {
  Uniform random(seed);
  const Vector rhs = matrix * random.vector(matrix.rows());
  const auto solver = make_linear_solver(backend, kind);
  REQUIRE(solver->analyze(matrix) == LinearStatus::ok);
  REQUIRE(solver->factorize(matrix) == LinearStatus::ok);
  Solved solved;
  solved.x.resize(matrix.rows());
  REQUIRE(solver->solve(rhs, solved.x) == LinearStatus::ok);
  solved.residual = relative_residual(matrix, solved.x, rhs);
  solver->set_refinement_steps(1);
  REQUIRE(solver->solve(rhs, solved.x) == LinearStatus::ok);
  solved.refined_residual = relative_residual(matrix, solved.x, rhs);
  solved.info = solver->info();
  return solved;
}

SparseMatrix one_by_one(double value) {
  SparseMatrix matrix(1, 1);
  matrix.insert(0, 0) = value;
  matrix.makeCompressed();
  return matrix;
}

/// More joint rows than velocities: DᵀH⁻¹D is singular, and ρ alone keeps the saddle matrix regular.
struct Saddle {
  SparseMatrix masses, joints;
  double scale;
  Saddle(Index bodies, Index columns, std::uint64_t seed) {
    Uniform random(seed);
    masses = body_masses(bodies, random);
    joints = random_joints(bodies, columns, random);
    scale = mean_delassus_diagonal(masses, joints);
  }
};

}  // namespace

TEST_CASE("linear solvers: no rows and one row") {
  for (const auto& [backend, kind] : all_solver_cases()) {
    CAPTURE(backend, kind_name(kind));
    const auto solver = make_linear_solver(backend, kind);
    solver->set_refinement_steps(1);
    const SparseMatrix empty(0, 0);
    Vector nothing(0);
    CHECK(solver->analyze(empty) == LinearStatus::ok);
    CHECK(solver->factorize(empty) == LinearStatus::ok);
    CHECK(solver->solve(nothing, nothing) == LinearStatus::ok);
    CHECK(solver->info().negative_pivots == Index{0});

    const bool positive = kind == MatrixKind::spd;
    CHECK(solver->analyze(one_by_one(1)) == LinearStatus::ok);
    CHECK(solver->factorize(one_by_one(positive ? 4 : -4)) == LinearStatus::ok);
    Vector x(1);
    CHECK(solver->solve(Vector::Constant(1, 8), x) == LinearStatus::ok);
    CHECK(x[0] == Approx(positive ? 2 : -2).epsilon(1e-15));
  }
}

TEST_CASE("linear solvers: positive definite") {
  Uniform random(11);
  std::vector<SparseMatrix> matrices = {laplacian(2), laplacian(20)};
  for (const Index size : {2, 10, 300}) matrices.push_back(random_spd(size, random));
  for (const std::string& backend : backends_for(MatrixKind::spd))
    for (const SparseMatrix& matrix : matrices) {
      CAPTURE(backend, matrix.rows());
      const Solved solved = solve_with(backend, MatrixKind::spd, matrix);
      CHECK(solved.residual < 2e-15);
      CHECK(solved.refined_residual < 1e-15);
      CHECK(solved.info.negative_pivots == Index{0});
      CHECK(solved.info.factor_nonzeros >= matrix.rows());
    }
}

TEST_CASE("linear solvers: the discrete Laplacian's eigenvector comes back") {
  // Independent of any residual of ours: A e = λ e with e = sin(πi/(n+1)) sin(πj/(n+1)), λ = 4 − 4 cos(π/(n+1)).
  const Index side = 15;
  const double angle = static_cast<double>(EIGEN_PI) / static_cast<double>(side + 1);
  Vector mode(side * side);
  for (Index i = 0; i < side; ++i)
    for (Index j = 0; j < side; ++j)
      mode[i * side + j] = std::sin(angle * static_cast<double>(i + 1)) * std::sin(angle * static_cast<double>(j + 1));
  for (const auto& [backend, kind] : all_solver_cases()) {
    CAPTURE(backend, kind_name(kind));
    const auto solver = make_linear_solver(backend, kind);
    REQUIRE(solver->analyze(laplacian(side)) == LinearStatus::ok);
    REQUIRE(solver->factorize(laplacian(side)) == LinearStatus::ok);
    Vector x(mode.size());
    REQUIRE(solver->solve((4 - 4 * std::cos(angle)) * mode, x) == LinearStatus::ok);
    CHECK((x - mode).lpNorm<Eigen::Infinity>() < 1e-13);
  }
}

TEST_CASE("linear solvers: quasi-definite down to a relative ρ of 1e-9") {
  const std::vector<Saddle> saddles = {{1, 1, 21}, {2, 5, 22}, {40, 120, 23}, {40, 400, 24}};
  for (const std::string& backend : backends_for(MatrixKind::quasi_definite))
    for (const Saddle& saddle : saddles)
      for (const double relative_rho : {1.0, 1e-2, 1e-4, 1e-6, 1e-8, 1e-9}) {
        CAPTURE(backend, saddle.joints.cols(), relative_rho);
        const SparseMatrix matrix = saddle_matrix(saddle.masses, saddle.joints, relative_rho * saddle.scale);
        const Solved solved = solve_with(backend, MatrixKind::quasi_definite, matrix);
        // Without pivoting the first solution loses digits as 1/ρ; one step in the original matrix brings them back.
        CHECK(solved.residual < std::max(4e-15, 4e-17 / relative_rho));
        CHECK(solved.refined_residual < 1e-15);
        CHECK(solved.info.negative_pivots == saddle.joints.cols());
      }
}

TEST_CASE("linear solvers: indefinite, zero lower block") {
  const std::vector<Saddle> saddles = {{1, 1, 31}, {2, 5, 32}, {40, 120, 33}, {40, 200, 34}};
  for (const std::string& backend : backends_for(MatrixKind::indefinite))
    for (const Saddle& saddle : saddles) {
      CAPTURE(backend, saddle.joints.cols());
      const Solved solved = solve_with(backend, MatrixKind::indefinite, saddle_matrix(saddle.masses, saddle.joints, 0));
      // 1e-15 to 2e-14 over right-hand sides and the BLAS kernels of different processors; refinement is what callers rely
      // on.
      CHECK(solved.residual < 1e-13);
      CHECK(solved.refined_residual < 1e-15);
      CHECK(solved.info.negative_pivots == saddle.joints.cols());
      CHECK(solved.info.null_pivots == Index{0});
    }
}

TEST_CASE("linear solvers: redundant rows, consistent right-hand side") {
  const std::vector<Saddle> saddles = {{1, 1, 41}, {2, 5, 42}, {40, 20, 43}, {40, 120, 44}};
  for (const std::string& backend : backends_for(MatrixKind::indefinite))
    for (const Saddle& saddle : saddles) {
      CAPTURE(backend, saddle.joints.cols());
      const Index n = saddle.masses.rows(), rank = saddle.joints.cols();
      const SparseMatrix regular = saddle_matrix(saddle.masses, saddle.joints, 0);
      const SparseMatrix deficient = saddle_matrix(saddle.masses, with_redundant_copies(saddle.joints), 0);
      const Solved solved = solve_with(backend, MatrixKind::indefinite, deficient);
      CHECK(solved.residual < 1e-14);
      CHECK(solved.refined_residual < 1e-15);
      CHECK(solved.info.negative_pivots == rank);
      CHECK(solved.info.null_pivots == rank);

      // The velocities do not depend on which of the redundant rows carries the load.
      Uniform random(7);
      const Vector y = random.vector(deficient.rows());
      const Vector rhs = (deficient * y).head(n + rank);
      Vector x(n + rank);
      const auto solver = make_linear_solver(backend, MatrixKind::indefinite);
      REQUIRE(solver->analyze(regular) == LinearStatus::ok);
      REQUIRE(solver->factorize(regular) == LinearStatus::ok);
      REQUIRE(solver->solve(rhs, x) == LinearStatus::ok);
      CHECK((x - solved.x.head(n + rank)).head(n).lpNorm<Eigen::Infinity>() < 1e-11);
    }
}

TEST_CASE("linear solvers: more joint rows than velocities") {
  const Saddle saddle(40, 400, 51);
  for (const std::string& backend : backends_for(MatrixKind::indefinite)) {
    CAPTURE(backend);
    const Solved solved = solve_with(backend, MatrixKind::indefinite, saddle_matrix(saddle.masses, saddle.joints, 0));
    CHECK(solved.refined_residual < 1e-15);
    CHECK(solved.x.lpNorm<Eigen::Infinity>() < 1e4);
    CHECK(*solved.info.null_pivots > 100);  // of 160: rounding hides the rest
    CHECK(*solved.info.null_pivots <= 160);
  }
}

TEST_CASE("linear solvers: rows and columns that are all zero in an indefinite system") {
  Uniform random(61);
  const SparseMatrix masses = body_masses(5, random);
  for (const std::string& backend : backends_for(MatrixKind::indefinite)) {
    CAPTURE(backend);
    const Solved solved = solve_with(backend, MatrixKind::indefinite, saddle_matrix(masses, SparseMatrix(30, 3), 0));
    CHECK(solved.refined_residual < 1e-15);
    CHECK(solved.info.null_pivots == Index{3});

    const auto solver = make_linear_solver(backend, MatrixKind::indefinite);
    const SparseMatrix zero(4, 4);
    Vector x(4);
    CHECK(solver->analyze(zero) == LinearStatus::ok);
    CHECK(solver->factorize(zero) == LinearStatus::ok);
    CHECK(solver->solve(Vector::Zero(4), x) == LinearStatus::ok);
    CHECK(x == Vector::Zero(4));
    CHECK(solver->info().null_pivots == Index{4});
  }
}

TEST_CASE("linear solvers: pivoting that outgrows the workspace of the analysis") {
  const Saddle saddle(100, 1000, 71);
  const SparseMatrix matrix = saddle_matrix(saddle.masses, saddle.joints, 1e-9 * saddle.scale);
  for (const std::string& backend : backends_for(MatrixKind::indefinite)) {
    if (!linear_solver_supports(backend, MatrixKind::quasi_definite)) continue;
    CAPTURE(backend);
    const Solved pivoting = solve_with(backend, MatrixKind::indefinite, matrix);
    const Solved static_order = solve_with(backend, MatrixKind::quasi_definite, matrix);
    CHECK(pivoting.refined_residual < 1e-15);
    CHECK(pivoting.info.factor_nonzeros > 3 * static_order.info.factor_nonzeros);
    CHECK(pivoting.info.factorizations == 1);
  }
}

TEST_CASE("linear solvers: unsymmetric") {
  Uniform random(81);
  for (const Index size : {2, 3, 10, 300}) {
    const SparseMatrix matrix = random_unsymmetric(size, random);
    for (const std::string& backend : backends_for(MatrixKind::unsymmetric)) {
      CAPTURE(backend, size);
      const Solved solved = solve_with(backend, MatrixKind::unsymmetric, matrix);
      CHECK(solved.residual < 1e-11);
      CHECK(solved.refined_residual < 1e-15);
      CHECK(solved.info.factor_nonzeros >= size);
    }
  }
}

TEST_CASE("linear solvers: unsymmetric with a strong diagonal, like a mass matrix with gyroscopic forces") {
  Uniform random(82);
  const SparseMatrix skew_part = random_unsymmetric(300, random), symmetric_part = random_spd(300, random);
  const SparseMatrix matrix = symmetric_part + 0.1 * (skew_part - SparseMatrix(skew_part.transpose()));
  for (const std::string& backend : backends_for(MatrixKind::unsymmetric)) {
    CAPTURE(backend);
    const Solved solved = solve_with(backend, MatrixKind::unsymmetric, matrix);
    CHECK(solved.residual < 1e-14);
    CHECK(solved.refined_residual < 1e-15);
  }
}

TEST_CASE("linear solvers: big enough for the other ordering") {
  const SparseMatrix matrix = laplacian_cube(25);  // 1.7e9 flops with AMD: above where MUMPS is told to order by itself
  for (const std::string& backend : backends_for(MatrixKind::spd)) {
    CAPTURE(backend);
    const Solved solved = solve_with(backend, MatrixKind::spd, matrix);
    CHECK(solved.refined_residual < 1e-15);
    CHECK(solved.info.analyses == 1);
  }
}
