#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "problems/distance_field/contact_set.hpp"
#include "problems/distance_field/dish.hpp"
#include "problems/distance_field/frank_wolfe.hpp"
#include "problems/random.hpp"
#include "tests/problems/constants.hpp"

using namespace ccp;

namespace {

/// The distance to a ball of `radius` about `centre`.
class BallDistance final : public SignedDistance {
 public:
  BallDistance(const Vector3& centre, double radius) : centre_(centre), radius_(radius) {}
  double distance(const Vector3& p) const override { return (p - centre_).norm() - radius_; }
  Vector3 gradient(const Vector3& p) const override { return (p - centre_).normalized(); }
  double lipschitz() const override { return 1.0; }

 private:
  Vector3 centre_;
  double radius_;
};

double distance_to_midline(const DishProfile& profile, const Vector2& q) {
  double least = 1.0;
  const auto line = profile.midline();
  for (const std::size_t i : {0U, 1U})
    for (int k = 0; k <= 4000; ++k) least = std::min(least, (q - line[i] - k / 4000.0 * (line[i + 1] - line[i])).norm());
  return least;
}

}  // namespace

TEST_CASE("the distance to a dish is that of its midline less the padding") {
  for (const DishProfile& profile : {DishProfile::bowl(), DishProfile::plate(), DishProfile::pot()}) {
    const DishDistance dish(profile);
    Random random(2);
    for (int i = 0; i < 60; ++i) {
      const Vector3 p(random.uniform(-0.13, 0.13), random.uniform(-0.13, 0.13), random.uniform(-0.05, 0.13));
      const Vector2 q(std::hypot(p[0], p[1]), p[2]);
      CHECK(std::abs(dish.distance(p) - (distance_to_midline(profile, q) - profile.thickness)) < 0.02 * mm);
      Vector3 difference;
      for (int axis = 0; axis < 3; ++axis)
        difference[axis] =
            (dish.distance(p + 1e-7 * Vector3::Unit(axis)) - dish.distance(p - 1e-7 * Vector3::Unit(axis))) / 2e-7;
      CHECK((difference - dish.gradient(p)).norm() < 1e-6);
    }
    CHECK(dish.distance({0.0, 0.0, 0.02}) == Approx(0.02 - profile.thickness).epsilon(1e-14));
    CHECK(dish.gradient({0.0, 0.0, 0.02}) == Vector3::UnitZ());
    CHECK(dish.gradient({0.0, 0.0, -0.02}) == -Vector3::UnitZ());
    CHECK(dish.gradient({0.0, 0.0, 0.0}).norm() == 1.0);
  }
}

TEST_CASE("the mesh of a dish lies on its surface") {
  for (const DishProfile& profile : {DishProfile::bowl(), DishProfile::plate(), DishProfile::pot()}) {
    const TriangleMesh mesh = dish_mesh(profile, 96);
    CHECK(mesh.triangles.size() == 5952);
    const DishDistance dish(profile);
    double farthest = 0.0, lowest = 1.0, highest = 0.0;
    for (const Vector3& vertex : mesh.vertices) {
      farthest = std::max(farthest, std::abs(dish.distance(vertex)));
      lowest = std::min(lowest, vertex[2]);
      highest = std::max(highest, vertex[2]);
    }
    CHECK(farthest < 1e-16);
    CHECK(lowest == -profile.thickness);
    CHECK(highest <= profile.rim[1] + profile.thickness);
    CHECK(highest > profile.rim[1] + 0.95 * profile.thickness);
  }
}

TEST_CASE("a pile of dishes has the heights of design, 10 um deep") {
  const double overlap = 0.01 * mm;
  const DishProfile bowl = DishProfile::bowl(), plate = DishProfile::plate(), pot = DishProfile::pot();
  double height = bowl.thickness - overlap;
  CHECK(height == Approx(2.990 * mm));
  height += stacking_height(bowl, bowl, overlap);
  CHECK(std::abs(height - 12.006 * mm) < 5e-4 * mm);
  // Parallel walls: the vertical distance is that along the normal over its cosine.
  CHECK(stacking_height(bowl, bowl, 0.0) == Approx(6.0 * mm * std::sqrt(40.0 * 40.0 + 45.0 * 45.0) / 40.0).epsilon(1e-12));
  height += stacking_height(bowl, plate, overlap);
  CHECK(std::abs(height - 62.996 * mm) < 5e-4 * mm);
  CHECK(stacking_height(bowl, plate, 0.0) == Approx(51.0 * mm).epsilon(1e-12));
  height += stacking_height(plate, pot, overlap);
  CHECK(std::abs(height - 69.986 * mm) < 5e-4 * mm);
  CHECK(stacking_height(plate, pot, 0.0) == Approx(7.0 * mm).epsilon(1e-12));
}

TEST_CASE("the inertia of a shell is that of its triangles") {
  for (const DishProfile& profile : {DishProfile::bowl(), DishProfile::plate(), DishProfile::pot()}) {
    double area = 0.0, first = 0.0, second = 0.0, radial = 0.0;
    const auto line = profile.midline();
    constexpr int rings = 20000;
    for (const std::size_t i : {0U, 1U})
      for (int k = 0; k < rings; ++k) {
        const Vector2 q = line[i] + (k + 0.5) / rings * (line[i + 1] - line[i]);
        const double ring = q[0] * (line[i + 1] - line[i]).norm() / rings;
        area += ring;
        first += ring * q[1];
        second += ring * q[1] * q[1];
        radial += ring * q[0] * q[0];
      }
    const ShellInertia shell = shell_inertia(profile);
    CHECK(shell.centre == Approx(first / area).epsilon(1e-8));
    CHECK(shell.axial == Approx(radial / area).epsilon(1e-8));
    CHECK(shell.across == Approx(0.5 * radial / area + second / area - first / area * first / area).epsilon(1e-8));
  }
}

