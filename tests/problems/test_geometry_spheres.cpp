#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <numbers>

#include "solids.hpp"

using namespace ccp;
using namespace solids;

namespace {

/// The only contact of a body and an obstacle, expected with a normal (body to obstacle) and a gap; the point is halfway.
void check_sphere(const Solid& sphere, const Contacts& contacts, const Vector3& normal, double gap) {
  REQUIRE(contacts.size() == 1);
  const Contact& contact = contacts.front();
  const double radius = std::get<Sphere>(sphere.shape).radius;
  CHECK(contact.gap == Approx(gap).margin(1e-14).epsilon(0.0));
  CHECK((contact.normal - normal).norm() <= 1e-14);
  CHECK((contact.point - (sphere.pose.position + (radius + 0.5 * gap) * normal)).norm() <= 1e-14);
  CHECK(contact.id == ContactId{0, 1, ContactKind::smooth, 0, 0});
}

/// A sphere with a given place in the frame of an obstacle, the frame itself somewhere.
void check_in_frame(const Shape& obstacle, const Vector3& place, const Vector3& own_normal, double gap) {
  CAPTURE(place.transpose(), own_normal.transpose());
  Random random(3);
  for (int i = 0; i < 10; ++i) {
    const Solid other = solid(1, obstacle, random.in_ball(), i == 0 ? Matrix3(Matrix3::Identity()) : random.rotation());
    const Solid sphere = solid(0, Sphere{0.2}, other.pose.position + other.pose.rotation * place, random.rotation());
    check_sphere(sphere, contacts_with_obstacle(sphere, other, 10.0), other.pose.rotation * own_normal, gap);
  }
}

}  // namespace

TEST_CASE("two spheres") {
  const Solid first = solid(0, Sphere{0.3}, {1, 2, 3});
  const Vector3 normal(2.0 / 3.0, -1.0 / 3.0, 2.0 / 3.0);
  for (const double gap : {-0.1, 0.0, 0.05}) {
    const Solid second = solid(1, Sphere{0.4}, Vector3(1, 2, 3) + (0.7 + gap) * normal);
    check_sphere(first, contacts_of(first, second, 0.1), normal, gap);
  }
  check_sphere(first, contacts_of(first, solid(1, Sphere{0.4}, {1, 2, 3}), 0.1), Vector3::UnitZ(), -0.7);
  CHECK(contacts_of(first, solid(1, Sphere{0.4}, {1, 2, 3.81}), 0.1).empty());
  CHECK(contacts_of(first, solid(1, Sphere{0.4}, {1, 2, 3.79}), 0.1).size() == 1);
}

TEST_CASE("an envelope of 0 keeps what touches or overlaps") {
  const Solid first = solid(0, Sphere{0.25}, {0, 0, 0});
  CHECK(contacts_of(first, solid(1, Sphere{0.25}, {0.5, 0, 0}), 0.0).size() == 1);
  CHECK(contacts_of(first, solid(1, Sphere{0.25}, {0.5 + 1e-15, 0, 0}), 0.0).empty());
}

TEST_CASE("a sphere and a half-space") {
  check_in_frame(HalfSpace{}, {0.7, -0.4, 0.25}, -Vector3::UnitZ(), 0.05);
  check_in_frame(HalfSpace{}, {0.7, -0.4, -1.0}, -Vector3::UnitZ(), -1.2);
}

TEST_CASE("a sphere and a box: beside a face, an edge, a corner, and inside") {
  const Box box{{0.5, 0.6, 0.7}};
  check_in_frame(box, {0.1, 0.2, 1.0}, -Vector3::UnitZ(), 0.1);
  check_in_frame(box, {-0.6, 0.2, 0.3}, Vector3::UnitX(), -0.1);
  check_in_frame(box, {0.8, 0.1, 1.1}, -Vector3(0.6, 0.0, 0.8), 0.3);
  check_in_frame(box, {0.5 + 0.2, -0.6 - 0.1, 0.7 + 0.2}, -Vector3(2, -1, 2) / 3.0, 0.1);
  check_in_frame(box, {0.1, 0.55, 0.0}, -Vector3::UnitY(), -0.25);
  check_in_frame(box, {-0.45, 0.1, 0.0}, Vector3::UnitX(), -0.25);
  const Solid cube = solid(1, Box{{0.5, 0.5, 0.5}}, {0, 0, 0});  // in the middle: the first face
  const Solid sphere = solid(0, Sphere{0.2}, {0, 0, 0});
  check_sphere(sphere, contacts_of(sphere, cube, 0.0), -Vector3::UnitX(), -0.7);
}

