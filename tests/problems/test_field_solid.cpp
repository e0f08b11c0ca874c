#include <Eigen/Geometry>
#include <catch2/catch.hpp>

#include "core/error.hpp"
#include "problems/distance_field/convex_hull.hpp"
#include "problems/distance_field/dish.hpp"
#include "problems/distance_field/field_solid.hpp"
#include "problems/dynamics/attitude.hpp"
#include "problems/geometry/find_contacts.hpp"
#include "problems/random.hpp"

using namespace ccp;

namespace {

const Vector3 solid_half(0.1, 0.2, 0.05);

/// The corners of a box, points on its faces and inside.
std::vector<Vector3> points_of_box() {
  std::vector<Vector3> points;
  for (int x = -2; x <= 2; ++x)
    for (int y = -2; y <= 2; ++y)
      for (int z = -2; z <= 2; ++z) points.push_back(solid_half.cwiseProduct(0.5 * Vector3(x, y, z)));
  return points;
}

double hull_volume(const TriangleMesh& mesh) {
  double sum = 0.0;
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    const Triangle t = mesh.corners(i);
    sum += t[0].dot(t[1].cross(t[2])) / 6.0;
  }
  return sum;
}

Contacts contacts_between(const Shape& a, const Pose& at, const Shape& b, const Pose& there, double envelope) {
  const std::vector<Solid> solids{{0, a, at}, {1, b, there}};
  return find_contacts(solids, {}, envelope);
}

Pose some_pose(Random& random, double reach) { return {reach * random.in_ball(), random.rotation()}; }

}  // namespace

TEST_CASE("the hull of a box with points on its faces has its corners, and its distance") {
  const TriangleMesh hull = convex_hull(points_of_box(), 64);
  CHECK(hull.vertices.size() == 8);
  CHECK(hull.triangles.size() == 12);
  CHECK(hull_volume(hull) == Approx(8.0 * solid_half.prod()).epsilon(1e-14));
  const ConvexDistance distance(hull);
  Random random(3);
  for (int i = 0; i < 200; ++i) {
    const Vector3 p = 0.3 * random.in_ball(), beyond = p.cwiseAbs() - solid_half;
    CHECK(std::abs(distance.distance(p) - (beyond.cwiseMax(0.0).norm() + std::min(beyond.maxCoeff(), 0.0))) < 1e-15);
    const double step = 1e-6;
    const Vector3 n = distance.gradient(p);
    CHECK(n.norm() == Approx(1.0).epsilon(1e-12));
    if (distance.distance(p) > step) CHECK((distance.distance(p + step * n) - distance.distance(p)) / step == Approx(1.0));
  }
}

TEST_CASE("a hull has all points inside, or the farthest ones as its corners") {
  Random random(5);
  std::vector<Vector3> points;
  for (int i = 0; i < 400; ++i) points.push_back(random.in_ball());
  const ConvexDistance all(convex_hull(points, 400));
  for (const Vector3& p : points) CHECK(all.distance(p) < 1e-6);
  for (Vector3& p : points) p.normalize();
  const TriangleMesh few = convex_hull(points, 64);
  CHECK(few.vertices.size() == 64);
  CHECK(few.triangles.size() == 124);  // Euler: 2 corners − 4
  const ConvexDistance distance(few);
  for (const Vector3& p : points) CHECK(distance.distance(p) < 0.12);
  CHECK_THROWS_WITH(convex_hull({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {3, 2, 0}}, 64), Catch::Contains("in a plane"));
  CHECK_THROWS_WITH(convex_hull({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, 64), Catch::Contains("expected 4 or more"));
  CHECK_THROWS_WITH(convex_hull({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, NAN}}, 64), Catch::Contains("not finite"));
}

