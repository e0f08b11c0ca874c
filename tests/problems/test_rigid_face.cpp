#include <Eigen/Geometry>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <memory>

#include "problems/finite_elements/elastic_world.hpp"
#include "problems/random.hpp"
#include "tests/problems/moving_world.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

/// Cells of 0.1 × 0.05 × 0.05 m; its top is at z = 0.05, cut along the diagonals from (x, y) to (x + 0.1, y + 0.05).
const std::shared_ptr<const ElasticModel>& block() {
  static const auto model =
      std::make_shared<const ElasticModel>(box_mesh({0.4, 0.1, 0.1}, {4, 2, 2}, ElementKind::tetrahedron),
                                           ElasticMaterial{1e6, 0.3, 1000.0, 0.0, 0.01}, "the block");
  return model;
}

std::vector<SurfaceContact> contacts_of_block(const Shape& shape, const ObstacleFrame& frame, double reach,
                                              const std::vector<Vector3>& places = block()->mesh().nodes) {
  std::vector<SurfaceContact> found;
  find_obstacle_contacts(ElasticSurface(*block(), places), 0, shape, frame, 1, reach, found);
  return found;
}

ObstacleFrame at(const Vector3& place, const Eigen::Quaterniond& turn = Eigen::Quaterniond::Identity()) {
  ObstacleFrame frame;
  frame.position = place;
  frame.attitude = {turn.w(), turn.x(), turn.y(), turn.z()};
  return frame;
}

/// Weight of the node at a place.
double weight_at(const SurfaceContact& contact, const Vector3& place) {
  for (int s = 0; s < contact.count; ++s) {
    const auto& share = contact.shares[static_cast<std::size_t>(s)];
    if ((block()->mesh().nodes[static_cast<std::size_t>(share.node)] - place).norm() < 1e-12) return share.weight;
  }
  return 0.0;
}

/// The corner (1, 1, 1) of a box points down.
const Eigen::Quaterniond tip_down = Eigen::Quaterniond::FromTwoVectors(Vector3::Ones(), -Vector3::UnitZ());

}  // namespace

TEST_CASE("a sphere smaller than a triangle touches its inside") {
  const auto contacts = contacts_of_block(Sphere{0.02}, at({0.03, 0.01, 0.071}), 0.0012);
  REQUIRE(contacts.size() == 1);
  CHECK(contacts[0].key.kind == static_cast<int>(SkinContact::face));
  CHECK(contacts[0].gap == Approx(0.001).epsilon(1e-9));
  CHECK((contacts[0].normal - Vector3::UnitZ()).norm() < 1e-12);
  CHECK((contacts[0].point - Vector3(0.03, 0.01, 0.0505)).norm() < 1e-12);
  CHECK(contacts[0].count == 3);
  CHECK(weight_at(contacts[0], {0.0, 0.0, 0.05}) == Approx(-0.7).epsilon(1e-9));
  CHECK(weight_at(contacts[0], {0.1, 0.0, 0.05}) == Approx(-0.1).epsilon(1e-9));
  CHECK(weight_at(contacts[0], {0.1, 0.05, 0.05}) == Approx(-0.2).epsilon(1e-9));
  // From inside, and beyond the reach, there is nothing.
  CHECK(contacts_of_block(Sphere{0.002}, at({0.03, 0.01, 0.049}), 0.0012).empty());
  CHECK(contacts_of_block(Sphere{0.02}, at({0.03, 0.01, 0.0713}), 0.0012).empty());
}

TEST_CASE("a sphere touches edges and vertices along the distance") {
  struct Case {
    Vector3 foot, direction;
    SkinContact kind;
  };
  for (const auto& [foot, direction, kind] :
       {Case{{0.05, 0.025, 0.05}, {0.0, 0.0, 1.0}, SkinContact::edges},                       // a diagonal of the top
        Case{{0.06, 0.05, 0.05}, {0.0, 0.6, 0.8}, SkinContact::edges},                        // its rim
        Case{{0.1, 0.0, 0.05}, {0.0, 0.0, 1.0}, SkinContact::first_vertex},                   // a vertex of it
        Case{{0.2, 0.05, 0.05}, Vector3(2.0, 3.0, 6.0) / 7.0, SkinContact::first_vertex}}) {  // a corner
    INFO(foot.transpose());
    const auto contacts = contacts_of_block(Sphere{0.02}, at(foot + 0.019 * direction), 0.0);
    REQUIRE(contacts.size() == 1);
    CHECK(contacts[0].key.kind == static_cast<int>(kind));
    CHECK(contacts[0].gap == Approx(-0.001).epsilon(1e-9));
    CHECK((contacts[0].normal - direction).norm() < 1e-9);
  }
}

