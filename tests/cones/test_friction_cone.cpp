#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>

#include "cones/cone_samples.hpp"
#include "cones/friction_cone.hpp"
#include "support/uniform.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

/// Point of the boundary of K at distance `length` from the tip; angle: direction of the tangent (2D: its sign).
Vector3 boundary_point(const Vector3&, double mu, double length, double angle) {
  const double opening = std::atan(mu);
  const double radius = length * std::sin(opening);
  return {length * std::cos(opening), radius * std::cos(angle), radius * std::sin(angle)};
}
Vector2 boundary_point(const Vector2&, double mu, double length, double angle) {
  const double opening = std::atan(mu);
  return {length * std::cos(opening), length * std::sin(opening) * (std::cos(angle) < 0.0 ? -1.0 : 1.0)};
}

template <typename Function>
double golden_section(double low, double high, const Function& value) {
  constexpr double ratio = 1.0 / std::numbers::phi;
  double a = high - ratio * (high - low), b = low + ratio * (high - low);
  double value_a = value(a), value_b = value(b);
  for (int i = 0; i < 70; ++i) {
    if (value_a <= value_b) {
      high = b, b = a, value_b = value_a;
      a = high - ratio * (high - low);
      value_a = value(a);
    } else {
      low = a, a = b, value_a = value_b;
      b = low + ratio * (high - low);
      value_b = value(b);
    }
  }
  return 0.5 * (low + high);
}

/// The nearest boundary point by search alone: a grid over the direction, golden sections along the generator and around the
/// best direction.
template <typename Point>
Point nearest_on_boundary(const Point& p, double mu) {
  const double reach = 2.0 * p.norm() + 1.0;
  const auto at = [&](double angle) {
    const auto square = [&](double length) { return (p - boundary_point(p, mu, length, angle)).squaredNorm(); };
    return boundary_point(p, mu, golden_section(0.0, reach, square), angle);
  };
  const auto square = [&](double angle) { return (p - at(angle)).squaredNorm(); };
  constexpr int directions = 48;
  const double step = 2.0 * std::numbers::pi / directions;
  double best = 0.0;
  for (int k = 1; k < directions; ++k)
    if (square(k * step) < square(best)) best = k * step;
  if constexpr (Point::SizeAtCompileTime == 2) return at(best);
  return at(golden_section(best - step, best + step, square));
}

}  // namespace

TEMPLATE_TEST_CASE("the three regions of the projection, by hand", "[cones]", Vector2, Vector3) {
  TestType p = TestType::Zero();
  p << TestType::Unit(0) * 2.0 + TestType::Unit(1) * 0.5;
  CHECK(project_friction_cone(p, 0.5) == p);
  p = -2.0 * TestType::Unit(0) + TestType::Unit(1);
  CHECK(project_friction_cone(p, 0.5) == TestType::Zero());
  p = TestType::Unit(0) - 3.0 * TestType::Unit(1);  // μ = 1: (1 + 3)/2
  CHECK((project_friction_cone(p, 1.0) - TestType(2.0 * TestType::Unit(0) - 2.0 * TestType::Unit(1))).norm() < 4e-15);
  CHECK(project_friction_cone(TestType(TestType::Zero()), 0.5) == TestType::Zero());
}

TEMPLATE_TEST_CASE("zero friction leaves the normal ray", "[cones]", Vector2, Vector3) {
  Uniform uniform(1);
  for (int i = 0; i < 200; ++i) {
    const TestType p = uniform.point<TestType>(2.0);
    CHECK(project_friction_cone(p, 0.0) == TestType(std::max(p[0], 0.0) * TestType::Unit(0)));
  }
  const TestType down = -TestType::Unit(0);
  CHECK(project_friction_cone(down, 0.0) == TestType::Zero());
  CHECK(distance_to_friction_cone(down, 0.0) == 1.0);
}

