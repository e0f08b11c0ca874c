#include <Eigen/Geometry>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <set>
#include <vector>

#include "solids.hpp"
#include "tests/problems/constants.hpp"

using namespace ccp;
using namespace solids;

namespace {

const Box brick{{0.1, 0.05, 0.025}};

/// A brick on a brick: the lower one at the origin, the upper one turned and at the given gap over it.
Contacts stacked(double gap, const Matrix3& rotation, const Vector3& shift = Vector3::Zero(), double envelope = 0.005) {
  const Solid lower = solid(0, brick, {0, 0, 0}), upper = solid(1, brick, shift + Vector3(0, 0, 0.05 + gap), rotation);
  return contacts_of(lower, upper, envelope);
}

std::set<std::pair<int, int>> features(const Contacts& contacts) {
  std::set<std::pair<int, int>> all;
  for (const Contact& contact : contacts) all.insert({contact.id.feature_a, contact.id.feature_b});
  return all;
}

double least_gap(const Contacts& contacts) {
  double least = 1e300;
  for (const Contact& contact : contacts) least = std::min(least, contact.gap);
  return least;
}

/// The points of a contact on the two bodies.
Vector3 on_first(const Contact& contact) { return contact.point - 0.5 * contact.gap * contact.normal; }
Vector3 on_second(const Contact& contact) { return contact.point + 0.5 * contact.gap * contact.normal; }

}  // namespace

TEST_CASE("bricks flat on each other have four contacts at the corners, whatever the gap") {
  for (const double gap : {0.0, 1e-6, -1e-6, 1e-3, -1e-3}) {
    CAPTURE(gap);
    const Contacts contacts = stacked(gap, Matrix3::Identity());
    REQUIRE(contacts.size() == 4);
    std::set<std::pair<double, double>> places;
    for (const Contact& contact : contacts) {
      CHECK(contact.gap == Approx(gap).margin(1e-16).epsilon(1e-12));
      CHECK(contact.normal == Vector3::UnitZ());
      CHECK(contact.point[2] == Approx(0.025 + 0.5 * gap).epsilon(1e-14));
      CHECK(std::abs(contact.point[0]) == Approx(0.1).epsilon(1e-14));
      CHECK(std::abs(contact.point[1]) == Approx(0.05).epsilon(1e-14));
      CHECK(contact.id.kind == ContactKind::face);
      CHECK(contact.id.feature_a == BoxFeature::face(2, 1));
      places.insert({contact.point[0], contact.point[1]});
    }
    CHECK(places.size() == 4);
    CHECK(features(contacts) == features(stacked(0.0, Matrix3::Identity())));
  }
  CHECK(stacked(0.0051, Matrix3::Identity()).empty());
}

TEST_CASE("bricks that touch to rounding touch at their corners, and nowhere deep, without an envelope too") {
  int touching = 0;
  for (double yaw = 0.1; yaw < 1.5; yaw += 0.01) {
    for (const Vector3& tilt : {Vector3(0.3, 0.4, 0.5), Vector3(-0.7, 0.2, 0.1), Vector3(0.05, -0.9, 0.6)}) {
      const Matrix3 frame = Eigen::AngleAxisd(tilt.norm(), tilt.normalized()).toRotationMatrix();
      const Matrix3 turned = frame * Eigen::AngleAxisd(yaw, Vector3::UnitZ()).toRotationMatrix();
      const Vector3 place(1.0 + yaw, 2.0 / 3.0, -yaw), above = place + frame * Vector3(0.05, 0.02, 0.05);
      const Contacts contacts = contacts_of(solid(0, brick, place, frame), solid(1, brick, above, turned), 0.0);
      if (contacts.empty()) continue;  // apart by rounding
      ++touching;
      CAPTURE(yaw, tilt);
      CHECK(contacts.size() >= 4);
      CHECK(least_gap(contacts) > -1e-15);
    }
  }
  CHECK(touching > 100);
}

