#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "cones/cone_samples.hpp"
#include "cones/friction_cone.hpp"
#include "cones/strict_projection.hpp"
#include "support/uniform.hpp"

using namespace ccp;
using namespace ccp::testing;

TEMPLATE_TEST_CASE("the strict projection takes the normal first, then the disk", "[cones]", Vector2, Vector3) {
  CHECK(project_strict(TestType(-TestType::Unit(0) + 5.0 * TestType::Unit(1)), 0.5) == TestType::Zero());
  const TestType inside = 2.0 * TestType::Unit(0) - 0.75 * TestType::Unit(1);
  CHECK(project_strict(inside, 0.5) == inside);
  const TestType outside = 2.0 * TestType::Unit(0) - 3.0 * TestType::Unit(1);
  CHECK((project_strict(outside, 0.5) - TestType(2.0 * TestType::Unit(0) - TestType::Unit(1))).norm() < 2e-15);
  CHECK(project_strict(TestType(3.0 * TestType::Unit(1)), 0.5) == TestType::Zero());
}

TEMPLATE_TEST_CASE("the strict projection maps into K and fixes it", "[cones]", Vector2, Vector3) {
  Uniform uniform(11);
  for (const double mu : frictions) {
    for (int i = 0; i < 5000; ++i) {
      const TestType p = uniform.point<TestType>(3.0);
      const TestType projected = project_strict(p, mu);
      CAPTURE(mu, p.transpose(), projected.transpose());
      if (distance_to_friction_cone(projected, mu) > 0.0) FAIL("outside K");
      if (!same_bits(project_strict(projected, mu), projected)) FAIL("not idempotent");
      if (distance_to_friction_cone(p, mu) == 0.0 && !same_bits(projected, p)) FAIL("moves a point of K");
      if (projected[0] != std::max(p[0], 0.0)) FAIL("normal");
      // The tangential part is the nearest point of the disk: never turned, and on the rim when shortened.
      const double t = tangent(p), radius = mu * projected[0];
      REQUIRE(std::abs(tangent(projected) - std::min(t, radius)) <= 2e-15 * t);
      const auto part = projected.template tail<TestType::SizeAtCompileTime - 1>();
      REQUIRE(part.dot(p.template tail<TestType::SizeAtCompileTime - 1>()) == Approx(part.norm() * t).margin(1e-300));
    }
  }
}

TEMPLATE_TEST_CASE("strict and Euclidean projections differ where the contact slides", "[cones]", Vector2, Vector3) {
  const TestType p = TestType::Unit(0) + 3.0 * TestType::Unit(1);
  CHECK((project_strict(p, 1.0) - project_friction_cone(p, 1.0)).norm() == Approx(std::sqrt(2.0)));
}