TEMPLATE_TEST_CASE("Moreau decomposition", "[cones]", Vector2, Vector3) {
  Uniform uniform(2);
  for (const double mu : frictions) {
    for (int i = 0; i < 500; ++i) {
      const TestType p = uniform.point<TestType>(3.0);
      const TestType in_cone = project_friction_cone(p, mu), in_polar = project_polar_cone(p, mu);
      CAPTURE(mu, p.transpose());
      REQUIRE((in_cone + in_polar - p).norm() <= 1e-15 * p.norm());
      REQUIRE(std::abs(in_cone.dot(in_polar)) <= 4e-15 * p.squaredNorm());
      REQUIRE(distance_to_friction_cone(in_cone, mu) == 0.0);
      REQUIRE(-in_polar[0] >= mu * tangent(in_polar) - 2e-15 * (1.0 + mu) * p.norm());
    }
  }
}

TEMPLATE_TEST_CASE("a point inside K, K* or K° comes back bit for bit", "[cones]", Vector2, Vector3) {
  Uniform uniform(3);
  for (const double mu : frictions) {
    int inside = 0, inside_dual = 0;
    for (int i = 0; i < 2000; ++i) {
      TestType p = uniform.point<TestType>(1.0);
      const double t = tangent(p);
      const double lift = uniform(1.0 + 1e-12, 2.0);
      p[0] = lift * t / std::max(mu, 1e-9);
      if (mu > 0.0 && mu * p[0] > t) {
        ++inside;
        REQUIRE(same_bits(project_friction_cone(p, mu), p));
        REQUIRE(same_bits(project_polar_cone(TestType(-p), 1.0 / mu), TestType(-p)));
      }
      p[0] = lift * t * mu;
      if (p[0] > mu * t) {
        ++inside_dual;
        REQUIRE(same_bits(project_dual_cone(p, mu), p));
        REQUIRE(same_bits(project_polar_cone(TestType(-p), mu), TestType(-p)));
      }
    }
    CAPTURE(mu);
    CHECK((inside > 1900 || mu == 0.0));
    CHECK((inside_dual > 1900 || mu == 0.0));
  }
  TestType signed_zeros = TestType::Zero();
  signed_zeros[1] = -0.0;
  signed_zeros[0] = 1.0;
  CHECK(same_bits(project_friction_cone(signed_zeros, 0.5), signed_zeros));
  CHECK(same_bits(project_dual_cone(signed_zeros, 0.5), signed_zeros));
}

TEMPLATE_TEST_CASE("projecting twice changes nothing", "[cones]", Vector2, Vector3) {
  Uniform uniform(4);
  for (const double mu : {0.0, 1e-8, 0.1, 0.3, 0.5, 0.7, 1.0, 3.0, 100.0, 1e8}) {
    int sliding = 0;
    for (int i = 0; i < 20000; ++i) {
      const TestType p = uniform.point<TestType>(3.0);
      const TestType once = project_friction_cone(p, mu);
      if (!same_bits(once, p) && once[0] > 0.0) ++sliding;
      const TestType twice = project_friction_cone(once, mu);
      if (!same_bits(once, twice)) {
        CAPTURE(mu, p.transpose(), once.transpose(), twice.transpose());
        FAIL();
      }
      if (distance_to_friction_cone(once, mu) != 0.0) FAIL();
    }
    CHECK(sliding > 1000);
  }
}

TEMPLATE_TEST_CASE("the projection is the nearest point", "[cones]", Vector2, Vector3) {
  Uniform uniform(5);
  int outside = 0;
  for (const double mu : {0.0, 0.1, 0.5, 1.0, 3.0, 1e8}) {
    for (int i = 0; i < 25; ++i) {
      const TestType p = uniform.point<TestType>(2.0);
      if (p[0] >= 0.0 && tangent(p) <= mu * p[0]) continue;  // nothing to search: p itself
      ++outside;
      const TestType searched = nearest_on_boundary(p, mu), projected = project_friction_cone(p, mu);
      CAPTURE(mu, p.transpose(), searched.transpose(), projected.transpose());
      // The square is flat at its minimum: the search finds its value to 1e-15, its place to 1e-7.
      CHECK((projected - searched).norm() < 1e-6);
      CHECK((p - projected).norm() == Approx((p - searched).norm()).epsilon(1e-12));
      CHECK(distance_to_friction_cone(p, mu) == Approx((p - searched).norm()).epsilon(1e-12));
    }
  }
  CHECK(outside > 60);
}

