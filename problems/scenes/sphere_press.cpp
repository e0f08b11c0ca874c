#include "problems/scenes/sphere_press.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/text.hpp"
#include "problems/geometry/sphere_pairs.hpp"
#include "problems/random.hpp"
#include "problems/rigid/rigid_parts.hpp"
#include "problems/scenes/settled_packing.hpp"

namespace ccp {
namespace {

constexpr double rounding = 1e-12;  // of a gap, over the radius: neighbours in an exact layer touch exactly
constexpr const char* mazhar_press = "Mazhar 2015, sec. 4.1.1";

struct Placed {
  std::vector<Vector3> centres;
  double width = 0.0;   ///< of the box, whose walls are at 0 and width in x and y
  double height = 0.0;  ///< of the plane that no sphere reaches by less than the gap
};

/// Layers of per_side² and (per_side − 1)² spheres in turn. The sites of the last layer are taken evenly, so that a slab on
/// top is supported on all sides.
Placed place_layers(const SpherePress::Parameters& p, Random& random) {
  const double moved = p.jitter * p.radius;
  const double spacing = 2.0 * (p.radius + moved) + p.gap;
  const double margin = p.radius + moved + p.gap;
  Placed packing;
  packing.width = 2.0 * margin + spacing * (p.per_side - 1);
  int left = p.spheres;
  for (int layer = 0; left > 0; ++layer) {
    const bool in_pockets = layer % 2 == 1 && p.per_side > 1;
    const int side = in_pockets ? p.per_side - 1 : p.per_side, sites = side * side;
    const int taken = std::min(left, sites);
    // Above a single sphere there is no pocket.
    const double rise = p.per_side > 1 ? spacing / std::sqrt(2.0) : spacing;
    const Vector3 corner(margin + (in_pockets ? 0.5 * spacing : 0.0), margin + (in_pockets ? 0.5 * spacing : 0.0),
                         margin + layer * rise);
    for (std::int64_t site = 0; site < sites; ++site) {
      if ((site + 1) * taken / sites == site * taken / sites) continue;
      const Vector3 place(static_cast<double>(site % side), static_cast<double>(site / side), 0.0);
      packing.centres.push_back(corner + spacing * place);
      if (moved > 0.0) packing.centres.back() += moved * random.in_ball();
    }
    left -= taken;
    packing.height = corner[2] + margin;
  }
  return packing;
}

/// A box as wide as the layers, and a slab that the spheres bear.
Placed place_randomly(const SpherePress::Parameters& p, Random& random) {
  const double width = 2.0 * p.radius * p.per_side;
  SpherePacking packing = p.packing == SpherePress::Packing::thrown
                              ? thrown_packing(p.spheres, p.radius, width, random)
                              : settled_packing(p.spheres, p.radius, width, p.slab_mass / p.mass, random);
  return {std::move(packing.centres), width, packing.height};
}

Placed place(const SpherePress::Parameters& p, std::uint64_t seed) {
  Random random(seed);
  return p.packing == SpherePress::Packing::layers ? place_layers(p, random) : place_randomly(p, random);
}

/// What shifts add to the gap of two neighbours in layers, at most: they are taken to touch all the same.
double shift_of_gaps(const SpherePress::Parameters& p) {
  return p.packing == SpherePress::Packing::layers ? 4.0 * p.jitter * p.radius : 0.0;
}

RigidConstraint press_contact(int first, int second, const Vector3& point, const Vector3& normal, double gap,
                              const SpherePress::Parameters& p) {
  RigidConstraint contact;
  contact.first = first;
  contact.second = second;
  contact.point = point;
  contact.normal = normal;
  contact.tangent = any_tangent(normal);
  contact.friction = p.friction;
  contact.rolling = p.rolling_friction;
  contact.spinning = p.spinning_friction;
  if (p.rolling_friction > 0.0 && p.spinning_friction > 0.0)
    contact.kind = ConstraintKind::rolling_torsion;
  else if (p.rolling_friction > 0.0)
    contact.kind = ConstraintKind::rolling;
  else if (p.spinning_friction > 0.0)
    contact.kind = ConstraintKind::torsion;
  contact.gap = gap < p.gap + shift_of_gaps(p) + rounding * p.radius ? p.gap : gap;
  return contact;
}

/// Contacts of one sphere with the floor and the four walls.
void give_box_contacts(RigidTaker& taker, const Placed& packing, int sphere, const SpherePress::Parameters& p) {
  const Vector3& centre = packing.centres[static_cast<std::size_t>(sphere)];
  const auto add = [&](double distance, const Vector3& normal) {
    if (distance - p.radius < p.envelope)
      taker.take(press_contact(RigidConstraint::fixed, sphere, centre - distance * normal, normal, distance - p.radius, p));
  };
  add(centre[2], Vector3::UnitZ());
  add(centre[0], Vector3::UnitX());
  add(packing.width - centre[0], -Vector3::UnitX());
  add(centre[1], Vector3::UnitY());
  add(packing.width - centre[1], -Vector3::UnitY());
}

void give_contacts(const Placed& packing, const SpherePress::Parameters& p, RigidTaker& taker) {
  const std::vector<SpherePair> pairs = pairs_within(packing.centres, 2.0 * p.radius + p.envelope);
  auto pair = pairs.begin();
  const int spheres = static_cast<int>(packing.centres.size());
  for (int i = 0; i < spheres; ++i) {
    give_box_contacts(taker, packing, i, p);
    const Vector3& centre = packing.centres[static_cast<std::size_t>(i)];
    for (; pair != pairs.end() && pair->second == i; ++pair) {
      const Vector3& other = packing.centres[static_cast<std::size_t>(pair->first)];
      const double distance = (centre - other).norm();
      taker.take(
          press_contact(pair->first, i, 0.5 * (centre + other), (centre - other) / distance, distance - 2.0 * p.radius, p));
    }
  }
  if (p.slab_mass == 0.0) return;
  for (int i = 0; i < spheres; ++i) {
    const Vector3& centre = packing.centres[static_cast<std::size_t>(i)];
    const double gap = packing.height - centre[2] - p.radius;
    if (gap < p.envelope)
      taker.take(press_contact(i, spheres, {centre[0], centre[1], packing.height}, Vector3::UnitZ(), gap, p));
  }
}

/// A square plate as wide as the box and one radius thick.
RigidBody make_slab(const Placed& packing, const SpherePress::Parameters& p) {
  RigidBody slab;
  const double width = packing.width, thickness = p.radius;
  const double tilting = p.slab_mass * (width * width + thickness * thickness) / 12.0;
  slab.mass = p.slab_mass;
  slab.inertia = Vector3(tilting, tilting, p.slab_mass * width * width / 6.0).asDiagonal();
  slab.position = {0.5 * width, 0.5 * width, packing.height + 0.5 * thickness};
  slab.force = {0.0, 0.0, -p.slab_mass * p.gravity};
  return slab;
}

RigidReplay press_replay(Placed packing, const SpherePress::Parameters& p) {
  return [packing = std::move(packing), p](RigidTaker& taker) {
    for (const Vector3& centre : packing.centres) taker.take(solid_sphere(p.mass, p.radius, centre, p.gravity));
    if (p.slab_mass > 0.0) taker.take(make_slab(packing, p));
    give_contacts(packing, p, taker);
  };
}

/// A wall or the floor: normal is the third axis of its frame.
PlacedSurface plane(const Vector3& point, const Vector3& normal) {
  PlacedSurface surface;
  surface.kind = SurfaceKind::half_space;
  surface.position = point;
  const Vector3 tangent = any_tangent(normal);
  surface.rotation << tangent, normal.cross(tangent), normal;
  return surface;
}

}  // namespace

SpherePress::SpherePress() {
  Parameters& p = parameters_;
  fields_.add("spheres", &p.spheres, Range::closed(1.0, 1e6), "number of spheres", mazhar_press)
      .add("packing", &p.packing,
           {{"layers", SpherePress::Packing::layers},
            {"random", SpherePress::Packing::random},
            {"thrown", SpherePress::Packing::thrown}},
           "square layers; thrown into the box and settled; or thrown and only pushed apart: spheres fall or flow there",
           "ours")
      .add("radius", &p.radius, Range::positive(), "m", "radius of every sphere", mazhar_press)
      .add("mass", &p.mass, Range::positive(), "kg", "mass of every sphere", mazhar_press)
      .add("slab_mass", &p.slab_mass, Range::non_negative(), "kg", "mass of the slab on top; 0: no slab", mazhar_press)
      .add("per_side", &p.per_side, Range::closed(1.0, 1000.0),
           "spheres along each side of a full layer, which is as wide as the box", "ours")
      .add("jitter", &p.jitter, Range::closed(0.0, 0.2), "",
           "largest random shift of a centre in layers, over the radius; turns the normals, and neighbours still touch",
           "ours")
      .add("gap", &p.gap, Range::non_negative(), "m", "smallest gap of a contact; 0: all touch, and nothing moves", "ours")
      .add("envelope", &p.envelope, Range::positive(), "m", "pairs with a smaller gap are contacts", "ours")
      .add("friction", &p.friction, Range::non_negative(), "", "friction coefficient of every contact", "ours")
      .add("rolling_friction", &p.rolling_friction, Range::non_negative(), "m",
           "μ_r of every contact; 0: no rolling moments", "ours")
      .add("spinning_friction", &p.spinning_friction, Range::non_negative(), "m",
           "μ_s of every contact; 0: no spinning moments", "ours")
      .add("gravity", &p.gravity, Range::non_negative(), "m/s²", "acceleration of gravity, downwards", "ours")
      .add("time_step", &p.time_step, Range::positive(), "s", "length of the step h", "ours");
}

const SceneInfo& SpherePress::info() const {
  static const SceneInfo scene{"sphere_press", "Spheres in a box under a heavy slab",
                               "Mazhar, Heyn, Negrut, Tasora 2015, sec. 4.1.1, Figs. 4 and 5"};
  return scene;
}

std::optional<std::string> SpherePress::check() const {
  const Parameters& p = parameters_;
  const double widest = p.gap + 4.0 * p.jitter * p.radius;
  if (widest >= p.envelope)
    return fmt::format(
        "neighbours are up to {} m apart, expected less than 'envelope', which is {} m: a smaller 'gap' or "
        "'jitter'",
        format_double(widest), format_double(p.envelope));
  return std::nullopt;
}

ContactProblem SpherePress::do_build(std::uint64_t seed) const {
  const RigidLists lists = rigid_lists(press_replay(place(parameters_, seed), parameters_));
  return rigid_step(info().name, lists.bodies, lists.constraints, parameters_.time_step);
}

std::unique_ptr<PartSource> SpherePress::do_parts(std::uint64_t seed) const {
  return rigid_parts(press_replay(place(parameters_, seed), parameters_), parameters_.time_step);
}

SceneGeometry SpherePress::do_geometry(std::uint64_t seed) const {
  const Parameters& p = parameters_;
  const Placed packing = place(p, seed);
  SceneGeometry geometry;
  for (const Vector3& centre : packing.centres)
    geometry.bodies.push_back({SurfaceKind::sphere, {p.radius, 0.0, 0.0}, centre});
  const double half = 0.5 * packing.width;
  if (p.slab_mass > 0.0)
    geometry.bodies.push_back({SurfaceKind::box, {half, half, 0.5 * p.radius}, make_slab(packing, p).position});
  geometry.obstacles = {plane(Vector3::Zero(), Vector3::UnitZ()), plane(Vector3::Zero(), Vector3::UnitX()),
                        plane({packing.width, 0.0, 0.0}, -Vector3::UnitX()), plane(Vector3::Zero(), Vector3::UnitY()),
                        plane({0.0, packing.width, 0.0}, -Vector3::UnitY())};
  geometry.contacts = placed_contacts(rigid_lists(press_replay(packing, p)).constraints);
  return geometry;
}

}  // namespace ccp
