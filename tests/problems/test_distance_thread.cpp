#include <Eigen/Geometry>
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "problems/distance_field/thread.hpp"
#include "problems/distance_field/triangle_mesh.hpp"
#include "problems/dynamics/elementary.hpp"
#include "problems/random.hpp"
#include "tests/problems/constants.hpp"

using namespace ccp;

namespace {

/// The distance of p to the helicoid of one edge of the section, by grids that zoom in: no formula of the code under test.
double distance_to_helicoid(const Vector3& p, const Vector2& start, const Vector2& end, double pitch) {
  double theta = std::atan2(p[1], p[0]), share = 0.5, width = 0.1, length = 0.5, least = 1.0;
  for (int zoom = 0; zoom < 14; ++zoom, width *= 0.3, length *= 0.3) {
    const double centre_theta = theta, centre_share = share;
    for (int i = -6; i <= 6; ++i)
      for (int j = -6; j <= 6; ++j) {
        const double t = centre_theta + width * i / 6.0, along = std::clamp(centre_share + length * j / 6.0, 0.0, 1.0);
        const Vector2 point = start + along * (end - start);
        const Vector3 x(point[1] * std::cos(t), point[1] * std::sin(t), point[0] + pitch * t / (2.0 * pi));
        const double distance = (x - p).squaredNorm();
        if (distance < least) {
          least = distance;
          theta = t;
          share = along;
        }
      }
  }
  return std::sqrt(least);
}

double brute_force(const Vector3& p, const ThreadProfile& profile) {
  const auto corners = profile.half_section();
  const double near = std::floor((p[2] - profile.pitch * std::atan2(p[1], p[0]) / (2.0 * pi)) / profile.pitch);
  double least = std::numeric_limits<double>::infinity();
  for (const double turn : {near, near + 1.0})  // both sides of each crest that can be next to p
    for (const double side : {-1.0, 1.0})
      for (std::size_t i = 0; i < 3; ++i) {
        const auto at = [&](const Vector2& corner) { return Vector2(turn * profile.pitch + side * corner[0], corner[1]); };
        least = std::min(least, distance_to_helicoid(p, at(corners[i]), at(corners[i + 1]), profile.pitch));
      }
  return least;
}

Vector3 point_near_thread(Random& random) {
  const double r = random.uniform(20.0, 25.2) * mm, theta = random.uniform(-pi, pi);
  return {r * std::cos(theta), r * std::sin(theta), random.uniform(-8.0, 8.0) * mm};
}

}  // namespace

TEST_CASE("taylor_atan2 is the arctangent of all quadrants") {
  Random random(3);
  for (int i = 0; i < 2000; ++i) {
    const double x = random.uniform(-2.0, 2.0), y = random.uniform(-2.0, 2.0) * (i % 5 == 0 ? 1e-9 : 1.0);
    CHECK(std::abs(taylor_atan2(y, x) - std::atan2(y, x)) < 6e-16);
  }
  CHECK(taylor_atan2(0.0, 1.0) == 0.0);
  CHECK(taylor_atan2(1.0, 0.0) == 0.5 * pi);
  CHECK(taylor_atan2(0.0, -1.0) == pi);
  CHECK(taylor_atan2(-1.0, -1.0) == Approx(-0.75 * pi).epsilon(1e-15));
  CHECK(taylor_atan2(0.0, 0.0) == 0.0);
}

TEST_CASE("the thread M48 x 5 has the diameters of ISO 965-1") {
  CHECK(ThreadProfile::bolt_m48(1.0).major == Approx(47.399 * mm).epsilon(1e-14));
  CHECK(ThreadProfile::bolt_m48(1.0).pitch_diameter == Approx(44.431 * mm).epsilon(1e-14));
  CHECK(ThreadProfile::nut_m48(1.0).pitch_diameter == Approx(45.087 * mm).epsilon(1e-14));
  CHECK(ThreadProfile::nut_m48(1.0).minor == Approx(43.297 * mm).epsilon(1e-14));
  for (const auto& [fit, play] : {std::pair(0.0, 0.041), std::pair(0.5, 0.210), std::pair(1.0, 0.379)}) {
    const double difference = ThreadProfile::nut_m48(fit).pitch_diameter - ThreadProfile::bolt_m48(fit).pitch_diameter;
    CHECK(std::abs(difference * std::tan(pi / 6.0) - play * mm) < 5e-4 * mm);
  }
}

TEST_CASE("the distance to the thread is exact at crest, flank and root") {
  const ThreadProfile profile = ThreadProfile::bolt_m48(0.0);
  const ThreadedBolt bolt(profile, 40.0 * mm);
  const double P = profile.pitch;
  CHECK(std::abs(bolt.distance({0.5 * profile.major + 0.5 * mm, 0.0, 0.0}) - 0.5 * mm) < 1e-12 * mm);
  CHECK(std::abs(bolt.distance({0.5 * profile.pitch_diameter, 0.0, 0.25 * P})) < 1e-12 * mm);
  CHECK(std::abs(bolt.distance({0.5 * profile.minor - 0.1 * mm, 0.0, 0.5 * P}) + 0.1 * mm) < 1e-12 * mm);
  CHECK(bolt.lipschitz() == Approx(std::sqrt(1.0 + std::pow(5.0 / (pi * 41.866), 2))).epsilon(1e-14));
}