TEMPLATE_TEST_CASE("the projections do not expand", "[cones]", Vector2, Vector3) {
  Uniform uniform(6);
  for (const double mu : frictions) {
    for (int i = 0; i < 1000; ++i) {
      const TestType a = uniform.point<TestType>(2.0), b = TestType(a + uniform.point<TestType>(i % 2 == 0 ? 2.0 : 1e-3));
      const double apart = (a - b).norm() + 8e-15;
      REQUIRE((project_friction_cone(a, mu) - project_friction_cone(b, mu)).norm() <= apart);
      REQUIRE((project_polar_cone(a, mu) - project_polar_cone(b, mu)).norm() <= apart);
      REQUIRE((project_dual_cone(a, mu) - project_dual_cone(b, mu)).norm() <= apart);
    }
  }
}

TEMPLATE_TEST_CASE("the dual cone is where products with K are not negative", "[cones]", Vector2, Vector3) {
  Uniform uniform(7);
  for (const double mu : {0.0, 0.1, 0.5, 1.0, 3.0}) {
    for (int i = 0; i < 300; ++i) {
      const TestType gamma = project_friction_cone(uniform.point<TestType>(2.0), mu);
      const TestType u = project_dual_cone(uniform.point<TestType>(2.0), mu);
      const TestType polar = project_polar_cone(uniform.point<TestType>(2.0), mu);
      const double rounding = 8e-15 * gamma.norm();
      REQUIRE(gamma.dot(u) >= -rounding);
      REQUIRE(gamma.dot(polar) <= rounding);
      REQUIRE(u[0] >= mu * tangent(u) - 8e-15);
    }
  }
}

TEMPLATE_TEST_CASE("distances are those of the projections", "[cones]", Vector2, Vector3) {
  Uniform uniform(8);
  for (const double mu : frictions) {
    for (int i = 0; i < 500; ++i) {
      const TestType p = uniform.point<TestType>(3.0);
      const double rounding = 4e-15 * p.norm();
      const double distance = distance_to_friction_cone(p, mu);
      CAPTURE(mu, p.transpose());
      REQUIRE(distance >= 0.0);
      REQUIRE(std::abs(distance - project_polar_cone(p, mu).norm()) <= rounding);
    }
  }
}

TEMPLATE_TEST_CASE("a distance just outside keeps its digits", "[cones]", Vector2, Vector3) {
  const TestType p = TestType::Unit(0) + (0.5 + 0x1p-40) * TestType::Unit(1);
  CHECK(distance_to_friction_cone(p, 0.5) == Approx(0x1p-40 / std::sqrt(1.25)).epsilon(1e-3));
  CHECK(distance_to_friction_cone(TestType(-p), 0.5) == Approx(p.norm()));
}

TEMPLATE_TEST_CASE("the distance is zero in the cone alone", "[cones]", Vector2, Vector3) {
  CHECK(distance_to_friction_cone(TestType(-0.25 * TestType::Unit(0)), 0.5) == 0.25);
  CHECK(distance_to_friction_cone(TestType(TestType::Zero()), 0.5) == 0.0);
  const TestType edge = TestType(2.0 * TestType::Unit(0) + TestType::Unit(1));
  CHECK(distance_to_friction_cone(edge, 0.5) == 0.0);
  CHECK(distance_to_friction_cone(edge, 0.499) > 0.0);
}
