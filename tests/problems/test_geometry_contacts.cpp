#include <algorithm>
#include <catch2/catch.hpp>
#include <numbers>
#include <stdexcept>
#include <vector>

#include "problems/geometry/broadphase.hpp"
#include "solids.hpp"

using namespace ccp;
using namespace solids;

namespace {

/// Bodies of all shapes, close together, on a floor, beside a wall, in a drum.
struct Heap {
  std::vector<Solid> bodies, obstacles;

  explicit Heap(int count, std::uint64_t seed = 5) {
    Random random(seed);
    for (int i = 0; i < count; ++i) {
      const Shape shape = i % 3 == 0   ? Shape(Sphere{0.1})
                          : i % 3 == 1 ? Shape(Ellipsoid{{0.15, 0.08, 0.1}})
                                       : Shape(Box{{0.12, 0.05, 0.09}});
      bodies.push_back(solid(i, shape, 0.9 * random.in_ball(), random.rotation()));
    }
    obstacles.push_back(solid(count, HalfSpace{}, {0, 0, -0.8}));
    obstacles.push_back(solid(count + 1, Drum{1.0}, {0, 0, 0}, turned(Vector3::UnitX(), 1.5)));
    obstacles.push_back(solid(count + 2, Box{{0.1, 1.0, 1.0}}, {0.9, 0, 0}));
    obstacles.push_back(solid(count + 3, CylinderCavity{0.95}, {0, 0, 0}));
  }
};

void shuffle(std::vector<Solid>& solids, Random& random) {
  for (std::size_t i = solids.size(); i > 1; --i)
    std::swap(solids[i - 1], solids[static_cast<std::size_t>(random.uniform() * static_cast<double>(i))]);
}

}  // namespace

TEST_CASE("the broadphase finds the pairs that comparing all finds, in the same order") {
  Random random(6);
  for (const Vector3& spread : {Vector3(1, 1, 1), Vector3(0.1, 5, 0.1), Vector3(0, 0, 3)}) {
    std::vector<BoundedBody> bodies;
    for (int i = 0; i < 150; ++i) {
      const Vector3 centre = random.in_ball().cwiseProduct(spread);
      const Vector3 half = 0.2 * random.in_ball().cwiseAbs();
      bodies.push_back({i, i % 5 != 0, {centre - half, centre + half}});
    }
    bodies.push_back({150, false, bounds_of(HalfSpace{}, {})});
    bodies.push_back({151, true, bodies[17].bounds});                                                        // a tie
    bodies.push_back({152, true, {bodies[3].bounds.high, bodies[3].bounds.high + Vector3(0.1, 0.1, 0.1)}});  // touches
    for (const double envelope : {0.0, 0.1}) {
      std::vector<BodyPair> all;
      for (std::size_t i = 0; i < bodies.size(); ++i)
        for (std::size_t j = i + 1; j < bodies.size(); ++j) {
          const auto grown = [&](const BoundedBody& body, double by) -> Bounds {
            return {body.bounds.low.array() - by, body.bounds.high.array() + by};
          };
          const Bounds a = grown(bodies[i], 0.5 * envelope), b = grown(bodies[j], 0.5 * envelope);
          if ((a.low.array() <= b.high.array()).all() && (b.low.array() <= a.high.array()).all() &&
              (bodies[i].moves || bodies[j].moves))
            all.push_back({bodies[i].id, bodies[j].id});
        }
      CHECK(all.size() > 150);
      CHECK(close_pairs(bodies, envelope) == all);
      std::vector<BoundedBody> reversed(bodies.rbegin(), bodies.rend());
      CHECK(close_pairs(reversed, envelope) == all);
    }
  }
  CHECK(close_pairs({}, 0.1).empty());
}

TEST_CASE("contacts are ordered by id, which is theirs alone") {
  const Heap heap(120);
  const Contacts contacts = find_contacts(heap.bodies, heap.obstacles, 0.02);
  CHECK(contacts.size() > 150);
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    CHECK(contacts[i].id.a < contacts[i].id.b);
    CHECK(contacts[i].id.a < 120);
    if (i > 0) CHECK(contacts[i - 1].id < contacts[i].id);
  }
}

TEST_CASE("contacts have the same bytes whatever the order of bodies and obstacles") {
  Heap heap(120);
  const Contacts contacts = find_contacts(heap.bodies, heap.obstacles, 0.02);
  Random random(1);
  for (int i = 0; i < 5; ++i) {
    shuffle(heap.bodies, random);
    shuffle(heap.obstacles, random);
    CHECK(same_contacts(contacts, find_contacts(heap.bodies, heap.obstacles, 0.02)));
  }
}

TEST_CASE("contacts are those of each pair alone") {
  const Heap heap(60);
  Contacts expected;
  const auto append = [&](const Contacts& more) { expected.insert(expected.end(), more.begin(), more.end()); };
  for (std::size_t i = 0; i < heap.bodies.size(); ++i) {
    for (std::size_t j = i + 1; j < heap.bodies.size(); ++j) append(contacts_of(heap.bodies[i], heap.bodies[j], 0.02));
    for (const Solid& obstacle : heap.obstacles) append(contacts_with_obstacle(heap.bodies[i], obstacle, 0.02));
  }
  CHECK(same_contacts(find_contacts(heap.bodies, heap.obstacles, 0.02), expected));
}