TEST_CASE("the thread is the same after a turn along the helix") {
  const ThreadedBolt bolt(ThreadProfile::bolt_m48(0.3), 1.0);
  Random random(5);
  for (int i = 0; i < 200; ++i) {
    const Vector3 p = point_near_thread(random);
    const double turn = random.uniform(-10.0, 10.0);
    const Matrix3 rotation = Eigen::AngleAxisd(turn, Vector3::UnitZ()).toRotationMatrix();
    const Vector3 q = rotation * p + 5.0 * mm * turn / (2.0 * pi) * Vector3::UnitZ();
    CHECK(std::abs(bolt.distance(q) - bolt.distance(p)) < 1e-12 * mm);
  }
  // across the seam of the angle
  for (const double z : {0.0, 1.3 * mm, 2.5 * mm})
    CHECK(std::abs(bolt.distance({-22.5 * mm, 1e-12, z}) - bolt.distance({-22.5 * mm, -1e-12, z})) < 1e-11);
}

TEST_CASE("the distance to the thread is that of brute force within the bounds of its correction") {
  const ThreadProfile profile = ThreadProfile::bolt_m48(0.0);
  const ThreadedBolt bolt(profile, 1.0);
  Random random(7);
  double worst[3] = {0.0, 0.0, 0.0};
  int seen[3] = {0, 0, 0};
  const double upper[3] = {0.02 * mm, 0.3 * mm, 1.0 * mm};
  while (std::min({seen[0], seen[1], seen[2]}) < 40) {
    const Vector3 p = point_near_thread(random);
    const double distance = bolt.distance(p);
    const auto bin = std::find_if(upper, upper + 3, [&](double bound) { return std::abs(distance) <= bound; }) - upper;
    if (bin == 3 || seen[bin] >= 40) continue;
    ++seen[bin];
    const double exact = brute_force(p, profile);
    worst[bin] = std::max(worst[bin], std::abs(std::abs(distance) - exact));
    CHECK(std::abs(distance) / bolt.lipschitz() <= exact + 1e-9 * mm);
  }
  CAPTURE(worst[0] / mm, worst[1] / mm, worst[2] / mm);
  CHECK(worst[0] <= 2.4e-8 * mm);
  CHECK(worst[1] <= 1.4e-6 * mm);
  CHECK(worst[2] <= 1.1e-5 * mm);
  CHECK(worst[2] > 1e-9 * mm);
}

TEST_CASE("the gradient of the thread is that of the distance in the section, scaled to length 1") {
  const ThreadedBolt bolt(ThreadProfile::bolt_m48(0.0), 1.0);
  Random random(11);
  const auto raw = [&](const Vector3& p) {
    const double r = std::hypot(p[0], p[1]);
    return bolt.section(p[2] - 5.0 * mm * std::atan2(p[1], p[0]) / (2.0 * pi), r, 0.0).distance;
  };
  int compared = 0;
  for (int i = 0; i < 400; ++i) {
    const Vector3 p = point_near_thread(random);
    if (std::abs(std::atan2(p[1], p[0])) > 3.0) continue;  // std::atan2 wraps, the section does not mind
    const double step = 1e-5 * mm;
    Vector3 difference;
    for (int axis = 0; axis < 3; ++axis)
      difference[axis] = (raw(p + step * Vector3::Unit(axis)) - raw(p - step * Vector3::Unit(axis))) / (2.0 * step);
    const Vector3 gradient = bolt.gradient(p);
    CHECK(gradient.norm() == Approx(1.0).epsilon(1e-12));
    // On the lines between two parts of the section φ_raw has a kink; beside them differences are good to 1e-6.
    if ((difference.normalized() - gradient).norm() < 1e-6) ++compared;
  }
  CHECK(compared >= 360);
}

TEST_CASE("the ends of the bolt are planes and cones, and the distance there is no longer than the true one") {
  const ThreadProfile profile = ThreadProfile::bolt_m48(0.0);
  const ThreadedBolt bolt(profile, 40.0 * mm);
  CHECK(bolt.distance({0.0, 0.0, 43.0 * mm}) == Approx(3.0 * mm).epsilon(1e-12));
  CHECK(bolt.gradient({1.0 * mm, 0.0, -43.0 * mm}) == -Vector3::UnitZ());
  const double radius = 0.5 * profile.minor - 0.5 * mm;
  const Vector3 on_cone(radius + 1.0 * mm, 0.0, 39.0 * mm), out = Vector3(1.0, 0.0, 1.0).normalized();
  CHECK(std::abs(bolt.distance(on_cone)) < 1e-15);
  CHECK(bolt.distance(on_cone + 0.2 * mm * out) == Approx(0.2 * mm).epsilon(1e-12));
  CHECK((bolt.gradient(on_cone + 0.2 * mm * out) - out).norm() < 1e-14);
}

TEST_CASE("the mesh of the nut lies on its thread") {
  const ThreadProfile profile = ThreadProfile::nut_m48(0.0);
  const TriangleMesh mesh = nut_mesh(profile, 19.0 * mm, 96, 2);
  CHECK(mesh.triangles.size() == 8560);
  const ThreadedBolt as_bolt(profile, 1.0);
  double farthest = 0.0, highest = 0.0;
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i)
    for (const Vector3& corner : mesh.corners(i)) {
      farthest = std::max(farthest, std::abs(as_bolt.distance(corner)));
      highest = std::max(highest, std::abs(corner[2]));
    }
  CHECK(farthest < 1e-15);
  CHECK(highest <= 19.0 * mm);
  CHECK(highest > 18.9 * mm);
  CHECK(mesh.longest_edge() < 2.3 * mm);
}