TEST_CASE("a box stands on a face by its corner, its edges and the vertices below it") {
  const Vector3 half = Vector3::Constant(0.02);
  const Vector3 corner = tip_down * half;
  auto contacts = contacts_of_block(Box{half}, at(Vector3(0.03, 0.01, 0.051) - corner, tip_down), 0.0012);
  REQUIRE(contacts.size() == 1);
  CHECK(contacts[0].key.kind == static_cast<int>(SkinContact::second_vertex));
  CHECK(contacts[0].gap == Approx(0.001).epsilon(1e-9));
  CHECK((contacts[0].normal - Vector3::UnitZ()).norm() < 1e-9);
  CHECK(contacts[0].count == 3);  // the box has no nodes
  CHECK(weight_at(contacts[0], {0.0, 0.0, 0.05}) == Approx(-0.7).epsilon(1e-9));
  CHECK(weight_at(contacts[0], {0.1, 0.05, 0.05}) == Approx(-0.2).epsilon(1e-9));

  // Lying on the top and over its rim: four vertices below it, two corners over the top, and two edges across the rim.
  contacts = contacts_of_block(Box{{0.08, 0.04, 0.02}}, at({0.05, 0.025, 0.071}), 0.0012);
  std::map<int, int> kinds;
  for (const SurfaceContact& contact : contacts) {
    ++kinds[contact.key.kind];
    CHECK(contact.gap == Approx(0.001).epsilon(1e-9));
    CHECK((contact.normal - Vector3::UnitZ()).norm() < 1e-9);
    double sum = 0.0;
    for (int s = 0; s < contact.count; ++s) sum += contact.shares[static_cast<std::size_t>(s)].weight;
    CHECK(sum == Approx(-1.0).epsilon(1e-12));
  }
  CHECK(kinds == std::map<int, int>{{0, 4}, {1, 2}, {2, 2}});
}

TEST_CASE("rows of a moving sphere and of a moving box are the rates of their gaps") {
  Random random(11);
  std::map<int, int> seen[2];
  for (int trial = 0; trial < 40; ++trial)
    for (const bool round : {true, false}) {
      const Shape shape = round ? Shape(Sphere{0.03}) : Shape(Box{{0.05, 0.03, 0.02}});
      std::vector<Vector3> places = block()->mesh().nodes, rates;
      for (Vector3& place : places) {
        place += 3e-4 * random.in_ball();
        rates.push_back(random.in_ball());
      }
      const Vector3 velocity = random.in_ball(), spin = random.in_ball();
      const Vector3 place(random.uniform(-0.15, 0.15), random.uniform(-0.05, 0.05),
                          (round ? 0.08 : 0.07) + 2e-3 * random.uniform());
      const Eigen::Quaterniond turn(Eigen::AngleAxisd(random.uniform(-1.0, 1.0), Vector3(0.1, 0.1, 1.0).normalized()));
      const auto found = [&](double time) {
        std::vector<Vector3> moved = places;
        for (std::size_t n = 0; n < moved.size(); ++n) moved[n] += time * rates[n];
        const Vector3 way = time * spin;
        const Eigen::Quaterniond further(
            Eigen::AngleAxisd(way.norm(), way.norm() > 0.0 ? Vector3(way.normalized()) : Vector3::UnitX()));
        return contacts_of_block(shape, at(place + time * velocity, further * turn), 0.02, moved);
      };
      const double step = 1e-6;
      std::map<ContactKey, double> before, after;
      for (const SurfaceContact& contact : found(-step)) before[contact.key] = contact.gap;
      for (const SurfaceContact& contact : found(step)) after[contact.key] = contact.gap;
      for (const SurfaceContact& contact : found(0.0)) {
        if (!before.contains(contact.key) || !after.contains(contact.key)) continue;
        double rate = contact.normal.dot(velocity + spin.cross(contact.point - place));
        for (int s = 0; s < contact.count; ++s) {
          const auto& share = contact.shares[static_cast<std::size_t>(s)];
          rate += share.weight * contact.normal.dot(rates[static_cast<std::size_t>(share.node)]);
        }
        ++seen[round ? 0 : 1][contact.key.kind];
        CHECK(rate == Approx((after.at(contact.key) - before.at(contact.key)) / (2.0 * step)).margin(1e-7));
      }
    }
  for (const int kind : {0, 2, 3}) CHECK(seen[0][kind] > 10);  // vertices, edges, faces
  for (const int kind : {0, 1, 2}) CHECK(seen[1][kind] > 10);  // vertices, corners, edges
}

TEST_CASE("a block rests on a box and below a heavy sphere") {
  ElasticWorldSettings settings;
  settings.name = "rest";
  settings.friction = 0.3;
  settings.time_step = 0.02;
  // The sphere comes down by 1 mm in 0.1 s and stays: what presses it is what the box carries, but for the weight.
  const PrescribedMotion press = [](double time) {
    ObstacleFrame frame;
    const double way = std::min(time, 0.1);
    frame.position = {0.03, 0.01, 0.08 - 0.01 * way};
    frame.velocity = {0.0, 0.0, time < 0.1 ? -0.01 : 0.0};
    return frame;
  };
  ElasticWorld world(
      settings, {elastic_body(block(), Vector3::Zero(), Matrix3::Identity())},
      {{Box{{0.5, 0.5, 0.1}}, resting({0.0, 0.0, -0.15})}, {Sphere{0.03}, press, 2.0, Vector3::Constant(1e-3)}});
  for (int n = 0; n < 39; ++n) take_step(world, Model::ccp, "ipm_cone");
  const Step last = take_step(world, Model::ccp, "ipm_cone");
  double carried = 0.0, pressed = 0.0;
  for (std::size_t c = 0; c < last.problem.gaps.size(); ++c) {
    const double along = (last.problem.frames[c] * last.impulse.segment<3>(3 * static_cast<Index>(c)))[2];
    (last.problem.keys[c].body_b == 1 ? carried : pressed) += along;
  }
  // Impulses act from the body on the obstacle: down on the box, up on the sphere.
  CHECK(pressed > 1.0 * settings.time_step);
  CHECK(carried + pressed == Approx(-4.0 * 9.81 * settings.time_step).epsilon(1e-4));
  CHECK(world.deepest_gap() > -1e-5);
  // The rows of the sphere hold it against its weight and what presses.
  CHECK(last.impulse[last.impulse.size() - 4] == Approx(2.0 * 9.81 * settings.time_step - pressed).epsilon(1e-6));
}
