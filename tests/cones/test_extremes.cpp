#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "cones/cone_samples.hpp"
#include "cones/friction_cone.hpp"
#include "cones/strict_projection.hpp"
#include "support/uniform.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double denormal = std::numeric_limits<double>::denorm_min();

template <typename Point>
Point scaled(const Point& p, int exponent) {
  return p.unaryExpr([exponent](double value) { return std::ldexp(value, exponent); });
}

template <typename Point>
Point sample(double normal, double tangent_1, double tangent_2) {
  Point p;
  p[0] = normal;
  p[1] = tangent_1;
  if constexpr (Point::SizeAtCompileTime == 3) p[2] = tangent_2;
  return p;
}

}  // namespace

TEMPLATE_TEST_CASE("projections and distances are homogeneous over the whole range of double", "[cones]", Vector2, Vector3) {
  Uniform uniform(31);
  for (const double mu : {0.0, 1e-8, 0.5, 1.0, 1e8, 1e300}) {
    for (int i = 0; i < 300; ++i) {
      const TestType p = uniform.point<TestType>(1.0);
      for (const int exponent : {-1000, -600, 600, 1000}) {
        const TestType q = scaled(p, exponent);
        const auto near = [&](const TestType& value, const TestType& reference) {
          return value.allFinite() && scaled(TestType(value - scaled(reference, exponent)), -exponent).norm() <= 4e-15;
        };
        CAPTURE(mu, exponent, p.transpose());
        REQUIRE(near(project_friction_cone(q, mu), project_friction_cone(p, mu)));
        REQUIRE(near(project_strict(q, mu), project_strict(p, mu)));
        REQUIRE(distance_to_friction_cone(q, mu) == std::ldexp(distance_to_friction_cone(p, mu), exponent));
      }
    }
  }
}

TEMPLATE_TEST_CASE("denormal points are projected to the last denormal bit", "[cones]", Vector2, Vector3) {
  for (const TestType& p : {sample<TestType>(-0.5, 3.0, 4.0), sample<TestType>(1.0, -3.0, 4.0),
                            sample<TestType>(2.0, 0.5, 0.25), sample<TestType>(-4.0, 1.0, 1.0)}) {
    for (const double mu : {0.0, 0.5, 1.0, 2.0}) {
      const TestType q = scaled(p, -1065);  // exact: few bits
      const double rounding = 2.0 * denormal;
      CAPTURE(mu, p.transpose());
      CHECK((project_friction_cone(q, mu) - scaled(project_friction_cone(p, mu), -1065)).cwiseAbs().maxCoeff() <= rounding);
      CHECK((project_strict(q, mu) - scaled(project_strict(p, mu), -1065)).cwiseAbs().maxCoeff() <= rounding);
      CHECK(std::abs(distance_to_friction_cone(q, mu) - std::ldexp(distance_to_friction_cone(p, mu), -1065)) <= rounding);
    }
  }
  const TestType smallest = sample<TestType>(denormal, denormal, 0.0);
  CHECK(project_friction_cone(smallest, 1.0) == smallest);
  CHECK(project_friction_cone(TestType(-smallest), 1.0) == TestType::Zero());
}

TEMPLATE_TEST_CASE("huge friction makes the cone a half-space", "[cones]", Vector2, Vector3) {
  for (const double mu : {1e8, 1e155, 1e300, std::numeric_limits<double>::max()}) {
    const TestType below = sample<TestType>(-1.0, 3.0, -4.0), above = sample<TestType>(1e-3, 3.0, -4.0);
    const TestType flat = sample<TestType>(0.0, 3.0, -4.0), down = sample<TestType>(-1.0, 0.0, 0.0);
    CAPTURE(mu);
    CHECK((project_friction_cone(below, mu) - flat).norm() < 6.0 / mu + 1e-14);
    CHECK(project_friction_cone(below, mu)[0] >= 0.0);
    CHECK(same_bits(project_friction_cone(above, mu), above));
    CHECK(project_friction_cone(down, mu) == TestType::Zero());
    CHECK(distance_to_friction_cone(below, mu) == Approx(1.0).epsilon(1e-7));
    CHECK(distance_to_friction_cone(above, mu) == 0.0);

    const TestType far = sample<TestType>(-1e300, 1e300, 1e300), projected = project_friction_cone(far, mu);
    CHECK(projected.allFinite());
    CHECK(projected[0] >= 0.0);
    CHECK(tangent(TestType(1e-300 * projected)) == Approx(tangent(TestType(1e-300 * far))));
    CHECK(same_bits(project_strict(above, mu), above));
    CHECK(project_strict(below, mu) == TestType::Zero());
  }
}

