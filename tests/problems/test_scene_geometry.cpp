#include <Eigen/Geometry>
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "core/error.hpp"
#include "problem/placed_mesh.hpp"
#include "problems/dynamics/shaped_contacts.hpp"
#include "problems/registry.hpp"
#include "tests/problems/moving_world.hpp"

using namespace ccp;
using namespace ccp::testing;

namespace {

struct ShownScene {
  std::string name;
  std::vector<std::pair<std::string, std::string>> settings;
  std::size_t obstacles = 1;
  double overlap = 0.0;  ///< of spheres that have settled as springs, over the radius; their contacts are rigid and touch
};

/// The part of a column of D that acts on a body is a unit impulse along the normal at the point of the contact.
void check_side(const Vector& column, const SceneGeometry& seen, const PlacedContact& contact, int side, double sign,
                double overlap) {
  if (side < 0 || side >= std::ssize(seen.bodies)) return;
  const PlacedSurface& body = seen.bodies[static_cast<std::size_t>(side)];
  const Vector3 normal = sign * contact.frame.col(0), arm = contact.point - body.position;
  CHECK((column.segment<3>(6 * side) - normal).norm() <= 1e-12);
  CHECK((column.segment<3>(6 * side + 3) - arm.cross(normal)).norm() <= 1e-12 * (1.0 + arm.norm()));
  if (body.kind == SurfaceKind::sphere)
    CHECK(std::abs(arm.norm() - body.sizes[0]) <=
          std::abs(contact.gap) + overlap * body.sizes[0] + 1e-12 * (1.0 + arm.norm()));
}

}  // namespace

TEST_CASE("what there is to see of a scene is where its problem has bodies and contacts") {
  const auto shown = GENERATE(values<ShownScene>({{"ball_box", {{"spheres", "30"}}, 2},
                                                  {"ball_box", {{"spheres", "30"}, {"friction", "0.3"}}, 2},
                                                  {"drum", {{"particles", "20"}}, 5},
                                                  {"guided_stack", {{"drop", "0.1"}}},
                                                  {"odd_mass_stack", {{"heavy_index", "3"}, {"spheres", "5"}}},
                                                  {"odd_mass_stack", {{"lone_mass", "0"}}},
                                                  {"single_ball", {}},
                                                  {"single_brick", {{"friction", "0.3"}}},
                                                  {"robot_manipulator", {}, 2},
                                                  {"robot_manipulator", {{"arm", "prescribed"}}, 2},
                                                  {"sliding_sphere", {}},
                                                  {"rolling_body", {}},
                                                  {"rolling_body", {{"form", "cylinder"}, {"planar", "true"}}},
                                                  {"pile", {{"spheres", "30"}, {"envelope", "0.05"}}},
                                                  {"cohesive_ball", {{"spheres", "40"}}},
                                                  {"mixer", {{"bodies", "40"}}, 3},
                                                  {"wrecking_ball", {{"walls", "2"}, {"rows", "3"}, {"columns", "3"}}},
                                                  {"sphere_press", {{"spheres", "60"}, {"per_side", "4"}}, 5},
                                                  {"sphere_press", {{"spheres", "60"}, {"packing", "random"}}, 5, 0.03}}));
  CAPTURE(shown.name);
  const auto scene = make_scene(shown.name);
  for (const auto& [name, value] : shown.settings) scene->parameters().set_from_text(name, value);
  const ContactProblem problem = scene->build(7);
  const SceneGeometry seen = scene->geometry(7);
  CHECK(6 * std::ssize(seen.bodies) == problem.dofs());
  CHECK(seen.obstacles.size() == shown.obstacles);
  const ConstraintSet& set = problem.constraints();
  std::size_t next = 0;
  for (Index i = 0; i < set.count(); ++i) {
    if (set.kind(i) == ConstraintKind::bilateral) continue;
    REQUIRE(next < seen.contacts.size());
    const PlacedContact& contact = seen.contacts[next++];
    const Vector column = problem.global().D.col(set.offset(i));
    check_side(column, seen, contact, contact.body_a, -1.0, shown.overlap);
    check_side(column, seen, contact, contact.body_b, 1.0, shown.overlap);
    CHECK(contact.body_a < std::ssize(seen.bodies) + std::ssize(seen.obstacles));
    CHECK(contact.body_b < std::ssize(seen.bodies) + std::ssize(seen.obstacles));
    CHECK((contact.frame.transpose() * contact.frame - Matrix3::Identity()).norm() <= 1e-12);
  }
  CHECK(next == seen.contacts.size());
}