TEST_CASE("a brick turned by 45° on a brick has eight contacts") {
  const Solid lower = solid(0, Box{{0.1, 0.1, 0.025}}, {0, 0, 0});
  const Solid upper = solid(1, Box{{0.1, 0.1, 0.025}}, {0, 0, 0.051}, turned(Vector3::UnitZ(), pi / 4.0));
  const Contacts contacts = contacts_of(lower, upper, 0.01);
  REQUIRE(contacts.size() == 8);
  const double along = 0.1 * (std::sqrt(2.0) - 1.0);
  for (const Contact& contact : contacts) {
    CHECK(contact.gap == Approx(0.001).margin(1e-15));
    const double x = std::abs(contact.point[0]), y = std::abs(contact.point[1]);
    CHECK(std::max(x, y) == Approx(0.1).epsilon(1e-13));
    CHECK(std::min(x, y) == Approx(along).epsilon(1e-13));
  }
  CHECK(features(contacts).size() == 8);
}

TEST_CASE("a tilt or a turn of 1e-9 changes neither the number of contacts nor their ids") {
  const Contacts flat = stacked(0.0, Matrix3::Identity());
  for (const Vector3& axis : {Vector3(1, 0, 0), Vector3(0, 1, 0), Vector3(0, 0, 1), Vector3(1, 2, 3), Vector3(-3, 1, -2)})
    for (const double angle : {1e-9, -1e-9, 1e-15}) {
      CAPTURE(axis.transpose(), angle);
      const Contacts tilted = stacked(0.0, turned(axis, angle), Vector3(1e-10, -1e-10, 0.0));
      REQUIRE(tilted.size() == 4);
      for (std::size_t i = 0; i < 4; ++i) {
        CHECK(tilted[i].id == flat[i].id);
        CHECK(std::abs(tilted[i].gap) <= 3e-10);
      }
    }
}

TEST_CASE("a brick under a larger one has its contacts at its own corners, turned or not") {
  const Solid lower = solid(0, brick, {0, 0, 0});
  const Solid upper = solid(1, Box{{0.3, 0.2, 0.1}}, {0.01, 0.02, 0.126}, turned(Vector3::UnitZ(), 0.1));
  const Contacts contacts = contacts_of(lower, upper, 0.005);
  REQUIRE(contacts.size() == 4);
  for (std::size_t i = 0; i < 4; ++i)
    CHECK(contacts[i].id ==
          ContactId{0, 1, ContactKind::face, BoxFeature::corner(4 + static_cast<int>(i)), BoxFeature::face(2, 0)});
  // As wide, and turned so little that its long edges leave those of the lower one only beyond their ends.
  const Solid beam = solid(1, Box{{0.3, 0.05, 0.1}}, {0, 0, 0.126}, turned(Vector3::UnitZ(), 2e-7));
  CHECK(contacts_of(lower, beam, 0.005).size() == 4);
  Solid under = beam, over = lower;
  std::swap(under.id, over.id);
  std::swap(under.pose.position, over.pose.position);
  CHECK(contacts_of(under, over, 0.005).size() == 4);
}

TEST_CASE("the contacts of two faces are the corners of all that they share") {
  Random random(22);
  for (int i = 0; i < 300; ++i) {
    CAPTURE(i);
    const Solid lower = solid(0, brick, {0, 0, 0});
    const Vector3 shift(random.uniform(-0.1, 0.1), random.uniform(-0.1, 0.1), 0.075 + 1e-3);
    const Matrix3 turn = turned(Vector3::UnitZ(), random.uniform(-pi, pi));
    const Solid upper = solid(1, Box{{0.08, 0.12, 0.05}}, shift, turn);
    const Contacts contacts = contacts_of(lower, upper, 0.005);
    for (const Contact& contact : contacts) CHECK(contact.gap == Approx(1e-3).margin(1e-15));
    for (int k = 0; k < 400; ++k) {
      const Vector3 sample(random.uniform(-0.1, 0.1), random.uniform(-0.05, 0.05), 0.025);
      if (outside(upper, sample + Vector3(0, 0, 0.01)) > 0.0) continue;
      REQUIRE(contacts.size() >= 3);
      for (const Vector3& n : {Vector3(1, 0, 0), Vector3(0, 1, 0), Vector3(1, 1, 0), Vector3(1, -1, 0), Vector3(2, 1, 0)})
        for (const double side : {-1.0, 1.0}) {
          double reach = -1.0;
          for (const Contact& contact : contacts) reach = std::max(reach, side * n.dot(contact.point));
          CHECK(reach >= side * n.dot(sample));
        }
    }
  }
}

