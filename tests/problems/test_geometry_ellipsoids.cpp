#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "problems/geometry/ellipsoid.hpp"
#include "problems/geometry/separation.hpp"
#include "solids.hpp"
#include "tests/problems/constants.hpp"

using namespace ccp;
using namespace solids;

namespace {

/// Two bodies that touch, or nearly, at a known place.
struct KnownPair {
  Solid first, second;
  Vector3 normal, point;
  double gap;
};

Vector3 foot(const Solid& solid, const Vector3& n) {  // the point of an ellipsoid or sphere farthest in direction n
  if (const auto* sphere = std::get_if<Sphere>(&solid.shape)) return solid.pose.position + sphere->radius * n;
  const Vector3 radii = std::get<Ellipsoid>(solid.shape).radii;
  const Matrix3 S = solid.pose.rotation * radii.cwiseAbs2().asDiagonal() * solid.pose.rotation.transpose();
  return solid.pose.position + S * n / std::sqrt(n.dot(S * n));
}

KnownPair known_pair(Random& random, const Shape& first, const Shape& second, double least_radius) {
  KnownPair pair;
  pair.normal = random.direction();
  pair.gap = least_radius * random.uniform(-0.10, 0.05);
  pair.first = solid(0, first, random.in_ball(), random.rotation());
  pair.second = solid(1, second, Vector3::Zero(), random.rotation());
  const Vector3 here = foot(pair.first, pair.normal);
  pair.second.pose.position = here + pair.gap * pair.normal - foot(pair.second, -pair.normal);
  pair.point = here + 0.5 * pair.gap * pair.normal;
  return pair;
}

void check_known(const KnownPair& pair, const Contacts& contacts) {
  REQUIRE(contacts.size() == 1);
  const Contact& contact = contacts.front();
  CHECK(contact.gap == Approx(pair.gap).margin(1e-12).epsilon(0.0));
  CHECK((contact.normal - pair.normal).norm() <= 1e-12);
  CHECK((contact.point - pair.point).norm() <= 1e-12);
  CHECK(contact.id == ContactId{0, 1, ContactKind::smooth, 0, 0});
}

struct Steps {
  double mean = 0.0;
  int most = 0;
};

/// Over 400 pairs of equal ellipsoids.
Steps check_random_pairs(const Vector3& radii) {
  Random random(7);
  Steps steps;
  for (int i = 0; i < 400; ++i) {
    CAPTURE(i, radii.transpose());
    const KnownPair pair = known_pair(random, Ellipsoid{radii}, Ellipsoid{radii}, radii.minCoeff());
    check_known(pair, contacts_of(pair.first, pair.second, 1.0));
    const Vector3 d = pair.second.pose.position - pair.first.pose.position;
    const Separation apart =
        separate(image_of_ball({radii}, pair.first.pose), image_of_ball({radii}, pair.second.pose), d, d.normalized());
    CHECK(apart.converged);
    steps.mean += apart.steps / 400.0;
    steps.most = std::max(steps.most, apart.steps);
  }
  return steps;
}

}  // namespace

TEST_CASE("ellipsoids with a known normal and gap: 400 pairs, 4.2 Newton steps") {
  const Steps usual = check_random_pairs({0.9, 0.5, 1.0});
  CHECK(usual.mean == Approx(4.2).margin(0.05));
  CHECK(usual.most <= 6);
  for (const Vector3& radii : {Vector3(1.0, 0.1, 0.1), Vector3(1.0, 1.0, 0.05)}) {
    const Steps extreme = check_random_pairs(radii);
    CAPTURE(radii.transpose(), extreme.mean);
    CHECK(extreme.most <= 12);
  }
}

TEST_CASE("an ellipsoid and a sphere, in either order") {
  Random random(8);
  const Ellipsoid ellipsoid{{0.9, 0.5, 1.0}};
  for (int i = 0; i < 200; ++i) {
    CAPTURE(i);
    const KnownPair after = known_pair(random, ellipsoid, Sphere{0.7}, 0.5);
    check_known(after, contacts_of(after.first, after.second, 1.0));
    const KnownPair before = known_pair(random, Sphere{0.7}, ellipsoid, 0.5);
    check_known(before, contacts_of(before.first, before.second, 1.0));
  }
}

TEST_CASE("the spin of a sphere changes no byte of its contact with an ellipsoid") {
  const Solid ellipsoid = solid(0, Ellipsoid{{0.9, 0.5, 1.0}}, {0.1, 0.2, 0.3}, turned({1, 2, 3}, 0.7));
  const Solid still = solid(1, Sphere{0.7}, {1.2, 0.9, 0.3});
  Solid spun = still;
  spun.pose.rotation = turned({-1, 0, 2}, 1.1);
  const Contacts contacts = contacts_of(ellipsoid, still, 1.0);
  REQUIRE(contacts.size() == 1);
  CHECK(same_contacts(contacts, contacts_of(ellipsoid, spun, 1.0)));
}