TEMPLATE_TEST_CASE("a projection stays where it is for huge and tiny friction, too", "[cones]", Vector2, Vector3) {
  Uniform uniform(32);
  for (const double mu : {1e-300, 1e-150, 1e120, 1e155, 1e300}) {
    for (int i = 0; i < 500; ++i) {
      const TestType p = uniform.point<TestType>(3.0);
      const TestType once = project_friction_cone(p, mu);
      CAPTURE(mu, p.transpose());
      REQUIRE((project_friction_cone(once, mu) - once).norm() <= 1e-15 * p.norm());
      REQUIRE(std::abs(once.dot(TestType(p - once))) <= 4e-15 * p.squaredNorm());
      REQUIRE(distance_to_friction_cone(once, mu) <= 1e-15 * p.norm());
    }
  }
}

TEMPLATE_TEST_CASE("entries of very different size", "[cones]", Vector2, Vector3) {
  const double sizes[] = {0.0, denormal, 1e-300, 1e-150, 1.0, 1e150, 1e300, 1e308};
  for (const double mu : {0.0, denormal, 1e-300, 1e-8, 1.0, 1e8, 1e300})
    for (const double normal : sizes)
      for (const double tangent_1 : sizes)
        for (const double tangent_2 : sizes)
          for (const double sign : {-1.0, 1.0}) {
            const TestType p = sample<TestType>(sign * normal, -tangent_1, tangent_2);
            const TestType projected = project_friction_cone(p, mu);
            const double size = p.cwiseAbs().maxCoeff();
            CAPTURE(mu, p.transpose(), projected.transpose());
            REQUIRE(projected.allFinite());
            REQUIRE(projected[0] >= 0.0);
            REQUIRE((projected.array() * p.array()).tail(p.size() - 1).minCoeff() >= 0.0);
            REQUIRE(distance_to_friction_cone(projected, mu) <= 1e-15 * size + 2.0 * denormal);
            REQUIRE(project_strict(p, mu).allFinite());
            REQUIRE(distance_to_friction_cone(project_strict(p, mu), mu) <= 1e-15 * size + 2.0 * denormal);
            REQUIRE(std::isfinite(distance_to_friction_cone(p, mu)));
            REQUIRE(friction_cone_derivative(p, mu).allFinite());
          }
}

TEMPLATE_TEST_CASE("a NaN or an infinity makes every result NaN", "[cones]", Vector2, Vector3) {
  // Base points inside, in the polar cone and between, so that a NaN could be lost in any branch.
  for (const TestType& base :
       {sample<TestType>(2.0, 0.1, 0.1), sample<TestType>(-2.0, 0.1, 0.1), sample<TestType>(0.1, 2.0, 2.0),
        sample<TestType>(-1e300, 0.0, 0.0), sample<TestType>(0.0, 0.0, 0.0)}) {
    for (const double bad : {nan_value, infinity, -infinity}) {
      for (const double mu : {0.0, 0.5, 1e300}) {
        for (int entry = 0; entry < TestType::SizeAtCompileTime; ++entry) {
          TestType p = base;
          p[entry] = bad;
          CAPTURE(mu, p.transpose());
          CHECK(project_friction_cone(p, mu).array().isNaN().all());
          CHECK(project_strict(p, mu).array().isNaN().all());
          CHECK(std::isnan(distance_to_friction_cone(p, mu)));
        }
      }
    }
    CHECK(project_friction_cone(base, nan_value).array().isNaN().all());
    CHECK(project_strict(base, nan_value).array().isNaN().all());
    CHECK(std::isnan(distance_to_friction_cone(base, nan_value)));
  }
  TestType both = TestType::Constant(infinity);
  both[1] = nan_value;
  CHECK(project_friction_cone(both, 0.5).array().isNaN().all());
}