TEST_CASE("a cube that stands on its edge keeps the names of its contacts while it trembles") {
  const Solid floor = solid(0, Box{{1, 1, 0.1}}, {0, 0, 0});
  const auto standing = [&](double tremble, double envelope) {
    const Matrix3 turn = turned(Vector3::UnitX(), pi / 4.0 + tremble);
    return contacts_of(floor, solid(1, Box{{0.1, 0.1, 0.1}}, {0, 0, 0.1 + 0.1 * std::sqrt(2.0)}, turn), envelope);
  };
  const Contacts still = standing(0.0, 1e-3), wide = standing(0.0, 0.2);
  REQUIRE(still.size() == 2);
  REQUIRE(wide.size() == 4);  // those of one of the two lower faces, with the corners of the edge
  for (const double tremble : {1e-9, -1e-9}) {
    CHECK(features(standing(tremble, 1e-3)) == features(still));
    CHECK(features(standing(tremble, 0.2)) == features(wide));
  }
}

TEST_CASE("crossed edges touch at one point") {
  // Roofs: both turned by 45° about their long axes, which cross at a right angle.
  const double reach = 0.05 * std::sqrt(2.0);
  const Box beam{{0.3, 0.05, 0.05}};
  const Matrix3 roof = turned(Vector3::UnitX(), pi / 4.0), crossed = turned(Vector3::UnitZ(), pi / 2.0) * roof;
  for (const double gap : {-1e-3, 0.0, 1e-3}) {
    const Solid lower = solid(0, beam, {0, 0, 0}, roof), upper = solid(1, beam, {0.02, 0.03, 2.0 * reach + gap}, crossed);
    const Contacts contacts = contacts_of(lower, upper, 0.01);
    REQUIRE(contacts.size() == 1);
    CHECK(contacts[0].id.kind == ContactKind::edge);
    CHECK(contacts[0].gap == Approx(gap).margin(1e-15));
    CHECK((contacts[0].normal - Vector3::UnitZ()).norm() <= 1e-14);
    CHECK((contacts[0].point - Vector3(0.02, 0.0, reach + 0.5 * gap)).norm() <= 1e-14);
  }
}

TEST_CASE("parallel edges side by side have two contacts at the ends of what they share") {
  const double reach = 0.05 * std::sqrt(2.0);
  const Matrix3 roof = turned(Vector3::UnitX(), pi / 4.0);
  const Solid lower = solid(0, Box{{0.3, 0.05, 0.05}}, {0, 0, 0}, roof);
  const Solid upper = solid(1, Box{{0.2, 0.05, 0.05}}, {0.2, 0, 2.0 * reach + 1e-3}, roof);
  const Contacts apart = contacts_of(lower, upper, 0.01);
  REQUIRE(apart.size() == 2);
  for (const Contact& contact : apart) {
    CHECK(contact.gap == Approx(1e-3).margin(1e-15));
    CHECK((contact.normal - Vector3::UnitZ()).norm() <= 1e-10);
  }
  CHECK(std::min(apart[0].point[0], apart[1].point[0]) == Approx(0.0).margin(1e-14));
  CHECK(std::max(apart[0].point[0], apart[1].point[0]) == Approx(0.3).margin(1e-14));

  Solid kissing = upper;  // within the tolerance of the corners: two slopes that touch
  kissing.pose.position[2] = 2.0 * reach + 1e-12;
  const Contacts touching = contacts_of(lower, kissing, 0.01);
  REQUIRE(touching.size() == 2);
  for (const Contact& contact : touching) {
    CHECK(contact.gap == Approx(0.0).margin(2e-12));
    CHECK(std::abs(contact.normal[2] - std::sqrt(0.5)) <= 1e-12);
  }

  Solid sunk = upper;  // overlapping, a face is the shorter way out
  sunk.pose.position[2] = 2.0 * reach - 1e-3;
  const Contacts inside = contacts_of(lower, sunk, 0.01);
  REQUIRE(!inside.empty());
  CHECK(least_gap(inside) == Approx(-1e-3 * std::sqrt(0.5)).epsilon(1e-9));
}