TEST_CASE("two ellipsoids that are spheres are as two spheres") {
  const Solid first = solid(0, Ellipsoid{{0.5, 0.5, 0.5}}, {0, 0, 0}, turned({1, 2, 3}, 0.7));
  const Solid second = solid(1, Ellipsoid{{0.7, 0.7, 0.7}}, {0.6, 0.7, 0.8}, turned({3, 2, 1}, 0.2));
  const Contact smooth = contacts_of(first, second, 1.0).at(0);
  const Contact exact = contacts_of(solid(0, Sphere{0.5}, {0, 0, 0}), solid(1, Sphere{0.7}, {0.6, 0.7, 0.8}), 1.0).at(0);
  CHECK(smooth.gap == Approx(exact.gap).margin(1e-15));
  CHECK((smooth.normal - exact.normal).norm() <= 1e-14);
  CHECK((smooth.point - exact.point).norm() <= 1e-14);
}

TEST_CASE("an ellipsoid and a plane") {
  Random random(9);
  for (int i = 0; i < 200; ++i) {
    CAPTURE(i);
    const Solid body = solid(0, Ellipsoid{{0.9, 0.1, 1.0}}, random.in_ball(), random.rotation());
    const Vector3 normal = random.direction();
    const double gap = random.uniform(-0.1, 0.1);
    const Vector3 deepest = foot(body, normal);
    Solid ground = solid(5, HalfSpace{}, deepest + gap * normal + normal.cross(random.direction()));
    ground.pose.rotation = Eigen::Quaterniond::FromTwoVectors(Vector3::UnitZ(), -normal).matrix();
    const Contacts contacts = contacts_with_obstacle(body, ground, 0.2);
    REQUIRE(contacts.size() == 1);
    CHECK(contacts[0].gap == Approx(gap).margin(1e-14));
    CHECK((contacts[0].normal - normal).norm() <= 1e-13);
    CHECK((contacts[0].point - (deepest + 0.5 * gap * normal)).norm() <= 1e-13);
    CHECK(contacts[0].id == ContactId{0, 5, ContactKind::smooth, 0, 0});
  }
}

TEST_CASE("coins rim to rim that overlap too much for that part by sliding over each other") {
  // On the line of centres g has a saddle: the slope is 0 in every direction, and tilting the normal parts them sooner.
  const Shape coin = Ellipsoid{{1.0, 1.0, 0.05}};
  const Solid first = solid(0, coin, {0, 0, 0});
  const auto gap_at = [&](double overlap) { return contacts_of(first, solid(1, coin, {2.0 - overlap, 0, 0}), 1.0).at(0); };
  const Contact shallow = gap_at(0.004);  // up to 2 · 0.05² the rims are nearest
  CHECK((shallow.normal - Vector3::UnitX()).norm() <= 1e-12);
  CHECK(shallow.gap == Approx(-0.004).margin(1e-14));
  const Contact deep = gap_at(0.04);
  CHECK(deep.gap > -0.03);
  CHECK(deep.gap >= best_of_directions(first, solid(1, coin, {1.96, 0, 0}), 20000));
}

TEST_CASE("ellipsoids at the same place part along their shortest axis") {
  const Solid first = solid(0, Ellipsoid{{1.0, 0.3, 0.8}}, {1, 2, 3});
  const Solid second = solid(1, Ellipsoid{{0.9, 0.4, 0.7}}, {1, 2, 3});
  const Contact contact = contacts_of(first, second, 1.0).at(0);
  CHECK(std::abs(contact.normal[1]) == Approx(1.0).epsilon(1e-14));
  CHECK(contact.gap == Approx(-0.7).epsilon(1e-14));
  CHECK(contacts_of(first, solid(1, Sphere{0.1}, {1, 2, 3}), 1.0).at(0).gap == Approx(-0.4).epsilon(1e-14));
}

TEST_CASE("pairs farther apart than the envelope are no contacts") {
  const Solid first = solid(0, Ellipsoid{{1.0, 0.3, 0.8}}, {0, 0, 0});
  CHECK(contacts_of(first, solid(1, Sphere{0.5}, {0, 1.0, 0}), 0.19).empty());
  CHECK(contacts_of(first, solid(1, Sphere{0.5}, {0, 1.0, 0}), 0.21).size() == 1);
  const Matrix3 ball = Matrix3::Identity();  // no step is taken where the first direction shows it
  CHECK(separate(ball, ball, {2.0, 1.0, 0.0}, Vector3::UnitX(), -0.1).steps == 0);
  CHECK(separate(ball, ball, {2.0, 1.0, 0.0}, Vector3::UnitX(), 0.1).gap == Approx(std::sqrt(5.0) - 2.0));
}

