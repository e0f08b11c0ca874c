#include <catch2/catch.hpp>
#include <cmath>

#include "cones/cone_samples.hpp"
#include "cones/nesterov_todd.hpp"
#include "support/uniform.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

/// A point of the cone with gap `gap` times its length.
Vector3 inside(Uniform& uniform, double gap) {
  const Vector3 p = uniform.point<Vector3>(3.0);
  return {p.tail<2>().norm() * (1.0 + gap) + 1e-3 * gap, p[1], p[2]};
}

}  // namespace

TEST_CASE("the scaling takes an impulse and the velocity it belongs to to one point", "[cones]") {
  Uniform uniform(3);
  for (const double gap : {1.0, 1e-3, 1e-6}) {
    for (int i = 0; i < 500; ++i) {
      const Vector3 lambda = inside(uniform, gap), y = inside(uniform, gap);
      NesterovTodd W;
      REQUIRE(nesterov_todd(lambda, y, W));
      CAPTURE(gap, lambda.transpose(), y.transpose());
      // W λ = W⁻¹ y = z, W² λ = y, W symmetric positive definite with orthonormal eigenvectors.
      const double scale = W.point.norm() * 1e-13 / gap;
      CHECK((W.apply(lambda) - W.apply_inverse(y)).norm() <= scale);
      CHECK((W.apply(W.apply(lambda)) - y).norm() <= 1e-12 / gap * y.norm());
      CHECK((W.basis.transpose() * W.basis - Matrix3::Identity()).norm() <= 1e-15 * 10.0);
      CHECK(W.weight.minCoeff() > 0.0);
      // zᵀz = λᵀy, and the determinants multiply.
      CHECK(W.point.squaredNorm() == Approx(lambda.dot(y)).epsilon(1e-9 / gap * 1e-3));
      // W maps the cone onto itself: an interior point stays one.
      CHECK(lorentz_gap(W.apply(inside(uniform, 0.5))) > 0.0);
    }
  }
}

TEST_CASE("lines and planes are cones of fewer dimensions", "[cones]") {
  NesterovTodd W;
  REQUIRE(nesterov_todd({4.0, 0.0, 0.0}, {9.0, 0.0, 0.0}, W));
  CHECK(W.weight.isApprox(Vector3::Constant(1.5)));
  CHECK(W.basis == Matrix3::Identity());
  CHECK(W.point.isApprox(Vector3(6.0, 0.0, 0.0)));
  REQUIRE(nesterov_todd({4.0, 1.0, 0.0}, {2.0, -1.5, 0.0}, W));
  CHECK(W.point[2] == 0.0);
  CHECK(std::abs(W.basis(2, 0)) + std::abs(W.basis(2, 1)) == 0.0);
}

TEST_CASE("points on the surface, outside or not finite have no scaling", "[cones]") {
  const Vector3 good(2.0, 1.0, 0.0);
  NesterovTodd W;
  for (const Vector3& bad : {Vector3(1.0, 1.0, 0.0), Vector3(1.0, 2.0, 0.0), Vector3(-2.0, 1.0, 0.0), Vector3(0.0, 0.0, 0.0),
                             Vector3(std::nan(""), 0.0, 0.0), Vector3(2.0, std::nan(""), 0.0)}) {
    CHECK_FALSE(nesterov_todd(good, bad, W));
    CHECK_FALSE(nesterov_todd(bad, good, W));
  }
}

TEST_CASE("eigenvalues far apart keep their digits", "[cones]") {
  // A sliding contact late in a run: λ and y nearly on opposite rays.
  const double gap = 1e-10;
  NesterovTodd W;
  REQUIRE(nesterov_todd({1.0 + gap, 1.0, 0.0}, {1.0 + gap, -1.0, 0.0}, W));
  CHECK(W.weight[0] * W.weight[1] == Approx(1.0).epsilon(1e-12));
  CHECK(W.weight[2] == Approx(1.0).epsilon(1e-12));
  CHECK(W.weight[0] == Approx(std::sqrt(2.0 / gap)).epsilon(1e-5));
  for (const double size : {1e-100, 1e100}) {
    REQUIRE(nesterov_todd(Vector3(2.0, 1.0, 0.5) * size, Vector3(2.0, 1.0, 0.5) / size, W));
    CHECK(W.weight.isApprox(Vector3::Constant(1.0 / size), 1e-12));
  }
}

TEST_CASE("the Jordan quotient solves its product", "[cones]") {
  Uniform uniform(5);
  for (int i = 0; i < 500; ++i) {
    const Vector3 x = inside(uniform, 0.3), y = uniform.point<Vector3>(3.0);
    REQUIRE((jordan_product(x, jordan_quotient(x, y)) - y).norm() <= 1e-12 * (1.0 + y.norm()));
  }
}

TEST_CASE("the step ends on the surface", "[cones]") {
  Uniform uniform(7);
  int finite = 0;
  for (int i = 0; i < 2000; ++i) {
    const Vector3 x = inside(uniform, 0.3), d = uniform.point<Vector3>(3.0);
    const double alpha = lorentz_step(x, d);
    CAPTURE(x.transpose(), d.transpose(), alpha);
    if (std::isinf(alpha)) {
      REQUIRE(lorentz_gap(x + 1e6 * d) >= -1e-8 * d.norm());
      continue;
    }
    ++finite;
    REQUIRE(std::abs(lorentz_gap(x + alpha * d)) <= 1e-9 * (x.norm() + alpha * d.norm()));
    REQUIRE(lorentz_gap(x + 0.999 * alpha * d) > 0.0);
  }
  CHECK(finite > 1000);
  CHECK(lorentz_step({1.0, 0.0, 0.0}, {-4.0, 0.0, 0.0}) == Approx(0.25));
  CHECK(std::isinf(lorentz_step({1.0, 0.0, 0.0}, {1.0, 1.0, 0.0})));
}

TEST_CASE("raising an element raises its eigenvalues", "[cones]") {
  const Vector3 raised = lorentz_raise({0.5, 3.0, 0.0}, 1.0);  // eigenvalues 3.5 and -2.5
  CHECK(raised.isApprox(Vector3(3.0, 0.5, 0.0)));
  CHECK(lorentz_raise({0.1, 0.0, 0.0}, 2.0).isApprox(Vector3(2.0, 0.0, 0.0)));
}

TEST_CASE("a function of an element acts on its eigenvalues", "[cones]") {
  Uniform uniform(31);
  for (int i = 0; i < 200; ++i) {
    const Vector3 x = uniform.point<Vector3>(2.0);
    CAPTURE(x.transpose());
    CHECK((lorentz_map(x, [](double value) { return value; }) - x).norm() <= 1e-15 * 10.0);
    CHECK((lorentz_map(x, [](double value) { return value * value; }) - jordan_product(x, x)).norm() <= 1e-14);
  }
  CHECK(lorentz_map(Vector3(-3.0, 0.0, 0.0), [](double value) { return -2.0 * value; }) == Vector3(6.0, 0.0, 0.0));
}