TEST_CASE("the roles of two bodies turn the normal around and exchange the features") {
  const Heap heap(60);
  for (const Solid& one : heap.bodies)
    for (const Solid& other : heap.bodies) {
      if (one.shape.index() >= other.shape.index()) continue;
      Solid first = one, second = other;
      first.id = 0;
      second.id = 1;
      Contacts contacts = contacts_of(first, second, 0.02);
      std::swap(first.id, second.id);
      for (Contact& contact : contacts) {
        contact.normal = -contact.normal;
        std::swap(contact.id.feature_a, contact.id.feature_b);
      }
      CHECK(same_contacts(contacts, contacts_of(first, second, 0.02)));
    }
}

TEST_CASE("contacts follow the frame") {
  Heap heap(90);
  heap.obstacles.erase(heap.obstacles.begin() + 1);  // a drum's bounds do not matter, its facets would tie
  const Contacts before = find_contacts(heap.bodies, heap.obstacles, 0.02);
  const Matrix3 turn = turned({1, 2, -1}, 0.8);
  const Vector3 shift(3, -2, 1);
  for (std::vector<Solid>* solids : {&heap.bodies, &heap.obstacles})
    for (Solid& body : *solids) body.pose = {turn * body.pose.position + shift, turn * body.pose.rotation};
  const Contacts after = find_contacts(heap.bodies, heap.obstacles, 0.02);
  REQUIRE(before.size() == after.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    CHECK(before[i].id == after[i].id);
    CHECK(before[i].gap == Approx(after[i].gap).margin(1e-12));
    CHECK((turn * before[i].normal - after[i].normal).norm() <= 1e-10);
    CHECK((turn * before[i].point + shift - after[i].point).norm() <= 1e-10);
  }
}

TEST_CASE("a wall of bricks at rest keeps its ids while rounding moves the bricks") {
  Random random(2);
  std::vector<Solid> bricks;
  const Solid ground = solid(1000, HalfSpace{}, {0, 0, 0});
  const Vector3 half(1.98, 2.0, 1.0);
  for (int row = 0; row < 8; ++row)
    for (int column = 0; column < 5; ++column)
      bricks.push_back(solid(static_cast<int>(bricks.size()), Box{half},
                             {4.0 * column + (row % 2 == 0 ? 0.0 : 1.5), 0.0, 1.0 + 2.0 * row}));
  const Contacts first = find_contacts(bricks, {&ground, 1}, 0.35);
  CHECK(first.size() > 300);
  for (int step = 0; step < 100; ++step) {
    std::vector<Solid> moved = bricks;
    for (Solid& body : moved) {
      body.pose.position += 1e-9 * random.in_ball();
      body.pose.rotation = turned(random.direction(), 1e-9) * body.pose.rotation;
    }
    const Contacts contacts = find_contacts(moved, {&ground, 1}, 0.35);
    REQUIRE(contacts.size() == first.size());
    for (std::size_t i = 0; i < first.size(); ++i) REQUIRE(contacts[i].id == first[i].id);
  }
}

TEST_CASE("ids that are not in order are a programmer's error") {
  const std::vector<Solid> bodies{solid(0, Sphere{1.0}, {0, 0, 0}), solid(3, Sphere{1.0}, {0, 0, 1})};
  const std::vector<Solid> twice{bodies[0], bodies[0]};
  const Solid ground = solid(2, HalfSpace{}, {0, 0, 0});
  CHECK_THROWS_AS(find_contacts(twice, {}, 0.0), std::logic_error);
  CHECK_THROWS_AS(find_contacts(bodies, {&ground, 1}, 0.0), std::logic_error);
  CHECK_NOTHROW(find_contacts(bodies, {}, 0.0));
}

TEST_CASE("the corners of a box in a half-space, a drum and a cylinder") {
  const Solid box = solid(0, Box{{0.3, 0.2, 0.1}}, {0, 0, 0.101});
  const Contacts flat = contacts_with_obstacle(box, solid(1, HalfSpace{}, {0, 0, 0}), 0.01);
  REQUIRE(flat.size() == 4);
  for (const Contact& contact : flat) {
    CHECK(contact.gap == Approx(0.001).margin(1e-16));
    CHECK(contact.normal == -Vector3::UnitZ());
    CHECK(contact.point[2] == Approx(0.0005).margin(1e-16));
    CHECK(contact.id.kind == ContactKind::corner);
  }
  CHECK(flat[0].id.feature_a == BoxFeature::corner(0));
  CHECK(flat[3].id.feature_a == BoxFeature::corner(3));
  CHECK(contacts_with_obstacle(box, solid(1, HalfSpace{}, {0, 0, 0}), 0.5).size() == 8);

  const Contacts round = contacts_with_obstacle(box, solid(1, CylinderCavity{0.37}, {0, 0, 0}), 0.01);
  REQUIRE(round.size() == 8);
  for (const Contact& contact : round) {
    CHECK(contact.gap == Approx(0.37 - std::sqrt(0.13)).margin(1e-15));
    CHECK((contact.normal - Vector3(contact.point[0], contact.point[1], 0.0).normalized()).norm() <= 1e-15);
  }
  const double apothem = 0.99518472667219693;
  const Solid tall = solid(0, Box{{0.05, 0.04, 0.1}}, {apothem - 0.051, 0, 0});
  const Contacts facet = contacts_with_obstacle(tall, solid(1, Drum{1.0}, {0, 0, 0}), 0.0011);
  REQUIRE(facet.size() == 4);
  for (const Contact& contact : facet) {
    CHECK(contact.id.feature_b == 1);
    CHECK(contact.gap == Approx(0.001).margin(1e-15));
  }
}
