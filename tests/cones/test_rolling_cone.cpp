#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "cones/cone_samples.hpp"
#include "cones/product_cone.hpp"
#include "cones/rolling_cone.hpp"
#include "support/uniform.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

constexpr ConstraintKind kinds[] = {ConstraintKind::torsion, ConstraintKind::rolling, ConstraintKind::rolling_torsion,
                                    ConstraintKind::rolling2d};

RollingCone cone_of(ConstraintKind kind, double mu, double rolling, double spinning) {
  ConstraintSet set;
  set.add(kind, mu, {rolling, spinning, 1.0});
  return rolling_cone(set, 0);
}

double norm(const ConeDisc& disc, const BlockColumn& p) { return p.segment(disc.first, disc.size).norm(); }

BlockColumn projected(const RollingCone& cone, const BlockColumn& p) {
  BlockColumn value(cone.rows);
  project_rolling_cone(cone, p.data(), value.data());
  return value;
}
BlockColumn strict(const RollingCone& cone, const BlockColumn& p) {
  BlockColumn value(cone.rows);
  project_rolling_strict(cone, p.data(), value.data());
  return value;
}

/// Random cones of all kinds with random points, some coefficients and discs being zero.
template <typename Body>
void for_samples(std::uint64_t seed, int count, const Body& body) {
  Uniform uniform(seed);
  for (int sample = 0; sample < count; ++sample) {
    const auto coefficient = [&] { return uniform.below(6) == 0 ? 0.0 : std::pow(10.0, uniform(-2.0, 1.0)); };
    const RollingCone cone = cone_of(kinds[uniform.below(4)], coefficient(), coefficient(), coefficient());
    BlockColumn p = uniform.vector(cone.rows);
    if (const auto disc = static_cast<std::size_t>(uniform.below(12)); disc < static_cast<std::size_t>(cone.count))
      p.segment(cone.disc[disc].first, cone.disc[disc].size).setZero();
    body(cone, p);
  }
}

/// Whether another piece is nearer to a point than h: a difference of that step would look across.
bool near_a_kink(const RollingCone& cone, const BlockColumn& p, const BlockColumn& value, double h) {
  if (std::abs(value[0]) < h) return true;
  for (int i = 0; i < cone.count; ++i)
    if (const ConeDisc& disc = cone.disc[static_cast<std::size_t>(i)];
        std::abs(norm(disc, p) - disc.radius * value[0]) < h || norm(disc, p) < h)
      return true;
  return false;
}

}  // namespace

TEST_CASE("rolling cones: rows and discs", "[cones]") {
  const RollingCone cone = cone_of(ConstraintKind::rolling_torsion, 0.5, 0.2, 0.1);
  CHECK((cone.rows == 6 && cone.count == 3));
  CHECK((cone.disc[0].first == 1 && cone.disc[0].size == 2 && cone.disc[0].radius == 0.5));
  CHECK((cone.disc[1].first == 3 && cone.disc[1].size == 2 && cone.disc[1].radius == 0.2));
  CHECK((cone.disc[2].first == 5 && cone.disc[2].size == 1 && cone.disc[2].radius == 0.1));
  CHECK(cone_of(ConstraintKind::torsion, 0.5, 0.2, 0.1).disc[1].radius == 0.1);
  CHECK(cone_of(ConstraintKind::rolling2d, 0.5, 0.2, 0.1).rows == 3);
}

TEST_CASE("the projection on a rolling cone, by hand", "[cones]") {
  const RollingCone cone = cone_of(ConstraintKind::rolling, 1.0, 1.0, 0.0);
  BlockColumn p(5), expected(5);
  p << 0.0, 3.0, 0.0, 0.0, -3.0;  // both discs: t = (0 + 3 + 3)/3
  expected << 2.0, 2.0, 0.0, 0.0, -2.0;
  CHECK((projected(cone, p) - expected).norm() < 1e-14);
  p << 1.0, 3.0, 0.0, 0.5, 0.0;  // the first alone: t = (1 + 3)/2
  expected << 2.0, 2.0, 0.0, 0.5, 0.0;
  CHECK((projected(cone, p) - expected).norm() < 1e-14);
  p << -2.0, 1.0, 0.0, 0.0, 0.5;  // -2 + 1 + 0.5 < 0
  CHECK(projected(cone, p).isZero(0.0));
  p << 2.0, 1.0, 0.0, 0.0, 2.0;
  CHECK(projected(cone, p) == p);
}

TEST_CASE("the projection on a rolling cone is the nearest point, and Moreau's parts are orthogonal", "[cones]") {
  int inside = 0, polar = 0, between = 0;
  for_samples(1, 20000, [&](const RollingCone& cone, const BlockColumn& p) {
    const BlockColumn value = projected(cone, p), rest = value - p;
    REQUIRE(value[0] >= 0.0);
    double shift = 0.0;
    for (int i = 0; i < cone.count; ++i) {
      const ConeDisc& disc = cone.disc[static_cast<std::size_t>(i)];
      CHECK(norm(disc, value) <= disc.radius * value[0] * (1.0 + 1e-15));
      shift += disc.radius * norm(disc, rest);
    }
    CHECK(rest[0] - shift >= -1e-13 * p.norm() * (1.0 + shift));  // in K*
    CHECK(std::abs(rest.dot(value)) <= 1e-13 * p.squaredNorm());
    CHECK(std::abs(distance_to_rolling_cone(cone, p.data()) - rest.norm()) <= 1e-14 * p.norm());
    CHECK(same_bits(projected(cone, value), value));
    CHECK(distance_to_rolling_cone(cone, value.data()) <= 1e-15 * value.norm());
    ++(value == p ? inside : value.isZero(0.0) ? polar : between);
  });
  CHECK(inside > 500);
  CHECK(polar > 2000);
  CHECK(between > 5000);
}