TEST_CASE("nearly parallel edges that overlap by little are as deep as along their cross, found among millions of pairs") {
  // The lines of the edges meet beyond their ends. A face would be deeper by 0.037.
  const Solid first = solid(0, Box{{0.91142358516, 0.73355017818, 0.24377840253}}, {0, 0, 0});
  const Eigen::Quaterniond turn(0.734690436976, 0.484265339607, 0.219465955655, 0.421368884685);
  const Solid second = solid(1, Box{{0.539397183008, 0.948088501037, 0.02565791795272}},
                             {1.57405817961, 1.02894350325, -1.05872467294}, turn.normalized().matrix());
  const Contacts beyond_ends = contacts_of(first, second, 0.0);
  REQUIRE(beyond_ends.size() == 1);
  CHECK(beyond_ends[0].gap == Approx(-7.06e-8).margin(1e-9));
  CHECK(outside(first, beyond_ends[0].point) <= 1e-6);

  // A face is chosen, for it is hardly deeper, but the faces share nothing.
  const Solid lower = solid(0, Box{{0.33839409874, 0.522222232407, 0.260480803772}}, {0, 0, 0});
  const Eigen::Quaterniond tilt(0.923770663675, 0.382945938345, 0.000411084834178, -1.57302536936e-05);
  const Solid upper = solid(1, Box{{0.305742705102, 0.184854892834, 0.745143663362}},
                            {0.176908608917, 0.918966259955, -0.917934328097}, tilt.normalized().matrix());
  const Contacts nothing_shared = contacts_of(lower, upper, 0.0);
  REQUIRE(nothing_shared.size() == 1);
  CHECK(nothing_shared[0].gap == Approx(-4.66e-5).margin(1e-7));
}

TEST_CASE("boxes that face each other corner to corner have the contact of the corners") {
  const Solid first = solid(0, Box{{0.5, 0.5, 0.5}}, {0, 0, 0}), second = solid(1, Box{{0.2, 0.2, 0.2}}, {0.72, 0.71, 0.72});
  const Contacts contacts = contacts_of(first, second, 0.05);
  REQUIRE(contacts.size() == 1);
  CHECK(contacts[0].gap == Approx(0.03).epsilon(1e-12));
  CHECK((contacts[0].normal - Vector3(2, 1, 2) / 3.0).norm() <= 1e-12);
  CHECK(features(contacts) == std::set<std::pair<int, int>>{{BoxFeature::corner(7), BoxFeature::corner(0)}});
  CHECK(contacts_of(first, second, 0.029).empty());  // though no face direction is over 0.02
}

TEST_CASE("boxes at the same place part through the nearest faces") {
  const Contacts contacts = contacts_of(solid(0, brick, {1, 1, 1}), solid(1, brick, {1, 1, 1}), 0.0);
  REQUIRE(contacts.size() == 4);
  CHECK(contacts[0].normal == Vector3::UnitZ());
  CHECK(contacts[0].gap == Approx(-0.05).epsilon(1e-14));
}

TEST_CASE("a thin plate and a needle have the contacts of any box") {
  const Solid floor = solid(0, Box{{1.0, 1.0, 1e-4}}, {0, 0, 0});
  const Solid plate = solid(1, Box{{0.1, 0.1, 1e-4}}, {0.3, 0.2, 2e-4 + 1e-6}, turned(Vector3::UnitZ(), 0.3));
  const Contacts flat = contacts_of(floor, plate, 1e-5);
  REQUIRE(flat.size() == 4);
  for (const Contact& contact : flat) CHECK(contact.gap == Approx(1e-6).margin(1e-15));
  const Solid needle = solid(1, Box{{1e-4, 1e-4, 0.5}}, {0.3, 0.2, 0.5 + 1e-4 + 1e-6});
  CHECK(contacts_of(floor, needle, 1e-5).size() == 4);
}

