#include "problems/scenes/mixer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "core/text.hpp"
#include "problems/dynamics/world.hpp"
#include "problems/random.hpp"
#include "problems/scenes/cohesive_contacts.hpp"

namespace ccp {
namespace {

constexpr double grid_margin = 0.02;  // between neighbours at the start, over their width
constexpr const char* mixer_source = "Mazhar 2015, Fig. 6";

/// Half the width of the widest body, m, when boxes stand upright, however they are turned about z.
double widest(const Mixer::Parameters& p) {
  return std::max({p.sphere_radius, p.ellipsoid_flat, 0.5 * std::numbers::sqrt2 * p.box_edge});
}

/// The same when boxes lie as they like.
double widest_stirred(const Mixer::Parameters& p) {
  return std::max({p.sphere_radius, p.ellipsoid_flat, 0.5 * std::numbers::sqrt3 * p.box_edge});
}

/// How far from the axis the centres may be at the start, m.
double start_reach(const Mixer::Parameters& p) { return 0.5 * p.diameter - (1.0 + grid_margin) * widest(p); }

/// Sites of a square grid in the cylinder, layer by layer above the blade.
std::vector<Vector3> start_sites(const Mixer::Parameters& p) {
  const double cell = 2.0 * (1.0 + grid_margin) * widest(p), reach = start_reach(p);
  const double half_height = std::max({p.sphere_radius, p.ellipsoid_flat, 0.5 * p.box_edge});
  const double layer_height = 2.0 * (1.0 + grid_margin) * half_height;
  const double first = p.blade_place + 0.5 * p.blade_height + (1.0 + 2.0 * grid_margin) * half_height;
  const int across = static_cast<int>(reach / cell);
  std::vector<Vector3> sites;
  for (int layer = 0;; ++layer)
    for (int j = -across; j <= across; ++j)
      for (int i = -across; i <= across; ++i) {
        const Vector3 site(cell * i, cell * j, first + layer_height * layer);
        if (site.head<2>().squaredNorm() > reach * reach) continue;
        sites.push_back(site);
        if (std::ssize(sites) == p.bodies) return sites;
      }
}

}  // namespace

Mixer::Mixer() {
  Parameters& p = parameters_;
  fields_.add("bodies", &p.bodies, Range::closed(1.0, 1e6), "spheres, ellipsoids and boxes, a third each", "ours")
      .add("diameter", &p.diameter, Range::positive(), "m", "diameter of the cylinder", "ours")
      .add("sphere_radius", &p.sphere_radius, Range::positive(), "m",
           "radius of the spheres, two half axes of the ellipsoids", mixer_source)
      .add("ellipsoid_flat", &p.ellipsoid_flat, Range::positive(), "m", "third half axis of the ellipsoids", "ours")
      .add("box_edge", &p.box_edge, Range::positive(), "m", "edge of the boxes", "ours")
      .add("density", &p.density, Range::positive(), "kg/m³", "density of every body", mixer_source)
      .add("friction", &p.friction, Range::non_negative(), "", "friction coefficient of every contact", mixer_source)
      .add("cohesion", &p.cohesion, Range::non_negative(), "N", "largest pull c of a contact of two bodies", mixer_source)
      .add("range", &p.range, Range::non_negative(), "m", "contacts with gaps up to this pull", "ours")
      .add("blade_length", &p.blade_length, Range::positive(), "m", "of the blade, across the cylinder", "ours")
      .add("blade_thickness", &p.blade_thickness, Range::positive(), "m", "of the blade", "ours")
      .add("blade_height", &p.blade_height, Range::positive(), "m", "of the blade", "ours")
      .add("blade_place", &p.blade_place, Range::positive(), "m", "height of the middle of the blade", "ours")
      .add("blade_speed", &p.blade_speed, Range::non_negative(), "rad/s", "counter-clockwise", "ours")
      .add("envelope", &p.envelope, Range::positive(), "m", "points nearer than this are contacts", "ours")
      .add("gravity", &p.gravity, Range::non_negative(), "m/s²", "acceleration of gravity, downwards", "ours")
      .add("time_step", &p.time_step, Range::positive(), "s", "length of the step h", "ours");
}

const SceneInfo& Mixer::info() const {
  static const SceneInfo scene{"mixer", "Cohesive spheres, ellipsoids and boxes that a blade stirs, in time", mixer_source};
  return scene;
}

std::optional<std::string> Mixer::check() const {
  const Parameters& p = parameters_;
  const double corner = std::sqrt(p.blade_length * p.blade_length + p.blade_thickness * p.blade_thickness);
  const double room = p.diameter - 4.0 * widest_stirred(p);
  if (!(corner <= room))
    return fmt::format(
        "bodies would be wedged: the blade turns in a circle {:.6g} m wide, expected at most {:.6g} m, which "
        "leaves one body room between blade and wall",
        corner, room);
  if (!(p.blade_place > 0.5 * p.blade_height))
    return fmt::format(
        "the blade would be in the floor: 'blade_place' is {} m, expected more than half of 'blade_height', {} m",
        format_double(p.blade_place), format_double(0.5 * p.blade_height));
  if (p.envelope < p.range)
    return fmt::format("'envelope' is {} m, expected at least 'range', which is {} m", format_double(p.envelope),
                       format_double(p.range));
  return std::nullopt;
}

std::unique_ptr<Motion> Mixer::do_motion(std::uint64_t seed) const {
  const Parameters& p = parameters_;
  const Vector3 radii(p.sphere_radius, p.ellipsoid_flat, p.sphere_radius);
  const Vector3 half = Vector3::Constant(0.5 * p.box_edge);
  WorldParts parts;
  Surfaces surfaces;
  Random random(seed);
  for (const Vector3& site : start_sites(p)) {
    const double mass_of_ellipsoid = 4.0 / 3.0 * std::numbers::pi * radii.prod() * p.density;
    switch (parts.bodies.size() % 3) {
      case 0:
        parts.bodies.push_back(moving_sphere(ball_mass(p.sphere_radius, p.density), p.sphere_radius));
        surfaces.bodies.emplace_back(Sphere{p.sphere_radius});
        break;
      case 1:
        parts.bodies.push_back(moving_ellipsoid(mass_of_ellipsoid, radii));
        surfaces.bodies.emplace_back(Ellipsoid{radii});
        break;
      default:
        parts.bodies.push_back(moving_box(p.box_edge * p.box_edge * p.box_edge * p.density, half));
        surfaces.bodies.emplace_back(Box{half});
    }
    parts.bodies.back().position = site;
    parts.bodies.back().attitude = turned({}, {0.0, 0.0, random.uniform(0.0, std::numbers::pi)});
  }
  parts.obstacles = {resting(Vector3::Zero()), resting(Vector3::Zero()),
                     gliding({0.0, 0.0, p.blade_place}, {}, Vector3::Zero(), {0.0, 0.0, p.blade_speed})};
  surfaces.obstacles = {HalfSpace{}, CylinderCavity{0.5 * p.diameter},
                        Box{0.5 * Vector3(p.blade_length, p.blade_thickness, p.blade_height)}};
  surfaces.envelope = p.envelope;
  surfaces.friction = p.friction;
  give_cohesive_surfaces(parts, std::move(surfaces), {p.cohesion, p.range, p.time_step}, p.friction);
  return std::make_unique<World>(WorldSettings{info().name, p.time_step, {0.0, 0.0, -p.gravity}}, std::move(parts));
}

}  // namespace ccp