TEST_CASE("a rolling cone with one disc is the friction cone", "[cones]") {
  Uniform uniform(3);
  for (int sample = 0; sample < 2000; ++sample) {
    const double mu = uniform(0.0, 2.0);
    const RollingCone cone = cone_of(ConstraintKind::contact, mu, 0.0, 0.0);
    const Vector3 p = uniform.point<Vector3>(1.0);
    const BlockColumn value = projected(cone, p);
    CHECK((value - project_friction_cone(p, mu)).norm() <= 1e-15);
    const BlockSquare slope = rolling_cone_derivative(cone, p.data());
    CHECK((slope - friction_cone_derivative(p, mu)).norm() <= 1e-13);
  }
}

TEST_CASE("the derivatives of both projections on rolling cones are those of differences", "[cones]") {
  constexpr double h = 1e-6;
  int checked = 0;
  for_samples(2, 4000, [&](const RollingCone& cone, const BlockColumn& p) {
    const BlockSquare own = rolling_cone_derivative(cone, p.data()), nested = rolling_strict_derivative(cone, p.data());
    CHECK((own - own.transpose()).norm() <= 1e-15);
    const bool smooth = !near_a_kink(cone, p, projected(cone, p), 1e-4);
    const bool smooth_strict = !near_a_kink(cone, p, strict(cone, p), 1e-4) && std::abs(p[0]) > h;
    for (Index k = 0; k < cone.rows; ++k) {
      BlockColumn ahead = p, behind = p;
      ahead[k] += h;
      behind[k] -= h;
      if (smooth) CHECK(((projected(cone, ahead) - projected(cone, behind)) / (2.0 * h) - own.col(k)).norm() <= 1e-6);
      if (smooth_strict) CHECK(((strict(cone, ahead) - strict(cone, behind)) / (2.0 * h) - nested.col(k)).norm() <= 1e-6);
    }
    checked += smooth && smooth_strict ? 1 : 0;
  });
  CHECK(checked > 500);
}

TEST_CASE("rolling cones: extreme numbers scale, and what is not finite shows", "[cones]") {
  for_samples(4, 300, [](const RollingCone& cone, const BlockColumn& p) {
    const BlockColumn value = projected(cone, p), nested = strict(cone, p);
    for (const int exponent : {-1000, -300, 300, 1000}) {
      const auto scaled = [exponent](double x) { return std::ldexp(x, exponent); };
      const BlockColumn moved = p.unaryExpr(scaled);
      CHECK((projected(cone, moved) - BlockColumn(value.unaryExpr(scaled))).norm() <=
            1e-15 * moved.lpNorm<Eigen::Infinity>());
      CHECK((strict(cone, moved) - BlockColumn(nested.unaryExpr(scaled))).norm() <= 1e-15 * moved.lpNorm<Eigen::Infinity>());
    }
    BlockColumn bad = p;
    bad[cone.rows - 1] = std::numeric_limits<double>::infinity();
    CHECK(projected(cone, bad).array().isNaN().all());
    CHECK(strict(cone, bad).array().isNaN().all());
    CHECK(rolling_cone_derivative(cone, bad.data()).array().isNaN().all());
    CHECK(std::isnan(distance_to_rolling_cone(cone, bad.data())));
  });
  const RollingCone wide = cone_of(ConstraintKind::rolling_torsion, 1e300, 1e200, 0.0);
  BlockColumn p(6);
  p << -1.0, 1.0, 1.0, 1.0, 1.0, 1.0;
  CHECK(projected(wide, p).allFinite());
}

TEST_CASE("products of sets take contacts with moments, on any number of threads", "[cones]") {
  Uniform uniform(5);
  ConstraintSet set;
  for (int i = 0; i < 700; ++i) {
    const auto kind = static_cast<ConstraintKind>(uniform.below(8));
    set.add(kind, uniform(0.0, 1.0), {uniform(0.0, 1.0), uniform(0.0, 1.0), 1.0});
  }
  const Vector x = uniform.vector(set.rows());
  Vector one = x, two = x, shift(set.rows());
  project_product(set, one, 1);
  project_product(set, two, 2);
  CHECK(same_bits(one, two));
  CHECK(product_distance(set, one) <= 1e-15);
  de_saxce_shift(set, x, shift);
  for (Index i = 0; i < set.count(); ++i) {
    if (!has_moments(set.kind(i))) continue;
    const RollingCone cone = rolling_cone(set, i);
    CHECK(
        same_bits(BlockColumn(one.segment(set.offset(i), cone.rows)), projected(cone, x.segment(set.offset(i), cone.rows))));
    CHECK(shift[set.offset(i)] == rolling_shift(cone, &x[set.offset(i)]));
  }
}
