#include <Eigen/Geometry>
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <memory>

#include "problems/finite_elements/elastic_world.hpp"
#include "problems/random.hpp"
#include "tests/problems/constants.hpp"
#include "tests/problems/moving_world.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

std::shared_ptr<const ElasticModel> small_bar(double young = 1e6, const Vector3& lengths = {0.4, 0.1, 0.1},
                                              const std::array<int, 3>& cells = {4, 2, 2}) {
  return std::make_shared<ElasticModel>(box_mesh(lengths, cells, ElementKind::tetrahedron),
                                        ElasticMaterial{young, 0.3, 1000.0, 0.0, 0.01}, "the bar");
}

Matrix3 turn(double angle, const Vector3& axis) { return Eigen::AngleAxisd(angle, axis.normalized()).toRotationMatrix(); }

std::vector<SurfaceContact> contacts_of(const ElasticBody& a, const ElasticBody& b, double reach) {
  std::vector<SurfaceContact> found;
  const ElasticSurface one(*a.model, a.places), two(*b.model, b.places);
  find_skin_contacts(one, 0, two, 1, reach, found);
  return found;
}

std::array<int, 3> kinds_of(const std::vector<SurfaceContact>& contacts) {
  std::array<int, 3> count{};
  for (const SurfaceContact& contact : contacts) ++count[static_cast<std::size_t>(contact.key.kind)];
  return count;
}

/// Nodes of a body shaken.
ElasticBody shaken(ElasticBody body, std::uint64_t seed, double size) {
  Random random(seed);
  for (Vector3& place : body.places) place += size * random.in_ball();
  return body;
}

}  // namespace

TEST_CASE("the closest point of a triangle has no rival on it") {
  Random random(1);
  std::array<int, 3> seen{};  // inside, edges, corners
  for (int trial = 0; trial < 300; ++trial) {
    const std::array<Vector3, 3> triangle{random.in_ball(), random.in_ball(), random.in_ball()};
    const Vector3 p = 1.5 * random.in_ball();
    const TrianglePoint point = closest_point(p, triangle);
    ++seen[point.corner >= 0 ? 2U : point.edge >= 0 ? 1U : 0U];
    CHECK(point.weights.minCoeff() >= 0.0);
    CHECK(point.weights.sum() == Approx(1.0).epsilon(1e-12));
    CHECK((point.weights[0] * triangle[0] + point.weights[1] * triangle[1] + point.weights[2] * triangle[2] - point.place)
              .norm() < 1e-12);
    double least = 1e9;
    for (int i = 0; i <= 40; ++i)
      for (int j = 0; i + j <= 40; ++j)
        least = std::min(least, (p - (i * triangle[0] + j * triangle[1] + (40 - i - j) * triangle[2]) / 40.0).norm());
    const double distance = (p - point.place).norm();
    CHECK(distance <= least + 1e-12);
    CHECK(distance >= least - 0.1);
  }
  CHECK(std::min({seen[0], seen[1], seen[2]}) > 10);
}

TEST_CASE("the tree finds the triangle that a search of all finds") {
  const ElasticBody body = shaken(elastic_body(small_bar(), Vector3::Zero(), turn(0.4, {1.0, 2.0, 0.5})), 2, 0.01);
  const ElasticSurface surface(*body.model, body.places);
  Random random(3);
  int found = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const Vector3 p = 0.4 * random.in_ball();
    const auto accepts = [](int triangle) { return triangle % 3 != 0; };
    const double reach = 0.15;
    int best = -1;
    double least = reach * reach;
    for (int t = 0; t < static_cast<int>(body.model->skin().triangles.size()); ++t) {
      if (!accepts(t)) continue;
      const auto& nodes = body.model->skin().triangles[static_cast<std::size_t>(t)];
      const double square =
          (p - closest_point(p, {surface.place(nodes[0]), surface.place(nodes[1]), surface.place(nodes[2])}).place)
              .squaredNorm();
      if (square < least) {
        least = square;
        best = t;
      }
    }
    const auto nearest = surface.tree().nearest(p, reach, accepts);
    REQUIRE(nearest.has_value() == (best >= 0));
    if (!nearest) continue;
    ++found;
    CHECK(nearest->triangle == best);
    CHECK(nearest->squared_distance == least);
  }
  CHECK(found > 50);
}

