#include <Eigen/LU>
#include <catch2/catch.hpp>
#include <stdexcept>
#include <vector>

#include "linalg/gmres.hpp"
#include "support/small_problems.hpp"
#include "support/uniform.hpp"

using namespace ccp;
using ccp::testing::Uniform;

namespace {

Gmres::Operator times(const DenseMatrix& matrix) {
  return [&matrix](const Vector& x, Vector& y) { y.noalias() = matrix * x; };
}

const Gmres::Operator same = [](const Vector& x, Vector& y) { y = x; };

}  // namespace

TEST_CASE("GMRES solves an unsymmetric system in at most as many products as rows", "[linalg]") {
  Uniform uniform(3);
  const DenseMatrix A = uniform.matrix(15, 15) + 2.0 * DenseMatrix::Identity(15, 15);
  const Vector b = uniform.vector(15);
  Gmres gmres(15, 20);
  Vector x;
  const Gmres::Result result = gmres.solve(times(A), same, b, x, 1e-11, 100);
  CHECK(result.converged);
  CHECK(result.products <= 15);
  CHECK((b - A * x).norm() <= 1e-10);
}

TEST_CASE("the residual of GMRES is the true one, with a preconditioner and across restarts", "[linalg]") {
  Uniform uniform(4);
  const DenseMatrix A = uniform.matrix(30, 30) + 6.0 * DenseMatrix::Identity(30, 30);
  const DenseMatrix M = Vector(A.diagonal().cwiseInverse()).asDiagonal();
  const Vector b = uniform.vector(30);
  Gmres gmres(30, 4);
  Vector x;
  double last = b.norm();
  for (const int limit : {1, 3, 4, 6, 20, 60}) {
    const Gmres::Result result = gmres.solve(times(A), times(M), b, x, 1e-13, limit);
    CAPTURE(limit);
    CHECK(result.products <= limit);
    CHECK(result.residual == Approx((b - A * x).norm()).epsilon(1e-6).margin(1e-13));
    CHECK(result.residual <= last * (1.0 + 1e-12));
    last = result.residual;
  }
  CHECK(gmres.solve(times(A), times(M), b, x, 1e-12, 1000).converged);
}

TEST_CASE("GMRES needs one product with the exact inverse, none without a right-hand side", "[linalg]") {
  Uniform uniform(5);
  const DenseMatrix A = uniform.matrix(6, 6) + 4.0 * DenseMatrix::Identity(6, 6);
  const DenseMatrix inverse = A.inverse();
  Gmres gmres(6, 5);
  Vector x;
  const Gmres::Result one = gmres.solve(times(A), times(inverse), uniform.vector(6), x, 1e-10, 50);
  CHECK(one.products == 1);
  CHECK(one.converged);
  const Gmres::Result none = gmres.solve(times(A), same, Vector::Zero(6), x, 0.0, 50);
  CHECK(none.products == 0);
  CHECK(none.converged);
  CHECK(x == Vector::Zero(6));
}

TEST_CASE("GMRES stops at a loose tolerance and at its limit", "[linalg]") {
  Uniform uniform(6);
  const DenseMatrix A = uniform.matrix(25, 25) + 3.0 * DenseMatrix::Identity(25, 25);
  const Vector b = uniform.vector(25);
  Gmres gmres(25, 20);
  Vector x;
  const Gmres::Result loose = gmres.solve(times(A), same, b, x, 0.25 * b.norm(), 20);
  CHECK(loose.converged);
  CHECK((b - A * x).norm() <= 0.25 * b.norm() * (1.0 + 1e-12));
  const Gmres::Result cut = gmres.solve(times(A), same, b, x, 1e-14, 2);
  CHECK(cut.products == 2);
  CHECK_FALSE(cut.converged);
}

TEST_CASE("GMRES gives a finite answer for singular matrices", "[linalg]") {
  Uniform uniform(7);
  const DenseMatrix half = uniform.matrix(8, 4);
  const DenseMatrix A = half * half.transpose();
  Gmres gmres(8, 10);
  Vector x;
  const Vector inside = A * uniform.vector(8);
  CHECK(gmres.solve(times(A), same, inside, x, 1e-10, 40).converged);
  CHECK((inside - A * x).norm() <= 1e-9);
  const Gmres::Result outside = gmres.solve(times(A), same, uniform.vector(8), x, 1e-10, 40);
  CHECK_FALSE(outside.converged);
  CHECK(x.allFinite());
  const DenseMatrix zero = DenseMatrix::Zero(8, 8);
  CHECK_FALSE(gmres.solve(times(zero), same, inside, x, 1e-10, 40).converged);
  CHECK(x == Vector::Zero(8));
}

TEST_CASE("GMRES without a Krylov space is a programming error", "[linalg]") {
  CHECK_THROWS_AS(Gmres(3, 0), std::logic_error);
}

TEST_CASE("GMRES with inner products of all processes takes two sums a product and keeps its accuracy", "[linalg]") {
  Uniform uniform(8);
  const DenseMatrix A = uniform.matrix(40, 40) + 5.0 * DenseMatrix::Identity(40, 40);
  const Vector b = uniform.vector(40);
  int sums_formed = 0;
  const auto products = [&sums_formed](const std::vector<Vector>& basis, int count, const Vector& x, double* sums) {
    ++sums_formed;
    for (int i = 0; i < count; ++i) sums[i] = basis[uz(i)].dot(x);
    sums[count] = x.squaredNorm();
  };
  Gmres alone(40, 12), together(40, 12, products);
  Vector x, y;
  for (const int limit : {1, 5, 12}) {
    sums_formed = 0;
    const Gmres::Result expected = alone.solve(times(A), same, b, x, 1e-13, limit);
    const Gmres::Result result = together.solve(times(A), same, b, y, 1e-13, limit);
    CHECK(sums_formed == 1 + 2 * limit);
    CHECK(result.products == expected.products);
    CHECK(result.residual == Approx(expected.residual).epsilon(1e-9));
    CHECK((x - y).norm() <= 1e-10 * x.norm());
  }
  const Gmres::Result result = together.solve(times(A), same, b, y, 1e-12, 1000);
  CHECK(result.converged);
  CHECK((b - A * y).norm() <= 1e-11);
}