TEST_CASE("a sphere in a cylinder and around one") {
  check_in_frame(CylinderCavity{1.0}, {0.6 * 0.7, 0.8 * 0.7, 5.0}, {0.6, 0.8, 0.0}, 0.1);
  check_in_frame(CylinderCavity{1.0}, {0.0, -2.0, 5.0}, {0.0, -1.0, 0.0}, -1.2);
  check_in_frame(Cylinder{0.5}, {0.6 * 0.8, 0.8 * 0.8, 5.0}, {-0.6, -0.8, 0.0}, 0.1);
  const Cylinder drum_stick{0.5, 2.0};
  check_in_frame(drum_stick, {0.3, 0.1, -2.3}, Vector3::UnitZ(), 0.1);
  check_in_frame(drum_stick, {0.6 * 0.8, 0.8 * 0.8, 2.4}, -Vector3(0.36, 0.48, 0.8), 0.3);
  check_in_frame(drum_stick, {0.1, 0.0, 1.9}, -Vector3::UnitZ(), -0.3);
  check_in_frame(drum_stick, {0.0, 0.45, 1.9}, -Vector3::UnitY(), -0.25);
}

TEST_CASE("a sphere on the axis of a cylinder") {
  const Solid sphere = solid(0, Sphere{0.2}, {1.0, 2.0, 5.0});
  const Matrix3 turn = turned(Vector3::UnitZ(), 0.4);
  const Solid cavity = solid(1, CylinderCavity{1.0}, {1.0, 2.0, 3.0}, turn),
              pillar = solid(1, Cylinder{0.5}, {1.0, 2.0, 3.0}, turn);
  check_sphere(sphere, contacts_with_obstacle(sphere, cavity, 10.0), turn.col(0), 0.8);
  check_sphere(sphere, contacts_with_obstacle(sphere, pillar, 10.0), -turn.col(0), -0.7);
}

TEST_CASE("a sphere in a drum: one contact at the middle of a facet, two at a corner, exactly") {
  const double apothem = std::cos(std::numbers::pi / 32.0);
  for (const double angle : {0.0, 0.3}) {
    const Solid drum = solid(1, Drum{1.0}, {0, 0, 0}, turned(Vector3::UnitZ(), angle));
    const auto at = [&](double turn, double distance) {
      return Vector3(distance * std::cos(angle + turn), distance * std::sin(angle + turn), 0.25);
    };
    for (int facet = 0; facet < 32; ++facet) {
      CAPTURE(facet, angle);
      const double turn = facet * std::numbers::pi / 16.0;
      const Solid middle = solid(0, Sphere{0.05}, at(turn, apothem - 0.05 - 0.001));
      const Contacts one = contacts_with_obstacle(middle, drum, 0.01);
      REQUIRE(one.size() == 1);
      CHECK(one[0].gap == Approx(0.001).margin(1e-15).epsilon(0.0));
      CHECK((one[0].normal - at(turn, 1.0) + Vector3(0, 0, 0.25)).norm() <= 1e-15);
      CHECK(one[0].id == ContactId{0, 1, ContactKind::smooth, 0, facet + 1});

      const double reach = 0.9;  // towards the corner between this facet and the next
      const Solid corner = solid(0, Sphere{0.05}, at(turn + std::numbers::pi / 32.0, reach));
      const Contacts two = contacts_with_obstacle(corner, drum, 0.05);
      REQUIRE(two.size() == 2);
      for (const Contact& contact : two)
        CHECK(contact.gap == Approx(apothem - reach * apothem - 0.05).margin(1e-15).epsilon(0.0));
      CHECK(two[0].id.feature_b == (facet == 31 ? 1 : facet + 1));
      CHECK(two[1].id.feature_b == (facet == 31 ? 32 : facet + 2));
    }
  }
}