TEST_CASE("crossed bars touch by vertices and by edges") {
  const auto model = small_bar();
  const ElasticBody low = elastic_body(model, Vector3::Zero(), Matrix3::Identity());
  for (const double gap : {-0.001, 0.0, 0.002}) {
    const ElasticBody high = elastic_body(model, {0.013, 0.007, 0.1 + gap}, turn(0.7, Vector3::UnitZ()));
    const auto contacts = contacts_of(low, high, 0.005);
    const auto kinds = kinds_of(contacts);
    CHECK(kinds[0] > 0);
    CHECK(kinds[1] > 0);
    CHECK(kinds[2] == 4);  // the corners of the parallelogram that the faces share
    for (const SurfaceContact& contact : contacts) {
      CHECK(contact.gap == Approx(gap).margin(1e-12));
      CHECK((contact.normal - Vector3::UnitZ()).norm() < 1e-12);
    }
    for (std::size_t i = 1; i < contacts.size(); ++i) CHECK(contacts[i - 1].key < contacts[i].key);
    // The other way around all is turned.
    const auto turned = contacts_of(high, low, 0.005);
    REQUIRE(turned.size() == contacts.size());
    for (const SurfaceContact& contact : turned) CHECK((contact.normal + Vector3::UnitZ()).norm() < 1e-12);
  }
  CHECK(contacts_of(low, elastic_body(model, {0.0, 0.0, 0.1051}, turn(0.7, Vector3::UnitZ())), 0.005).empty());
  // One beside the other on the same floor, and one tip in the air near a rim.
  CHECK(contacts_of(low, elastic_body(model, {0.0, 0.12, 0.0}, Matrix3::Identity()), 0.005).empty());
}

TEST_CASE("vertices on vertices have one contact each") {
  const auto model = small_bar(1e6, {0.1, 0.1, 0.1}, {2, 2, 2});
  const ElasticBody low = elastic_body(model, Vector3::Zero(), Matrix3::Identity());
  const ElasticBody high = elastic_body(model, {0.0, 0.0, 0.1}, Matrix3::Identity());
  const auto contacts = contacts_of(low, high, 0.001);
  CHECK(kinds_of(contacts) == std::array<int, 3>{9, 0, 0});
}

TEST_CASE("a vertex that leaves a face follows the rim") {
  const auto model = small_bar();
  const ElasticBody low = elastic_body(model, Vector3::Zero(), Matrix3::Identity());
  // A corner points down beside the top face: its distance is that to the edge.
  const Matrix3 tip = Eigen::Quaterniond::FromTwoVectors(Vector3(0.4, 0.1, 0.1), -Vector3::UnitZ()).toRotationMatrix();
  ElasticBody high = elastic_body(model, Vector3::Zero(), tip);
  const Vector3 corner = high.places.back();
  for (Vector3& place : high.places) place += Vector3(0.031, 0.053, 0.054) - corner;
  auto contacts = contacts_of(low, high, 0.01);
  std::erase_if(contacts,
                [](const SurfaceContact& contact) { return contact.key.kind == static_cast<int>(SkinContact::edges); });
  REQUIRE(contacts.size() == 1);
  CHECK(contacts[0].gap == Approx(std::hypot(0.003, 0.004)).epsilon(1e-12));
  CHECK((contacts[0].normal - Vector3(0.0, 0.6, 0.8)).norm() < 1e-9);
}