TEST_CASE("an ellipsoid in a cylinder touches where it is farthest from the axis") {
  Random random(10);
  for (int i = 0; i < 300; ++i) {
    CAPTURE(i);
    const Vector3 place = (i == 0 ? 0.0 : i % 2 == 0 ? 0.3 : 3.0) * random.in_ball() + Vector3(0.1, -0.2, 0.3);
    const Solid body = solid(0, Ellipsoid{{0.9, 0.1, 0.4}}, place, random.rotation());
    const Solid cavity = solid(1, CylinderCavity{2.0}, {0.1, -0.2, 0.3}, random.rotation());
    const Contacts contacts = contacts_with_obstacle(body, cavity, 10.0);
    REQUIRE(contacts.size() == 1);
    const Vector3 x = cavity.pose.rotation.col(0), y = cavity.pose.rotation.col(1);
    double farthest = 0.0;
    for (int k = 0; k < 2000; ++k) {
      const double angle = 2.0 * pi * k / 2000.0;
      const Vector3 n = std::cos(angle) * x + std::sin(angle) * y;
      farthest = std::max(farthest, support(body, n) - n.dot(cavity.pose.position));
    }
    const Contact& contact = contacts[0];
    CHECK(contact.gap <= 2.0 - farthest + 1e-14);
    CHECK(contact.gap >= 2.0 - farthest - 1e-4);
    CHECK(std::abs(contact.normal.dot(cavity.pose.rotation.col(2))) <= 1e-14);
    const Vector3 on_body = contact.point - 0.5 * contact.gap * contact.normal;
    CHECK(std::abs(outside(body, on_body)) <= 1e-13);
    const Vector3 from_axis = on_body - cavity.pose.position;
    CHECK((x.dot(from_axis) * x + y.dot(from_axis) * y - (2.0 - contact.gap) * contact.normal).norm() <= 1e-12);
  }
}

TEST_CASE("an ellipsoid and a box: the direction and the points certify the distance") {
  Random random(11);
  int faces = 0, edges = 0, corners = 0;
  for (const Vector3& radii : {Vector3(0.9, 0.5, 1.0), Vector3(1.0, 0.1, 0.1), Vector3(1.0, 1.0, 0.05)})
    for (int i = 0; i < 400; ++i) {
      CAPTURE(i, radii.transpose());
      const Solid body = solid(0, Ellipsoid{radii}, 1.5 * random.in_ball(), random.rotation());
      Solid box = solid(1, Box{{0.3, 0.5, 0.05}}, body.pose.position, random.rotation());
      const Vector3 towards = random.direction();
      box.pose.position += (radii.minCoeff() * random.uniform(-0.1, 0.2) - gap_along(body, box, towards)) * towards;
      const Contacts contacts = contacts_of(body, box, 10.0);
      REQUIRE(contacts.size() == 1);
      const Contact& contact = contacts[0];
      CHECK(contact.gap == Approx(gap_along(body, box, contact.normal)).margin(1e-14));
      CHECK(contact.gap >= gap_along(body, box, towards) - 1e-14);
      if (contact.gap < 0.0) {
        CHECK(contact.gap >= best_of_directions(body, box, 2000));
        continue;
      }
      CHECK(outside(body, contact.point - 0.5 * contact.gap * contact.normal) <= 1e-12);
      CHECK(outside(box, contact.point + 0.5 * contact.gap * contact.normal) <= 1e-12);
      const Vector3 n = box.pose.rotation.transpose() * contact.normal;
      const auto across = (n.array().abs() > 1e-9).count();
      ++(across == 1 ? faces : across == 2 ? edges : corners);
    }
  INFO(faces << " faces, " << edges << " edges, " << corners << " corners");
  CHECK(faces > 30);
  CHECK(edges > 100);
  CHECK(corners > 100);
}

TEST_CASE("a coin that leans on the edge of a slab is not pushed through the slab") {
  // Its highest point lies over the slab: the lower face holds that foot, 0.7 deep. The edge is nearest.
  const Solid slab = solid(1, Box{{1.0, 1.0, 0.05}}, {0, 0, 0});
  const double half = std::sqrt(0.5);
  Solid coin = solid(0, Ellipsoid{{1.0, 1.0, 0.02}}, {1.0, 0.0, 0.05}, turned({0, 1, 0}, pi / 4.0));
  coin.pose.position += (0.02 - 1e-6) * Vector3(half, 0.0, half);
  const Contact contact = contacts_of(coin, slab, 0.1).at(0);
  CHECK(contact.gap == Approx(-1e-6).margin(1e-12));
  CHECK((contact.normal + Vector3(half, 0.0, half)).norm() <= 1e-6);
}

TEST_CASE("a coin cut by the edge of a cube leaves it tilted, not along its plane") {
  // In the direction of its plane the slope of the gap is 0 as well: there the gap is −0.0033, and least.
  Matrix3 axes;
  const double half = std::sqrt(0.5);
  axes << half, 0, half, half, 0, -half, 0, 1, 0;
  const Solid coin = solid(0, Ellipsoid{{1.0, 1.0, 0.05}}, Vector3(1, 1, 0) + (1.0 - 0.0033) * axes.col(0), axes);
  const Solid cube = solid(1, Box{{1, 1, 1}}, {0, 0, 0});
  double best = -1.0;
  for (int i = 0; i <= 1000; ++i) {
    const double angle = pi / 2.0 * i / 1000.0;
    best = std::max(best, gap_along(coin, cube, {-std::cos(angle), -std::sin(angle), 0.0}));
  }
  REQUIRE(best > -0.0033 + 1e-5);
  CHECK(contacts_of(coin, cube, 0.1).at(0).gap >= best);
}
