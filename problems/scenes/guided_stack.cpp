#include "problems/scenes/guided_stack.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <numbers>
#include <utility>
#include <vector>

#include "problems/dynamics/elementary.hpp"
#include "problems/dynamics/shaped_contacts.hpp"
#include "problems/dynamics/world.hpp"
#include "problems/geometry/smooth_pairs.hpp"
#include "problems/rigid/rigid_system.hpp"

namespace ccp {
namespace {

constexpr const char* thesis = "Mangoni's thesis, sec. 5.3.3";
constexpr double unlimited = std::numeric_limits<double>::infinity();
constexpr double largest_mass = 1e30, smallest_mass = 1e-30;

struct GuidedSphere {
  double mass, radius;
  double gap;              ///< to what is below, m
  double contact, centre;  ///< heights, of the middle of that gap and of the centre, m
};

/// From the floor upwards.
std::vector<GuidedSphere> guided_spheres(const GuidedStack::Parameters& p) {
  std::vector<GuidedSphere> spheres;
  double mass = p.mass, top = 0.0;
  for (int i = 0; i < p.spheres; ++i, mass *= p.growth) {
    const double radius = cube_root(3.0 * mass / (4.0 * std::numbers::pi * p.density)), gap = p.drop * radius;
    spheres.push_back({mass, radius, gap, top + 0.5 * gap, top + gap + radius});
    top += gap + 2.0 * radius;
  }
  return spheres;
}

RigidConstraint guide(int sphere, const Vector3& centre, const Vector3& direction) {
  RigidConstraint row;
  row.kind = ConstraintKind::bilateral;
  row.second = sphere;
  row.point = centre;
  row.normal = direction;
  return row;
}

/// Finds the contacts of each sphere with the next one and of the first with the floor, however far apart: their order does
/// not change.
ContactFinder neighbour_contacts(std::vector<double> radii, double friction) {
  return [radii = std::move(radii), friction](const Configuration& at) {
    const auto pose = [&](std::size_t i) { return Pose{at.bodies[i].position, at.bodies[i].rotation}; };
    const std::size_t count = radii.size();
    Contacts found;
    for (std::size_t i = 0; i < count; ++i) {
      const int number = static_cast<int>(i);
      if (i + 1 < count) {
        collide(Sphere{radii[i]}, pose(i), Sphere{radii[i + 1]}, pose(i + 1), unlimited, found);
        found.back().id = {number, number + 1};
      }
      if (i > 0) continue;
      collide(Sphere{radii[i]}, pose(i), HalfSpace{}, Pose{}, unlimited, found);
      found.back().id = {number, static_cast<int>(count)};
    }
    std::vector<WorldContact> contacts;
    for (const Contact& contact : found) {
      const auto a = static_cast<std::size_t>(contact.id.a), b = static_cast<std::size_t>(contact.id.b);
      contacts.push_back(world_contact(contact, friction, b < count ? std::min(radii[a], radii[b]) : radii[a]));
    }
    return contacts;
  };
}

}  // namespace

GuidedStack::GuidedStack() {
  Parameters& p = parameters_;
  fields_.add("spheres", &p.spheres, Range::closed(1.0, 1e6), "spheres in the column", thesis)
      .add("mass", &p.mass, Range::closed(1e-12, 1e18), "kg", "mass of the lowest sphere: 1e2, 1e6 and 1e12 in the thesis",
           thesis)
      .add("growth", &p.growth, Range::closed(0.01, 100.0), "",
           "mass of a sphere over that of the one below it: 1, or 10 in the fourth test, with 'mass' 10", thesis)
      .add("density", &p.density, Range::positive(), "kg/m³", "density of every sphere", "ours; constant in the thesis")
      .add("friction", &p.friction, Range::non_negative(), "",
           "friction coefficient of every contact; 0: a contact is a single unilateral row", "ours; none in the thesis")
      .add("drop", &p.drop, Range::non_negative(), "", "gap under each sphere at the start, over its radius; 0: all rests",
           "ours")
      .add("gravity", &p.gravity, Range::non_negative(), "m/s²", "acceleration of gravity, downwards", "ours")
      .add("time_step", &p.time_step, Range::positive(), "s", "length of the step h", "Mangoni's thesis, Fig. 5.6");
}

const SceneInfo& GuidedStack::info() const {
  static const SceneInfo scene{"guided_stack", "A column of guided spheres, equal or each ten times heavier than the last",
                               "Mangoni's thesis, sec. 5.3.3, Figs. 5.5 and 5.6"};
  return scene;
}

std::optional<std::string> GuidedStack::check() const {
  const Parameters& p = parameters_;
  double mass = p.mass;
  for (int i = 1; i < p.spheres && p.growth != 1.0; ++i) {
    mass *= p.growth;
    if (mass > largest_mass || mass < smallest_mass)
      return fmt::format(
          "sphere {} would have {:.0e} kg, expected masses from {:.0e} to {:.0e}: fewer 'spheres' or a "
          "'growth' nearer to 1",
          i + 1, mass, smallest_mass, largest_mass);
  }
  return std::nullopt;
}

ContactProblem GuidedStack::do_build(std::uint64_t /*seed: nothing here is random*/) const {
  const Parameters& p = parameters_;
  std::vector<RigidBody> bodies;
  std::vector<RigidConstraint> rows;
  for (const GuidedSphere& sphere : guided_spheres(p)) {
    const int i = static_cast<int>(bodies.size());
    RigidConstraint contact;
    contact.kind = p.friction > 0.0 ? ConstraintKind::contact : ConstraintKind::unilateral;
    contact.first = i == 0 ? RigidConstraint::fixed : i - 1;
    contact.second = i;
    contact.point = {0.0, 0.0, sphere.contact};
    contact.friction = p.friction;
    contact.gap = sphere.gap;
    const Vector3 centre(0.0, 0.0, sphere.centre);
    bodies.push_back(solid_sphere(sphere.mass, sphere.radius, centre, p.gravity));
    rows.push_back(contact);
    rows.push_back(guide(i, centre, Vector3::UnitX()));
    rows.push_back(guide(i, centre, Vector3::UnitY()));
  }
  return rigid_step(info().name, bodies, rows, p.time_step);
}

std::unique_ptr<Motion> GuidedStack::do_motion(std::uint64_t /*seed*/) const {
  const Parameters& p = parameters_;
  WorldParts parts;
  parts.obstacles = {resting(Vector3::Zero())};
  std::vector<double> radii;
  for (const GuidedSphere& sphere : guided_spheres(p)) {
    MovingBody& body = parts.bodies.emplace_back(moving_sphere(sphere.mass, sphere.radius));
    body.position = {0.0, 0.0, sphere.centre};
    radii.push_back(sphere.radius);
  }
  for (int i = 0; i < p.spheres; ++i)
    parts.joints.push_back(
        joint_here(parts, JointKind::guide, Joint::ground, i, parts.bodies[static_cast<std::size_t>(i)].position));
  for (const double radius : radii) parts.shapes.emplace_back(Sphere{radius});
  parts.shapes.emplace_back(HalfSpace{});
  parts.contacts = neighbour_contacts(std::move(radii), p.friction);
  return std::make_unique<World>(WorldSettings{info().name, p.time_step, {0.0, 0.0, -p.gravity}}, std::move(parts));
}

SceneGeometry GuidedStack::do_geometry(std::uint64_t seed) const {
  SceneGeometry geometry = do_motion(seed)->surfaces();
  const int floor = parameters_.spheres;
  for (const GuidedSphere& sphere : guided_spheres(parameters_)) {
    const int i = static_cast<int>(geometry.contacts.size());
    Matrix3 frame;
    frame << Vector3::UnitZ(), Vector3::UnitX(), Vector3::UnitY();
    geometry.contacts.push_back({{0.0, 0.0, sphere.contact}, frame, sphere.gap, i == 0 ? floor : i - 1, i});
  }
  return geometry;
}

}  // namespace ccp