TEST_CASE("a ball has the contact with a hull that it has with the box of the same corners") {
  const FieldShape field = convex_field(points_of_box());
  Random random(7);
  int seen = 0;
  for (int i = 0; i < 200; ++i) {
    const Pose box = some_pose(random, 0.1);
    const Pose ball{0.35 * random.in_ball(), Matrix3::Identity()};
    const Contacts expected = contacts_between(Sphere{0.03}, ball, Box{solid_half}, box, 0.05);
    const Contacts found = contacts_between(Sphere{0.03}, ball, field, box, 0.05);
    REQUIRE(found.size() == expected.size());
    if (found.empty() || expected[0].gap < -0.03) continue;  // the centre is inside
    ++seen;
    CHECK(std::abs(found[0].gap - expected[0].gap) < 1e-14);
    CHECK((found[0].normal - expected[0].normal).norm() < 1e-12);
    CHECK((found[0].point - expected[0].point).norm() < 1e-14);
    const Contacts turned = contacts_between(field, box, Sphere{0.03}, ball, 0.05);
    REQUIRE(turned.size() == 1);
    CHECK((turned[0].normal + found[0].normal).norm() == 0.0);
    CHECK(turned[0].id.feature_a == found[0].id.feature_b);
  }
  CHECK(seen > 20);
}

TEST_CASE("hulls touch a plane, a box and one another at their corners") {
  const FieldShape field = convex_field(points_of_box());
  const double gap = 1e-3;
  const Pose low{{0.0, 0.0, solid_half[2] + gap}, rotation_matrix(rotation_exponential({0.0, 0.0, 0.3}))};
  const std::vector<Solid> upper{{0, field, low}}, floor{{1, HalfSpace{}, {}}};
  const Contacts on_floor = find_contacts(upper, floor, 0.01);
  CHECK(on_floor.size() == 4);
  for (const Contact& contact : on_floor) {
    CHECK(contact.gap == Approx(gap).epsilon(1e-10));
    CHECK((contact.normal + Vector3::UnitZ()).norm() < 1e-14);
    CHECK(contact.point[2] == Approx(0.5 * gap).epsilon(1e-10));
  }
  const Vector3 wide(0.4, 0.4, 0.1);
  const Pose under{{0.0, 0.0, -wide[2]}, Matrix3::Identity()};
  for (const Shape& plate : {Shape(Box{wide}), Shape(convex_field({{0.4, 0.4, 0.1},
                                                                   {0.4, -0.4, 0.1},
                                                                   {-0.4, 0.4, 0.1},
                                                                   {-0.4, -0.4, 0.1},
                                                                   {0.4, 0.4, -0.1},
                                                                   {0.4, -0.4, -0.1},
                                                                   {-0.4, 0.4, -0.1},
                                                                   {-0.4, -0.4, -0.1}}))}) {
    const Contacts found = contacts_between(plate, under, field, low, 0.01);
    REQUIRE(found.size() >= 4);
    double momentum = 0.0;
    for (const Contact& contact : found) {
      CHECK(contact.gap == Approx(gap).epsilon(1e-9));
      CHECK((contact.normal - Vector3::UnitZ()).norm() < 1e-9);
      momentum = std::max(momentum, contact.point.head<2>().norm());
    }
    CHECK(momentum == Approx(solid_half.head<2>().norm()).epsilon(1e-9));  // the corners carry
  }
}

TEST_CASE("a ball in the corner of a dish touches its base and its wall") {
  const DishProfile profile{{0.03, 0.0}, {0.03, 0.1}, 0.002};
  const FieldShape dish = field_shape({std::make_unique<DishDistance>(profile), dish_mesh(profile, 24), false});
  const double radius = 0.005, gap = 1e-4;
  const Pose ball{{0.03 - 0.002 - radius - gap, 0.0, 0.002 + radius + gap}, Matrix3::Identity()};
  const Contacts found = contacts_between(Sphere{radius}, ball, dish, {}, 1e-3);
  REQUIRE(found.size() == 2);
  CHECK(found[0].gap == Approx(gap).epsilon(1e-10));
  CHECK(found[1].gap == Approx(gap).epsilon(1e-10));
  CHECK((found[0].normal + Vector3::UnitZ()).norm() < 1e-12);
  CHECK((found[1].normal - Vector3::UnitX()).norm() < 1e-12);
  CHECK(found[0].id < found[1].id);
}
