#include <Eigen/Eigenvalues>
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "cones/cone_samples.hpp"
#include "cones/friction_cone.hpp"
#include "support/uniform.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

template <typename Point>
using MatrixOf = Eigen::Matrix<double, Point::SizeAtCompileTime, Point::SizeAtCompileTime>;

constexpr double difference_step = 1e-6;
constexpr double margin = 1e-3;  // no region change within a difference step

template <typename Point, typename Map>
MatrixOf<Point> central_differences(const Map& map, const Point& p) {
  MatrixOf<Point> matrix;
  for (int j = 0; j < Point::SizeAtCompileTime; ++j)
    matrix.col(j) = (map(Point(p + difference_step * Point::Unit(j))) - map(Point(p - difference_step * Point::Unit(j)))) /
                    (2.0 * difference_step);
  return matrix;
}

/// Every second point lies near the normal axis, where the narrow cones are.
template <typename Point>
Point sample(Uniform& uniform, int i) {
  Point p = uniform.point<Point>(1.0);
  if (i % 2 == 0) p.template tail<Point::SizeAtCompileTime - 1>() *= 0.2;
  return p;
}

}  // namespace

TEMPLATE_TEST_CASE("the Euclidean derivative agrees with differences in every region", "[cones]", Vector2, Vector3) {
  Uniform uniform(21);
  for (const double mu : {0.0, 0.1, 0.5, 1.0, 3.0}) {
    int inside = 0, polar = 0, sliding = 0;
    for (int i = 0; i < 1000; ++i) {
      const TestType p = sample<TestType>(uniform, i);
      const double t = tangent(p);
      if (std::abs(t - mu * p[0]) < margin || std::abs(mu * t + p[0]) < margin || t < 0.01) continue;
      ++(mu * p[0] > t ? inside : mu * t < -p[0] ? polar : sliding);
      const auto difference = central_differences([&](const TestType& q) { return project_friction_cone(q, mu); }, p);
      CAPTURE(mu, p.transpose());
      REQUIRE((friction_cone_derivative(p, mu) - difference).cwiseAbs().maxCoeff() < 2e-7);
    }
    CAPTURE(mu);
    CHECK((inside > 10 || mu == 0.0));
    CHECK(polar > 10);
    CHECK(sliding > 100);
  }
}

TEMPLATE_TEST_CASE("the Euclidean derivative is symmetric with eigenvalues in [0, 1]", "[cones]", Vector2, Vector3) {
  Uniform uniform(22);
  for (const double mu : {0.0, 1e-8, 0.1, 1.0, 3.0, 1e8, 1e300}) {
    for (int i = 0; i < 500; ++i) {
      const TestType p = uniform.point<TestType>(2.0);
      const MatrixOf<TestType> derivative = friction_cone_derivative(p, mu);
      REQUIRE(derivative == derivative.transpose());
      const auto values = Eigen::SelfAdjointEigenSolver<MatrixOf<TestType>>(derivative).eigenvalues();
      CAPTURE(mu, p.transpose());
      REQUIRE(values.minCoeff() >= -1e-14);
      REQUIRE(values.maxCoeff() <= 1.0 + 1e-14);
      // Homogeneous of degree one: Euler's relation.
      REQUIRE((derivative * p - project_friction_cone(p, mu)).norm() <= 1e-14 * p.norm());
    }
  }
}

TEMPLATE_TEST_CASE("the derivatives at kinks are the documented ones", "[cones]", Vector2, Vector3) {
  using Matrix = MatrixOf<TestType>;
  const Matrix identity = Matrix::Identity(), zero = Matrix::Zero();
  Matrix normal = Matrix::Zero();
  normal(0, 0) = 1.0;
  const TestType origin = TestType::Zero(), e_n = TestType::Unit(0), e_t = TestType::Unit(1);

  CHECK(friction_cone_derivative(origin, 0.5) == identity);
  CHECK(friction_cone_derivative(TestType(2.0 * e_n + e_t), 0.5) == identity);
  CHECK(friction_cone_derivative(TestType(-e_n + 2.0 * e_t), 0.5) == zero);
  CHECK(friction_cone_derivative(origin, 0.0) == normal);
  CHECK(friction_cone_derivative(e_n, 0.0) == normal);
  CHECK(friction_cone_derivative(TestType(e_n + e_t), 0.0) == normal);
  CHECK(friction_cone_derivative(TestType(e_t - e_n), 0.0) == zero);
}

TEMPLATE_TEST_CASE("the derivatives do not depend on the scale of p", "[cones]", Vector2, Vector3) {
  Uniform uniform(24);
  for (int i = 0; i < 100; ++i) {
    const TestType p = uniform.point<TestType>(1.0);
    for (const double scale : {0x1p-1000, 0x1p-600, 0x1p600, 0x1p1000})
      REQUIRE(friction_cone_derivative(TestType(scale * p), 0.5) == friction_cone_derivative(p, 0.5));
  }
}

TEMPLATE_TEST_CASE("NaN and infinity make the derivatives NaN", "[cones]", Vector2, Vector3) {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    for (int entry = 0; entry < TestType::SizeAtCompileTime; ++entry) {
      TestType p = TestType(-TestType::Ones());
      p[entry] = bad;
      CHECK(friction_cone_derivative(p, 0.5).array().isNaN().all());
    }
    CHECK(friction_cone_derivative(TestType(TestType::Ones()), bad).array().isNaN().all());
  }
}
