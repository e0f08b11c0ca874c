#include <catch2/catch.hpp>

#include "cones/cone_samples.hpp"
#include "cones/friction_cone.hpp"
#include "cones/product_cone.hpp"
#include "cones/strict_projection.hpp"
#include "support/allocation_counter.hpp"
#include "support/uniform.hpp"

using namespace ccp;
using namespace ccp::testing;
using ccp::testing::allocations;

namespace {

template <typename Body>
long allocations_in(const Body& body) {
  const long before = allocations;
  body();
  return allocations - before;
}

}  // namespace

TEST_CASE("the allocation counter counts", "[cones]") {
  Vector x;
  CHECK(allocations_in([&] { x.resize(1000); }) == 1);
}

TEST_CASE("the cone functions do not allocate", "[cones]") {
  for (const ConstraintSet& constraints : {mixed_constraints(100, 41), contacts_3d(100, 42)}) {
    Vector x(constraints.rows()), out(constraints.rows());
    Uniform uniform(43);
    for (double& value : x) value = uniform(-2.0, 2.0);
    double sum = 0.0;
    CHECK(allocations_in([&] { sum += product_distance(constraints, x); }) == 0);
    CHECK(allocations_in([&] { de_saxce_shift(constraints, x, out); }) == 0);
    CHECK(allocations_in([&] { project_product(constraints, x, 1); }) == 0);
    CHECK(allocations_in([&] { project_product(constraints, x, 2); }) == 0);
    CHECK(sum > 0.0);
  }
  double sum = 0.0;
  const Vector3 p(1.0, 2.0, -3.0);
  CHECK(allocations_in([&] { sum += friction_cone_derivative(p, 0.5).sum() + project_strict(p, 0.5).sum(); }) == 0);
  CHECK(sum != 0.0);
}
