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

struct Sample {
  Vector friction, points;
  Index count() const { return friction.size(); }
};

/// Points in the cone, in the polar cone, between them, and on every border of their regions.
Sample ordinary_sample(Index count, std::uint64_t seed) {
  Uniform uniform(seed);
  Sample sample{Vector(count), Vector(3 * count)};
  for (Index k = 0; k < count; ++k) {
    const double mu = frictions[static_cast<std::size_t>(uniform(0.0, static_cast<double>(frictions.size())))];
    Vector3 p = uniform.point<Vector3>(2.0);
    switch (static_cast<int>(uniform(0.0, 8.0))) {
      case 0: p.setZero(); break;
      case 1: p[1] = p[2] = 0.0; break;
      case 2: p[0] = -0.0; break;
      case 3: p[0] = mu > 0.0 ? tangent(p) / mu : 1.0; break;
      case 4: p[0] = -mu * tangent(p); break;
      default: break;
    }
    sample.friction[k] = mu;
    sample.points.segment<3>(3 * k) = p;
  }
  return sample;
}

/// Result of one contact alone, for each of them.
Vector one_by_one(const Sample& sample) {
  Vector expected(sample.points.size());
  for (Index k = 0; k < sample.count(); ++k)
    expected.segment<3>(3 * k) = project_friction_cone(Vector3(sample.points.segment<3>(3 * k)), sample.friction[k]);
  return expected;
}

void check_all_versions(const Sample& sample) {
  const Vector expected = one_by_one(sample);
  for (const InstructionSet set : {InstructionSet::portable, InstructionSet::avx2, InstructionSet::avx512}) {
    if (!can_run(set)) continue;
    CAPTURE(static_cast<int>(set));
    Vector projected = Vector::Constant(expected.size(), 7.0);
    project_contacts(sample.count(), sample.friction.data(), sample.points.data(), projected.data(), kernels(set).contacts);
    CHECK(same_bits(projected, expected));
  }
}

}  // namespace

TEST_CASE("contacts projected together have the bits of contacts projected alone, with every instruction set", "[cones]") {
  for (const Index count : {1, 3, 7, 8, 13, 64, 257}) {
    CAPTURE(count);
    check_all_versions(ordinary_sample(count, 51 + static_cast<std::uint64_t>(count)));
  }
}

TEST_CASE("extreme contacts among ordinary ones are projected as alone", "[cones]") {
  const double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  for (const Vector3& p : {Vector3(1e200, 1e200, 0.0), Vector3(-1.0, 1e-160, 1e-170), Vector3(1e-310, 2e-310, 0.0),
                           Vector3(nan, 1.0, 1.0), Vector3(1.0, nan, 0.0), Vector3(infinity, 1.0, 1.0)}) {
    CAPTURE(p.transpose());
    Sample sample = ordinary_sample(29, 52);
    sample.points.segment<3>(3 * 11) = p;
    check_all_versions(sample);
  }
  Sample steep = ordinary_sample(29, 53);
  steep.friction[11] = 1e150;
  check_all_versions(steep);
}