TEST_CASE("rows of elastic contacts are the rates of their gaps") {
  const auto model = small_bar();
  Random random(7);
  std::array<int, 3> kinds{};
  for (int trial = 0; trial < 12; ++trial) {
    const double angle = random.uniform(0.3, 1.2);
    const ElasticBody low =
        shaken(elastic_body(model, Vector3::Zero(), turn(0.02, {1.0, 1.0, 0.0})), 10 + static_cast<unsigned>(trial), 3e-4);
    const ElasticBody high =
        shaken(elastic_body(model, {0.01, 0.02, 0.1 + random.uniform(-0.002, 0.003)}, turn(angle, {0.05, 0.0, 1.0})),
               50 + static_cast<unsigned>(trial), 3e-4);
    std::vector<Vector3> rates_low, rates_high;
    for (std::size_t n = 0; n < low.places.size(); ++n) {
      rates_low.push_back(random.in_ball());
      rates_high.push_back(random.in_ball());
    }
    const double step = 1e-7;
    const auto moved = [&](double time) {
      ElasticBody one = low, two = high;
      for (std::size_t n = 0; n < low.places.size(); ++n) {
        one.places[n] += time * rates_low[n];
        two.places[n] += time * rates_high[n];
      }
      std::map<ContactKey, double> gaps;
      for (const SurfaceContact& contact : contacts_of(one, two, 0.02)) gaps[contact.key] = contact.gap;
      return gaps;
    };
    const auto before = moved(-step), after = moved(step);
    for (const SurfaceContact& contact : contacts_of(low, high, 0.02)) {
      if (!before.contains(contact.key) || !after.contains(contact.key)) continue;
      double rate = 0.0, sums[2] = {0.0, 0.0};
      for (int s = 0; s < contact.count; ++s) {
        const auto& share = contact.shares[static_cast<std::size_t>(s)];
        const auto& rates = share.body == 0 ? rates_low : rates_high;
        rate += share.weight * contact.normal.dot(rates[static_cast<std::size_t>(share.node)]);
        sums[share.body] += share.weight;
      }
      ++kinds[static_cast<std::size_t>(contact.key.kind)];
      const double difference = (after.at(contact.key) - before.at(contact.key)) / (2.0 * step);
      CHECK(rate == Approx(difference).margin(1e-7));
      CHECK(sums[0] == Approx(-1.0).epsilon(1e-12));
      CHECK(sums[1] == Approx(1.0).epsilon(1e-12));
    }
  }
  CHECK(std::min({kinds[0], kinds[1], kinds[2]}) > 20);
}

TEST_CASE("impulses of elastic contacts conserve momentum pair by pair") {
  const auto model = small_bar();
  ElasticWorldSettings settings;
  settings.name = "pair";
  settings.envelope = 0.02;
  settings.friction = 0.5;
  const ElasticWorld world(settings,
                           {shaken(elastic_body(model, Vector3::Zero(), Matrix3::Identity()), 1, 3e-4),
                            shaken(elastic_body(model, {0.0, 0.01, 0.101}, turn(0.8, Vector3::UnitZ())), 2, 3e-4)},
                           {});
  const MotionProblem problem = world.problem();
  const SparseMatrix& D = problem.problem.global().D;
  REQUIRE(D.cols() > 30);
  for (Index column = 0; column < D.cols(); ++column) {
    Vector3 linear = Vector3::Zero(), angular = Vector3::Zero();
    for (SparseMatrix::InnerIterator entry(D, column); entry; ++entry) {
      const Index body = entry.row() / (3 * model->nodes()), node = entry.row() / 3 % model->nodes();
      const Vector3 impulse = entry.value() * Vector3::Unit(entry.row() % 3);
      linear += impulse;
      angular += world.bodies()[static_cast<std::size_t>(body)].places[static_cast<std::size_t>(node)].cross(impulse);
    }
    CHECK(linear.norm() < 1e-12);
    if (column % 3 == 0) CHECK(angular.norm() < 1e-12);  // tangential impulses turn the pair by their arm, the gap
  }
}

