#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "cones/cone_samples.hpp"
#include "cones/friction_cone.hpp"
#include "cones/product_cone.hpp"
#include "support/uniform.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

Vector random_vector(Index size, std::uint64_t seed) {
  Uniform uniform(seed);
  Vector x(size);
  for (Index i = 0; i < size; ++i) x[i] = uniform(-2.0, 2.0);
  return x;
}

struct Expected {
  Vector projected;
  Vector shift;
  double distance = 0.0;
};

/// Block by block through the functions for one contact.
Expected expected(const ConstraintSet& constraints, const Vector& x) {
  Expected result{x, Vector::Zero(x.size())};
  for (Index i = 0; i < constraints.count(); ++i) {
    const Index row = constraints.offset(i);
    const double mu = constraints.friction(i);
    double distance = 0.0;
    switch (constraints.kind(i)) {
      case ConstraintKind::contact: {
        const Vector3 p = x.segment<3>(row);
        result.projected.segment<3>(row) = project_friction_cone(p, mu);
        result.shift[row] = mu * std::sqrt(p[1] * p[1] + p[2] * p[2]);
        distance = distance_to_friction_cone(p, mu);
        break;
      }
      case ConstraintKind::contact2d: {
        const Vector2 p = x.segment<2>(row);
        result.projected.segment<2>(row) = project_friction_cone(p, mu);
        result.shift[row] = mu * std::abs(p[1]);
        distance = distance_to_friction_cone(p, mu);
        break;
      }
      case ConstraintKind::unilateral:
        result.projected[row] = std::max(x[row], 0.0);
        distance = std::max(-x[row], 0.0);
        break;
      default: break;  // bilateral; moments have tests of their own
    }
    result.distance = std::max(result.distance, distance);
  }
  return result;
}

void check_against_blocks(const ConstraintSet& constraints, std::uint64_t seed) {
  const Vector x = random_vector(constraints.rows(), seed);
  const Expected reference = expected(constraints, x);
  Vector projected = x;
  project_product(constraints, projected);
  CHECK(projected == reference.projected);
  CHECK(product_distance(constraints, x) == reference.distance);
  CHECK(product_distance(constraints, projected) == 0.0);
  Vector shift = Vector::Constant(x.size(), 7.0);
  de_saxce_shift(constraints, x, shift);
  CHECK(shift == reference.shift);
}

}  // namespace

TEST_CASE("the product of mixed blocks acts block by block", "[cones]") {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const ConstraintSet constraints = mixed_constraints(300, seed);
    for (const auto kind :
         {ConstraintKind::contact, ConstraintKind::contact2d, ConstraintKind::unilateral, ConstraintKind::bilateral})
      REQUIRE(constraints.count(kind) > 30);
    check_against_blocks(constraints, seed + 100);
  }
}

TEST_CASE("the product of 3D contacts acts block by block", "[cones]") {
  const ConstraintSet constraints = contacts_3d(500, 6);
  REQUIRE(constraints.all_contacts_3d());
  check_against_blocks(constraints, 106);
}

TEST_CASE("the empty product", "[cones]") { check_against_blocks(ConstraintSet(), 1); }

TEST_CASE("the distance is that of the worst block of each kind", "[cones]") {
  ConstraintSet constraints;
  constraints.add(ConstraintKind::bilateral);
  constraints.add(ConstraintKind::unilateral);
  constraints.add(ConstraintKind::contact, 1.0);
  constraints.add(ConstraintKind::contact2d, 0.0);
  Vector x(7);
  x << -5.0, 1.0, 2.0, 1.0, 0.0, 1.0, 0.0;
  CHECK(product_distance(constraints, x) == 0.0);
  x[1] = -0.5;
  CHECK(product_distance(constraints, x) == 0.5);
  x[6] = -0.75;
  CHECK(product_distance(constraints, x) == 0.75);
  x[2] = -3.0;
  CHECK(product_distance(constraints, x) == Approx(std::sqrt(10.0)));
  x[3] = 4.0;
  CHECK(product_distance(constraints, x) == Approx(7.0 / std::sqrt(2.0)));
}

TEST_CASE("the projection of a product is bit-identical for any number of threads", "[cones]") {
  for (const ConstraintSet& constraints : {mixed_constraints(1001, 7), contacts_3d(1001, 8), contacts_3d(3, 9)}) {
    const Vector x = random_vector(constraints.rows(), 107);
    Vector reference = x;
    project_product(constraints, reference, 1);
    REQUIRE_FALSE(same_bits(reference, x));
    for (const int threads : {2, 3}) {
      Vector projected = x;
      project_product(constraints, projected, threads);
      CHECK(same_bits(projected, reference));
    }
  }
}

TEST_CASE("the projection of a product works on a segment of a longer vector", "[cones]") {
  const ConstraintSet constraints = mixed_constraints(50, 10);
  const Vector x = random_vector(constraints.rows() + 4, 110);
  Vector projected = x;
  project_product(constraints, projected.segment(2, constraints.rows()));
  CHECK(projected.head(2) == x.head(2));
  CHECK(projected.tail(2) == x.tail(2));
  CHECK(projected.segment(2, constraints.rows()) == expected(constraints, x.segment(2, constraints.rows())).projected);
}

TEST_CASE("a NaN stays in its block and shows in the distance", "[cones]") {
  const ConstraintSet constraints = mixed_constraints(40, 11);
  const Vector clean = random_vector(constraints.rows(), 111);
  Vector reference = clean;
  project_product(constraints, reference);
  for (Index block = 0; block < constraints.count(); ++block) {
    for (Index row = constraints.offset(block); row < constraints.offset(block) + constraints.rows(block); ++row) {
      Vector x = clean;
      x[row] = std::numeric_limits<double>::quiet_NaN();
      CHECK(std::isnan(product_distance(constraints, x)));
      if (has_friction(constraints.kind(block)) && row > constraints.offset(block)) {
        Vector shift(x.size());
        de_saxce_shift(constraints, x, shift);
        CHECK(std::isnan(shift[constraints.offset(block)]));
      }
      project_product(constraints, x);
      for (Index i = 0; i < x.size(); ++i) {
        const bool here = i >= constraints.offset(block) && i < constraints.offset(block) + constraints.rows(block);
        if (here ? !std::isnan(x[i]) : x[i] != reference[i]) FAIL("row " << i << " of block " << block);
      }
    }
  }
}

TEST_CASE("the De Saxcé shift survives sizes whose squares overflow", "[cones]") {
  ConstraintSet constraints;
  constraints.add(ConstraintKind::contact, 0.5);
  constraints.add(ConstraintKind::contact, 2.0);
  Vector u(6), shift(6);
  u << 1.0, 3e200, 4e200, 1.0, 3e-300, -4e-300;
  de_saxce_shift(constraints, u, shift);
  CHECK(shift[0] == Approx(2.5e200));
  CHECK(shift[3] / 1e-299 == Approx(1.0));
  CHECK(shift[1] == 0.0);
}
