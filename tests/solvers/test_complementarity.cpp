#include <catch2/catch.hpp>
#include <cmath>

#include "solvers/newton/complementarity_function.hpp"
#include "support/run_solver.hpp"
#include "support/small_problems.hpp"
#include "support/uniform.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

constexpr ComplementarityFunction functions[] = {ComplementarityFunction::alart_curnier,
                                                 ComplementarityFunction::natural_map,
                                                 ComplementarityFunction::fischer_burmeister};

Vector3 value(ComplementarityFunction function, ConstraintKind kind, const Vector3& x, const Vector3& u) {
  return complementarity_value(function, kind, 0.4, Model::ncp, x, u, 0.7);
}

}  // namespace

TEST_CASE("the derivatives of the complementarity functions agree with differences", "[newton]") {
  Uniform uniform(51);
  const double step = 1e-6;
  for (const ComplementarityFunction function : functions)
    for (const ConstraintKind kind : {ConstraintKind::contact, ConstraintKind::contact2d, ConstraintKind::unilateral}) {
      int close = 0;
      for (int i = 0; i < 100; ++i) {
        Vector3 x = uniform.vector(3), u = uniform.vector(3), dx = uniform.vector(3), du = uniform.vector(3);
        for (Index row = constraint_rows(kind); row < 3; ++row) x[row] = u[row] = dx[row] = du[row] = 0.0;
        const ComplementarityValue phi = complementarity(function, kind, 0.4, Model::ncp, x, u, 0.7);
        CHECK((phi.value - value(function, kind, x, u)).norm() <= 1e-15);
        const Vector3 difference =
            (value(function, kind, x + step * dx, u + step * du) - value(function, kind, x - step * dx, u - step * du)) /
            (2.0 * step);
        if ((difference - phi.by_impulse * dx - phi.by_velocity * du).norm() <= 1e-7) ++close;
      }
      CHECK(close >= 99);  // one may lie on a kink
    }
}

TEST_CASE("Fischer and Burmeister's function has a derivative at the origin, at any size", "[newton]") {
  const double share = 1.0 - std::sqrt(0.5);
  for (const ConstraintKind kind : {ConstraintKind::contact, ConstraintKind::contact2d}) {
    const ComplementarityValue phi = complementarity(ComplementarityFunction::fischer_burmeister, kind, 0.4, Model::ncp,
                                                     Vector3::Zero(), Vector3::Zero(), 0.7);
    const Index rows = constraint_rows(kind);
    const Matrix3 by_impulse = share * Vector3(0.4, 1.0, 1.0).asDiagonal().toDenseMatrix();
    const Matrix3 by_velocity = 0.7 * share * Vector3(1.0, 0.4, 0.4).asDiagonal().toDenseMatrix();
    CHECK(phi.value == Vector3::Zero());
    CHECK((phi.by_impulse - by_impulse).topLeftCorner(rows, rows).norm() <= 1e-15);
    CHECK((phi.by_velocity - by_velocity).topLeftCorner(rows, rows).norm() <= 1e-15);
  }
  const Vector3 x(0.5, 0.1, -0.3), u(-0.2, 0.6, 0.3);
  const auto at = [&](double size) {
    return complementarity(ComplementarityFunction::fischer_burmeister, ConstraintKind::contact, 0.4, Model::ncp, size * x,
                           size * u, 0.7);
  };
  CHECK((at(1e-120).by_impulse - at(1.0).by_impulse).norm() <= 1e-14);
  CHECK((at(1e-120).by_velocity - at(1.0).by_velocity).norm() <= 1e-14);
}

TEST_CASE("Fischer and Burmeister's function is zero to rounding where a contact slides", "[newton]") {
  // Impulse and velocity on the boundaries of their cones: both spectral values of one of them vanish with those of the sum.
  Uniform uniform(52);
  for (int i = 0; i < 50; ++i) {
    const double angle = 3.0 * uniform(), slip = 1.0 + uniform();
    const Vector3 x(1.0, 0.4 * std::cos(angle), 0.4 * std::sin(angle));
    const Vector3 u(0.0, -slip * std::cos(angle), -slip * std::sin(angle));
    CHECK(value(ComplementarityFunction::fischer_burmeister, ConstraintKind::contact, x, u).norm() <= 2e-15);
  }
}

TEST_CASE("Fischer and Burmeister's function leaves a start where contacts touch and rest", "[newton]") {
  // Two contacts of a body, one of them without impulse and velocity at the start.
  DenseMatrix D = DenseMatrix::Zero(4, 4);
  D.diagonal().setOnes();
  ProblemBuilder builder("resting");
  builder.global(diagonal(Vector::Ones(4)), (Vector(4) << -1.0, 0.3, 0.0, 0.0).finished(), sparse(D), Vector::Zero(4));
  const ContactProblem problem = builder.contact2d(0.5).contact2d(0.5).build();
  const Result result = run(
      problem, {"semismooth_newton", Model::ncp, {.tolerance = 1e-12}, {{"function", std::string("fischer_burmeister")}}});
  CHECK(result.status == Status::solved);
  CHECK(result.impulse[0] == Approx(1.0));
}