TEST_CASE("bounds hold their shape and touch it") {
  Random random(4);
  for (const Shape& shape : {Shape(Sphere{0.4}), Shape(Ellipsoid{{0.9, 0.1, 0.5}}), Shape(Box{{0.2, 0.7, 0.4}})})
    for (int i = 0; i < 20; ++i) {
      const Solid body = solid(0, shape, random.in_ball(), random.rotation());
      const Bounds bounds = bounds_of(shape, body.pose);
      for (Index axis = 0; axis < 3; ++axis) {
        CHECK(bounds.high[axis] == Approx(support(body, Vector3::Unit(axis))).margin(1e-14));
        CHECK(bounds.low[axis] == Approx(-support(body, -Vector3::Unit(axis))).margin(1e-14));
      }
    }
  const Bounds finite = bounds_of(Cylinder{0.5, 2.0}, {{1, 0, 0}, turned(Vector3::UnitY(), std::numbers::pi / 2.0)});
  CHECK((finite.high - Vector3(3.0, 0.5, 0.5)).norm() <= 1e-14);
  const Bounds leaning = bounds_of(Cylinder{0.5, 2.0}, {{0, 0, 0}, turned(Vector3::UnitY(), std::numbers::pi / 6.0)});
  const double across = std::sqrt(0.75);
  CHECK((leaning.high - Vector3(1.0 + 0.5 * across, 0.5, 2.0 * across + 0.25)).norm() <= 1e-14);
  for (const Shape& shape : {Shape(HalfSpace{}), Shape(Drum{1.0}), Shape(CylinderCavity{1.0}), Shape(Cylinder{1.0})})
    CHECK(bounds_of(shape, {{1, 2, 3}, Matrix3::Identity()}).low == Vector3::Constant(-infinite));
}

TEST_CASE("sizes that are not positive and finite are refused by name") {
  const auto refused = [](const Shape& shape) {
    std::string message;
    try {
      check_shape(shape, "body 3");
    } catch (const std::exception& error) {
      message = error.what();
    }
    return message;
  };
  CHECK(refused(Sphere{0.0}) == "body 3: 'radius' of the sphere is 0 m, expected more than 0");
  CHECK(refused(Sphere{-1.0}) == "body 3: 'radius' of the sphere is -1 m, expected more than 0");
  CHECK(refused(Sphere{infinite}) == "body 3: 'radius' of the sphere is inf m, expected more than 0 and finite");
  CHECK(refused(Sphere{std::nan("")}) == "body 3: 'radius' of the sphere is nan m, expected more than 0");
  CHECK(refused(Ellipsoid{{1.0, 0.0, 1.0}}) == "body 3: 'radii' of the ellipsoid is 0 m, expected more than 0");
  CHECK(refused(Box{{1.0, 1.0, -2.0}}) == "body 3: 'half' of the box is -2 m, expected more than 0");
  CHECK(refused(CylinderCavity{0.0}) == "body 3: 'radius' of the cylindrical cavity is 0 m, expected more than 0");
  CHECK(refused(Drum{-0.5}) == "body 3: 'radius' of the drum is -0.5 m, expected more than 0");
  CHECK(refused(Cylinder{-1.0}) == "body 3: 'radius' of the cylinder is -1 m, expected more than 0");
  CHECK(refused(Cylinder{1.0, 0.0}) == "body 3: 'half_length' of the cylinder is 0 m, expected more than 0");
  for (const Shape& shape : {Shape(Sphere{0.1}), Shape(Ellipsoid{{0.1, 0.2, 0.3}}), Shape(Box{{0.1, 0.2, 0.3}}),
                             Shape(HalfSpace{}), Shape(Drum{0.1}), Shape(CylinderCavity{0.1}), Shape(Cylinder{0.1})})
    CHECK(refused(shape).empty());

  CHECK_NOTHROW(check_body_shape(Box{{0.1, 0.2, 0.3}}, "body 3"));
  CHECK_THROWS_WITH(check_body_shape(Box{{0.1, 0.0, 0.3}}, "body 3"), Catch::Contains("'half' of the box is 0 m"));
  CHECK_THROWS_WITH(check_body_shape(Drum{1.0}, "body 3"),
                    "body 3: is a drum, expected a sphere, an ellipsoid or a box: only obstacles have other shapes");
}

TEST_CASE("shapes without contacts are refused by name") {
  const Solid pillar = solid(1, Cylinder{0.5}, {0, 0, 0});
  CHECK_THROWS_WITH(contacts_with_obstacle(solid(0, Box{}, {0, 0, 0}), pillar, 0.0),
                    "contact of a box and a cylinder is not supported");
  CHECK(unsupported_pair(Cylinder{}, Ellipsoid{}) == "contact of a cylinder and a ellipsoid is not supported");
  CHECK_FALSE(unsupported_pair(Cylinder{}, Sphere{}).has_value());
  CHECK_FALSE(unsupported_pair(Box{}, Ellipsoid{}).has_value());
}