namespace {

struct Interval {
  double low = -1e300, high = 1e300;
  Vector3 line = Vector3::UnitZ();  ///< unit vector from the first to the second
};

Vector3 nearest_of_box(const Solid& box, const Vector3& point) {
  const Vector3 half = std::get<Box>(box.shape).half;
  const Vector3 own = box.pose.rotation.transpose() * (point - box.pose.position);
  return box.pose.position + box.pose.rotation * own.cwiseMin(half).cwiseMax(-half);
}

/// Bounds of the distance of two boxes: from above by points of both, found by accelerated projected gradients, from below
/// by the gap along the line that joins them.
Interval distance_of(const Solid& first, const Solid& second) {
  Interval distance;
  Vector3 p = first.pose.position, q = second.pose.position, ahead_p = p, ahead_q = q;
  double momentum = 1.0;
  for (int i = 0; i < 20000 && distance.high - distance.low > 1e-9 && distance.high > 1e-9; ++i) {
    const Vector3 line = ahead_q - ahead_p;
    const Vector3 next_p = nearest_of_box(first, ahead_p + 0.5 * line),
                  next_q = nearest_of_box(second, ahead_q - 0.5 * line);
    const bool restart = (ahead_p - next_p).dot(next_p - p) + (ahead_q - next_q).dot(next_q - q) > 0.0;
    const double next = restart ? 1.0 : 0.5 * (1.0 + std::sqrt(1.0 + 4.0 * momentum * momentum));
    const double push = restart ? 0.0 : (momentum - 1.0) / next;
    ahead_p = next_p + push * (next_p - p);
    ahead_q = next_q + push * (next_q - q);
    p = next_p;
    q = next_q;
    momentum = next;
    distance.high = std::min(distance.high, (q - p).norm());
    if (const double low = gap_along(first, second, (q - p).normalized()); low > distance.low) {
      distance.low = low;
      distance.line = (q - p).normalized();
    }
  }
  return distance;
}

struct Tally {
  int overlapping = 0, apart = 0, beyond = 0, edges = 0;
};

void check_pair(const Solid& first, const Solid& second, double envelope, Tally& tally) {
  const double size = std::min(std::get<Box>(first.shape).half.minCoeff(), std::get<Box>(second.shape).half.minCoeff());
  const Contacts contacts = contacts_of(first, second, envelope);
  const Interval distance = distance_of(first, second);
  if (contacts.empty()) {
    ++tally.beyond;
    CHECK(distance.high > envelope - 1e-9);
    return;
  }
  CHECK(contacts.size() <= 9);
  for (const Contact& contact : contacts) {
    CHECK(contact.normal.norm() == Approx(1.0).epsilon(1e-14));
    CHECK(contact.gap <= envelope);
    CHECK(outside(first, on_first(contact)) <= 1e-6 * size);
    CHECK(outside(second, on_second(contact)) <= 1e-6 * size);
    if (contact.id.kind == ContactKind::edge) ++tally.edges;
  }
  if (distance.high > 1e-9) {
    ++tally.apart;
    CHECK(least_gap(contacts) >= distance.low - 1e-12);
    CHECK(least_gap(contacts) <= distance.high + 1.001e-3 * size);
    return;
  }
  ++tally.overlapping;
  // The deepest contact is as deep as the boxes are along the normal, and along no other direction are they less deep.
  const double along = gap_along(first, second, contacts[0].normal);
  CHECK(least_gap(contacts) == Approx(along).margin(1.001e-3 * size));  // a face may stand in for edges
  CHECK(along >= best_of_directions(first, second, 1000) - 1.001e-3 * size);
}

}  // namespace

TEST_CASE("random boxes apart have their distance, found by another method, as least gap; overlapping ones their depth") {
  Random random(21);
  Tally tally;
  for (int i = 0; i < 6000; ++i) {
    CAPTURE(i);
    const Solid first = solid(0, Box{{0.5, 0.3, 0.2}}, random.in_ball(), random.rotation());
    Solid second = solid(1, Box{{0.4, 0.4, 0.1}}, first.pose.position, random.rotation());
    if (i % 3 == 1) second.pose.rotation = first.pose.rotation;                                     // faces in parallel
    if (i % 3 == 2) second.pose.rotation = turned(random.direction(), 0.01) * first.pose.rotation;  // nearly
    second.pose.position += 1.2 * random.direction();
    const Interval before = distance_of(first, second);
    second.pose.position += (random.uniform(-0.02, 0.06) - before.high) * before.line;
    check_pair(first, second, 0.05, tally);
  }
  INFO(tally.overlapping << " overlapping, " << tally.apart << " apart, " << tally.beyond << " beyond, " << tally.edges);
  CHECK(tally.overlapping > 300);
  CHECK(tally.apart > 700);
  CHECK(tally.beyond > 100);
  CHECK(tally.edges > 300);
}