TEST_CASE("Frank-Wolfe finds the nearest point of a triangle to a ball") {
  const Triangle triangle = {Vector3(0.0, 0.0, 0.0), Vector3(1.0 * mm, 0.0, 0.0), Vector3(0.0, 1.0 * mm, 0.0)};
  SECTION("a corner") {
    const NearPoint near = nearest_on_triangle(BallDistance(Vector3(-2.0, -2.0, 5.0) * mm, 1.0 * mm), triangle);
    CHECK(near.point == Vector3::Zero());
    CHECK(near.distance == Approx((std::sqrt(33.0) - 1.0) * mm).epsilon(1e-14));
  }
  SECTION("an edge") {
    const NearPoint near = nearest_on_triangle(BallDistance(Vector3(0.3, -2.0, 5.0) * mm, 1.0 * mm), triangle);
    CHECK(near.distance == Approx((std::sqrt(29.0) - 1.0) * mm).epsilon(1e-5));
    CHECK(near.distance >= (std::sqrt(29.0) - 1.0) * mm * (1.0 - 1e-14));
  }
  SECTION("the interior") {
    const NearPoint near = nearest_on_triangle(BallDistance(Vector3(0.3, 0.25, 22.0) * mm, 21.5 * mm), triangle);
    CHECK(near.distance >= 0.5 * mm * (1.0 - 1e-14));
    CHECK(near.distance <= 0.5 * mm + 0.3e-6);
  }
}

TEST_CASE("on the flanks of a nut Frank-Wolfe is within half a micrometre of a grid of points") {
  const ThreadedBolt bolt(ThreadProfile::bolt_m48(0.0), 40.0 * mm);
  const TriangleMesh nut = nut_mesh(ThreadProfile::nut_m48(0.0), 19.0 * mm, 96, 2);
  double worst = 0.0, worst_corner = 0.0;
  int seen = 0;
  for (std::size_t i = 0; i < nut.triangles.size(); i += 37) {
    const Triangle t = nut.corners(i);
    double least = 1.0, corner = 1.0;
    for (int a = 0; a <= 32; ++a)
      for (int b = 0; a + b <= 32; ++b)
        least = std::min(least, bolt.distance(t[0] + a / 32.0 * (t[1] - t[0]) + b / 32.0 * (t[2] - t[0])));
    const auto radius = [&](std::size_t k) { return std::hypot(t[k][0], t[k][1]); };
    const bool flat =
        std::abs(radius(0) - radius(1)) + std::abs(radius(1) - radius(2)) < 1e-9;  // spans a groove of the bolt
    if (least > 0.1 * mm || flat) continue;
    for (const Vector3& point : t) corner = std::min(corner, bolt.distance(point));
    ++seen;
    worst = std::max(worst, nearest_on_triangle(bolt, t).distance - least);
    worst_corner = std::max(worst_corner, corner - least);
  }
  CAPTURE(worst);
  CHECK(worst <= 0.5e-6);
  CHECK(seen > 150);
  CHECK(worst_corner > 5e-6);  // corners alone miss the chords
}

TEST_CASE("near points are those that no culling would leave out") {
  const DishDistance bowl(DishProfile::bowl());
  const TriangleMesh upper =
      dish_mesh(DishProfile::bowl(), 96)
          .placed(Matrix3::Identity(), {0.0, 0.0, stacking_height(DishProfile::bowl(), DishProfile::bowl(), 0.0)});
  const std::vector<MeshPoint> found = near_points(bowl, upper, 0.2 * mm);
  std::size_t next = 0;
  for (std::size_t i = 0; i < upper.triangles.size(); ++i)
    if (const NearPoint near = nearest_on_triangle(bowl, upper.corners(i)); near.distance < 0.2 * mm) {
      REQUIRE(next < found.size());
      CHECK(found[next].triangle == static_cast<int>(i));
      CHECK(found[next].distance == near.distance);
      ++next;
    }
  CHECK(next == found.size());
  CHECK(next > 96);
}

TEST_CASE("a contact set is at most its limit, the deepest first, one point to a cluster") {
  const FloorDistance floor;
  // A strip of points at z = 1, 2, 3 … µm, every third of them twice: triangles that are points.
  TriangleMesh mesh;
  for (int i = 0; i < 9; ++i) {
    mesh.vertices.emplace_back(10.0 * mm * (i / 3) + 0.1 * mm * (i % 3), 0.0, 1e-6 * (9 - i));
    mesh.triangles.push_back({i, i, i});
    if (i % 3 == 0) mesh.triangles.push_back({i, i, i});
  }
  const auto all = contact_set(floor, mesh, {1e-4, 120});
  CHECK(all.size() == 9);  // the doubles are gone
  const auto few = contact_set(floor, mesh, {1e-4, 3});
  REQUIRE(few.size() == 3);
  CHECK(few[0].gap == 1e-6 * 1.0);
  CHECK(few[1].gap == Approx(4e-6));  // the deepest of the middle three, not the one that is farthest from the others
  CHECK(few[2].gap == Approx(7e-6));
  for (const FieldContact& contact : few) {
    CHECK(contact.normal == Vector3::UnitZ());
    CHECK(contact.point[2] == 0.5 * contact.gap);
  }
  CHECK(contact_set(floor, mesh, {4.5e-6, 120}).size() == 4);
}