TEST_CASE("the order of the bodies changes no number of an elastic problem") {
  const auto model = small_bar();
  const Index dofs = 3 * model->nodes();
  std::vector<ElasticBody> bodies;
  for (int b = 0; b < 4; ++b)
    bodies.push_back(shaken(elastic_body(model, {0.01 * b, 0.005 * b, 0.0502 + 0.1003 * b}, turn(0.9 * b, Vector3::UnitZ())),
                            20 + static_cast<unsigned>(b), 3e-4));
  ElasticWorldSettings settings;
  settings.name = "heap";
  settings.friction = 0.3;
  settings.time_step = 0.01;
  const auto world = [&](const std::array<int, 4>& order) {
    std::vector<ElasticBody> sorted;
    for (const int b : order) sorted.push_back(bodies[static_cast<std::size_t>(b)]);
    return ElasticWorld(settings, sorted, {{HalfSpace{}, resting(Vector3::Zero())}});
  };
  const std::array<int, 4> order{2, 0, 3, 1};
  ElasticWorld plain = world({0, 1, 2, 3}), shuffled = world(order);
  const MotionProblem one = plain.problem(), two = shuffled.problem();
  REQUIRE(one.gaps.size() > 50);
  REQUIRE(two.gaps.size() == one.gaps.size());

  // A contact by its bodies in the plain numbering, the lower one first; the floor is 4 in both.
  std::map<ContactKey, std::size_t> places;
  for (std::size_t c = 0; c < one.keys.size(); ++c) places[one.keys[c]] = c;
  const GlobalForm &plain_form = one.problem.global(), &shuffled_form = two.problem.global();
  const DenseMatrix D = plain_form.D;
  int turned = 0;
  for (std::size_t c = 0; c < two.keys.size(); ++c) {
    ContactKey key = two.keys[c];
    const auto known = [&](int body) { return body < 4 ? order[static_cast<std::size_t>(body)] : body; };
    key.body_a = known(key.body_a);
    key.body_b = known(key.body_b);
    const bool swapped = key.body_a > key.body_b;
    if (swapped) {
      ++turned;
      std::swap(key.body_a, key.body_b);
      std::swap(key.feature_a, key.feature_b);
      if (key.kind != static_cast<int>(SkinContact::edges)) key.kind = 1 - key.kind;
    }
    REQUIRE(places.contains(key));
    const std::size_t place = places.at(key);
    CHECK(two.gaps[c] == one.gaps[place]);
    const Vector3 normal = swapped ? Vector3(-two.frames[c].col(0)) : Vector3(two.frames[c].col(0));
    CHECK(normal == Vector3(one.frames[place].col(0)));
    // Each body's part of the row; a turned one has n and the signs of the weights turned.
    for (SparseMatrix::InnerIterator entry(shuffled_form.D, 3 * static_cast<Index>(c)); entry; ++entry)
      CHECK(entry.value() ==
            D(dofs * known(static_cast<int>(entry.row() / dofs)) + entry.row() % dofs, 3 * static_cast<Index>(place)));
  }
  CHECK(turned > 10);
  for (int body = 0; body < 4; ++body) {
    const Index from = dofs * body, to = dofs * order[static_cast<std::size_t>(body)];
    CHECK(Vector(shuffled_form.k.segment(from, dofs)) == Vector(plain_form.k.segment(to, dofs)));
    CHECK(DenseMatrix(shuffled_form.H.block(from, from, dofs, dofs)) == DenseMatrix(plain_form.H.block(to, to, dofs, dofs)));
  }
  // The solution, whose sums are in another order, to what the method is exact to.
  take_step(plain, Model::ccp, "ipm_cone");
  take_step(shuffled, Model::ccp, "ipm_cone");
  for (int body = 0; body < 4; ++body) {
    const ElasticBody &moved = shuffled.bodies()[static_cast<std::size_t>(body)],
                      &other = plain.bodies()[static_cast<std::size_t>(order[static_cast<std::size_t>(body)])];
    CHECK((flattened(moved.velocities) - flattened(other.velocities)).norm() < 1e-7 * flattened(other.velocities).norm());
  }
}

TEST_CASE("a bar at rest on a plane weighs what it weighs") {
  for (const auto& [young, tolerance] : {std::pair{2e11, 1e-6}, std::pair{1e6, 4e-4}}) {
    const auto model = small_bar(young, {0.8, 0.08, 0.08}, {12, 3, 3});
    ElasticWorldSettings settings;
    settings.name = "bar";
    settings.friction = 0.3;
    ElasticWorld world(settings, {elastic_body(model, {0.0, 0.0, 0.04}, Matrix3::Identity())},
                       {{HalfSpace{}, resting(Vector3::Zero())}});
    for (int n = 0; n < 19; ++n) take_step(world, Model::ccp, "ipm_cone");
    const Step last = take_step(world, Model::ccp, "ipm_cone");
    double carried = 0.0;
    for (Index row = 0; row < last.impulse.size(); row += 3) carried += last.impulse[row];
    CHECK(last.problem.gaps.size() == 52);
    CHECK(carried == Approx(5.12 * 9.81 * 0.05).epsilon(tolerance));
  }
}