TEST_CASE("rigid meshes are shown where their contacts are, bodies before obstacles") {
  struct Meshed {
    std::string name;
    std::size_t bodies, obstacle_meshes, obstacles;
    std::vector<double> volumes;  ///< by hand, m³: hexagon less bore, cylinder at d₂; discs, cones and rims 2d thick
  };
  const auto shown = GENERATE(values<Meshed>(
      {{"bolt_nut", 1, 1, 0, {1.25e-4, 1.25e-4}}, {"dish_pile", 4, 0, 1, {1.54e-4, 1.54e-4, 2.69e-4, 5.05e-4}}}));
  CAPTURE(shown.name);
  const auto scene = make_scene(shown.name);
  const ContactProblem problem = scene->build(7);
  const SceneGeometry seen = scene->geometry(7);
  const std::vector<PlacedMesh> meshes = dynamic_cast<const SceneShowsMeshes&>(*scene).meshes(7);
  REQUIRE(meshes.size() == shown.bodies + shown.obstacle_meshes);
  for (std::size_t i = 0; i < meshes.size(); ++i) CHECK(meshes[i].obstacle == (i >= shown.bodies));
  CHECK(seen.bodies.empty());
  CHECK(seen.obstacles.size() == shown.obstacles);
  CHECK(problem.dofs() == 6 * std::ssize(meshes) - 6 * static_cast<Index>(shown.obstacle_meshes));
  REQUIRE(3 * std::ssize(seen.contacts) == problem.rows());
  for (std::size_t i = 0; i < seen.contacts.size(); ++i) {
    const PlacedContact& contact = seen.contacts[i];
    const Vector column = problem.global().D.col(3 * static_cast<Index>(i));
    CHECK((column.segment<3>(6 * contact.body_b) - contact.frame.col(0)).norm() <= 1e-12);
    CHECK(std::abs(problem.global().b[3 * static_cast<Index>(i)] / 240.0 - contact.gap) <= 1e-15);
    double nearest = 1.0;  // m, from the contact to the corners of its mesh
    for (const Vector3& place : meshes[static_cast<std::size_t>(contact.body_b)].places)
      nearest = std::min(nearest, (place - contact.point).norm());
    CHECK(nearest < 8e-3);
  }
  // Triangles have their corners counter-clockwise seen from outside: together they hold the volume of the solid.
  for (const PlacedMesh& mesh : meshes) {
    double volume = 0.0;
    for (const auto& [a, b, c] : mesh.skin) {
      const auto at = [&](int node) { return mesh.places[static_cast<std::size_t>(node)]; };
      volume += at(a).dot(at(b).cross(at(c))) / 6.0;
    }
    CHECK(volume == Approx(shown.volumes[static_cast<std::size_t>(&mesh - meshes.data())]).epsilon(0.03));
  }
}

TEST_CASE("a scene without shapes shows nothing") { CHECK(make_scene("random_contacts")->geometry(1).empty()); }

TEST_CASE("surfaces are where the problem finds its contacts, deformed, and not there before they enter") {
  for (const Stepping stepping : {Stepping::velocity_impulse, Stepping::moreau_midpoint}) {
    const bool midpoint = stepping == Stepping::moreau_midpoint;
    CAPTURE(midpoint);
    WorldParts parts;
    parts.bodies = {moving_box(1.0, {0.1, 0.2, 0.3}), moving_sphere(1.0, 0.1)};
    parts.bodies[0].position = {0.0, 0.0, 1.0};
    parts.bodies[0].velocity = {1.0, 0.0, 0.0};
    parts.bodies[1].enters = 0.5;
    std::vector<Shape> bodies{Box{{0.1, 0.2, 0.3}}, Sphere{0.1}};
    Matrix3 F;
    F << 1.1, 0.2, 0.0, 0.0, 0.9, 0.1, 0.0, 0.0, 1.05;
    if (midpoint) {
      parts.pseudo_rigid = {pseudo_rigid_ellipsoid({0.1, 0.2, 0.3}, 100.0, 1e6, 0.25, 1e-3)};
      parts.pseudo_rigid[0].position = {0.0, 0.0, 5.0};
      parts.pseudo_rigid[0].deformation = F;
      bodies.emplace_back(Ellipsoid{{0.1, 0.2, 0.3}});
    }
    parts.obstacles = {gliding({0.0, 0.0, -1.0}, {}, {0.0, 1.0, 0.0}, Vector3::Zero())};
    give_surfaces(parts, {bodies, {Cylinder{0.5, 0.25}}, 0.0});
    const World world(settings_of(stepping, 0.1), parts);
    const SceneGeometry seen = world.surfaces();
    REQUIRE(seen.bodies.size() == bodies.size());
    CHECK(seen.bodies[0].kind == SurfaceKind::box);
    CHECK(seen.bodies[0].sizes == Vector3(0.1, 0.2, 0.3));
    CHECK(seen.bodies[0].position[0] == Approx(midpoint ? 0.05 : 0.0));
    CHECK(seen.bodies[0].present);
    CHECK_FALSE(seen.bodies[1].present);
    if (midpoint) CHECK(seen.bodies[2].rotation == F);
    REQUIRE(seen.obstacles.size() == 1);
    CHECK(seen.obstacles[0].kind == SurfaceKind::cylinder);
    CHECK(seen.obstacles[0].sizes == Vector3(0.5, 0.25, 0.0));
    CHECK(seen.obstacles[0].position[1] == Approx(midpoint ? 0.05 : 0.0));
    parts.shapes.pop_back();
    CHECK_THROWS_WITH(World(settings_of(stepping, 0.1), parts), Catch::Contains("shapes, expected one for each of"));
  }
}