TEST_CASE("elastic bodies meet moving obstacles") {
  const auto model = small_bar();
  ElasticWorldSettings settings;
  settings.name = "press";
  settings.gravity.setZero();
  SECTION("a plane that rises carries the bar along") {
    ElasticWorld world(settings, {elastic_body(model, {0.0, 0.0, 0.05}, Matrix3::Identity())},
                       {{HalfSpace{}, gliding(Vector3::Zero(), {}, {0.0, 0.0, 0.2}, Vector3::Zero())}});
    for (int n = 0; n < 30; ++n) take_step(world);
    double mean = 0.0;
    for (const Vector3& velocity : world.bodies()[0].velocities) mean += velocity[2] / static_cast<double>(model->nodes());
    CHECK(mean >= 0.2 - 1e-9);
    CHECK(world.deepest_gap() > -1e-9);
  }
  SECTION("a cylinder along it touches the row of nodes above its axis") {
    const ElasticWorld world(settings, {elastic_body(model, {0.0, 0.0, 0.05}, Matrix3::Identity())},
                             {{Cylinder{0.02}, resting({0.0, 0.0, -0.021}, slope(0.5 * pi))}});
    const MotionProblem problem = world.problem();
    CHECK(problem.gaps.size() == 5);
    for (const double gap : problem.gaps) CHECK(gap == Approx(0.001).epsilon(1e-9));
    CHECK(problem.problem.rows() == 5);  // without friction
    for (const Matrix3& frame : problem.frames) CHECK((frame.col(0) + Vector3::UnitZ()).norm() < 1e-9);
  }
  SECTION("one across it touches the edges that cross it, where no node is") {
    const Quaternion across{std::sqrt(0.5), std::sqrt(0.5), 0.0, 0.0};
    const auto above = [&](double x) {
      return ElasticWorld(settings, {elastic_body(model, {x, 0.0, 0.05}, Matrix3::Identity())},
                          {{Cylinder{0.02}, resting({0.0, 0.0, -0.021}, across)}})
          .problem();
    };
    const MotionProblem level = above(0.05);
    // Three edges along the bar and the diagonals of two cells.
    CHECK(level.gaps.size() == 5);
    for (std::size_t c = 0; c < level.gaps.size(); ++c) {
      CHECK(level.gaps[c] == Approx(0.001).epsilon(1e-9));
      CHECK(level.keys[c].kind == static_cast<int>(SkinContact::edges));
      CHECK(level.points[c][0] == Approx(0.0).margin(1e-12));
      CHECK((level.frames[c].col(0) + Vector3::UnitZ()).norm() < 1e-9);
    }
    // Each edge shares the contact between its nodes.
    CHECK((DenseMatrix(level.problem.global().D).colwise().sum().array() - 1.0).abs().maxCoeff() < 1e-9);
    const MotionProblem on_nodes = above(0.0);
    CHECK(on_nodes.gaps.size() == 3);
    for (const ContactKey& key : on_nodes.keys) CHECK(key.kind == static_cast<int>(SkinContact::first_vertex));
  }
  SECTION("other shapes are refused") {
    CHECK_THROWS_WITH(ElasticWorld(settings, {}, {{Ellipsoid{}, resting(Vector3::Zero())}}), Catch::Contains("ellipsoid"));
    CHECK_THROWS_WITH(ElasticWorld(settings, {}, {{Sphere{-1.0}, resting(Vector3::Zero())}}), Catch::Contains("radius"));
    settings.envelope = -1.0;
    CHECK_THROWS_WITH(ElasticWorld(settings, {}, {}), Catch::Contains("envelope is -1 m"));
  }
}
