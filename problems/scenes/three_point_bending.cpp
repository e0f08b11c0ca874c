#include "problems/scenes/three_point_bending.hpp"

#include <fmt/format.h>

#include <numbers>
#include <utility>
#include <vector>

#include "core/text.hpp"
#include "problems/finite_elements/elastic_world.hpp"

namespace ccp {
namespace {

constexpr const char* bending_source = "Mangoni's thesis, Tab. 5.4";

/// Its axis along y.
const Quaternion lying{std::numbers::sqrt2 / 2.0, -std::numbers::sqrt2 / 2.0, 0.0, 0.0};

/// Principal moments of a solid cylinder, its axis last, kg m².
Vector3 cylinder_inertia(double mass, double radius, double length) {
  const double across = mass * (0.25 * radius * radius + length * length / 12.0);
  return {across, across, 0.5 * mass * radius * radius};
}

}  // namespace

ThreePointBending::ThreePointBending() {
  Parameters& p = parameters_;
  using Kind = PenaltyLaw::Kind;
  fields_.add("length", &p.length, Range::positive(), "m", "length of the beam", "ours")
      .add("width", &p.width, Range::positive(), "m", "width of the beam, along the cylinders", "ours")
      .add("height", &p.height, Range::positive(), "m", "height of the beam", "ours")
      .add("cells_along", &p.cells_along, Range::closed(1.0, 1000.0), "cells along the beam, six tetrahedra each",
           bending_source)
      .add("cells_across", &p.cells_across, Range::closed(1.0, 1000.0), "cells across the beam", bending_source)
      .add("cells_up", &p.cells_up, Range::closed(1.0, 1000.0), "cells over the height of the beam", bending_source)
      .add("young", &p.young, Range::positive(), "Pa", "Young's modulus E", bending_source)
      .add("poisson", &p.poisson, Range{0.0, 0.5, false, true}, "", "Poisson's ratio ν", bending_source)
      .add("density", &p.density, Range::positive(), "kg/m³", "density of the beam", bending_source)
      .add("damping", &p.damping, Range::non_negative(), "s", "β of the Rayleigh damping β K", "ours")
      .add("span", &p.span, Range::positive(), "m", "distance of the axes of the supports", bending_source)
      .add("diameter", &p.diameter, Range::positive(), "m", "of all three cylinders", bending_source)
      .add("speed", &p.speed, Range::non_negative(), "m/s", "of the punch, downwards", "Mangoni's thesis, sec. 5.3.2")
      .add("punch_mass", &p.punch_mass, Range::non_negative(), "kg",
           "of the punch, a rigid body held by six bilateral rows; 0: an obstacle", "ours")
      .add("contact", &p.contact,
           {{"hard", Kind::none}, {"penalty", Kind::at_start}, {"linearised_penalty", Kind::linearised}},
           "penalty: springs by the places at the start of a step instead of rows; linearised_penalty: by those at its end, "
           "to first order",
           "Mangoni's thesis, sec. 5.3.2; the two penalties are ours")
      .add("penalty_stiffness", &p.penalty_stiffness, Range::positive(), "N/m",
           "of the spring of a vertex; that of an edge has half of it", "ours")
      .add("envelope", &p.envelope, Range::non_negative(), "m", "points at rest nearer than this are contacts", "ours")
      .add("gravity", &p.gravity, Range::non_negative(), "m/s²", "acceleration of gravity, downwards", "ours")
      .add("time_step", &p.time_step, Range::positive(), "s", "length of the step h", "Mangoni's thesis, sec. 5.3.2");
}

const SceneInfo& ThreePointBending::info() const {
  static const SceneInfo scene{"three_point_bending", "An elastic beam between three cylinders, in time",
                               "Mangoni's thesis, sec. 5.3.2, Tab. 5.4, Figs. 5.3 and 5.4"};
  return scene;
}

std::optional<std::string> ThreePointBending::check() const {
  const Parameters& p = parameters_;
  if (p.span >= p.length)
    return fmt::format("the beam would lie beside its supports: 'span' is {} m, expected less than 'length', {} m",
                       format_double(p.span), format_double(p.length));
  if (p.span < 2.0 * p.diameter)
    return fmt::format("no room between the supports: 'span' is {} m, expected at least two diameters, {} m",
                       format_double(p.span), format_double(2.0 * p.diameter));
  return std::nullopt;
}

std::unique_ptr<Motion> ThreePointBending::do_motion(std::uint64_t /*seed: nothing here is random*/) const {
  const Parameters& p = parameters_;
  const auto model = std::make_shared<const ElasticModel>(
      box_mesh({p.length, p.width, p.height}, {p.cells_along, p.cells_across, p.cells_up}, ElementKind::tetrahedron),
      ElasticMaterial{p.young, p.poisson, p.density, 0.0, p.damping}, "the beam");
  const double radius = 0.5 * p.diameter, apart = 0.5 * p.height + radius;
  const Cylinder cylinder{radius, 0.6 * p.width};  // to be seen: for contact it has no ends
  std::vector<ElasticObstacle> cylinders;
  for (const double side : {-0.5, 0.5}) cylinders.push_back({cylinder, resting({side * p.span, 0.0, -apart}, lying)});
  cylinders.push_back({cylinder, gliding({0.0, 0.0, apart}, lying, {0.0, 0.0, -p.speed}, Vector3::Zero()), p.punch_mass,
                       cylinder_inertia(p.punch_mass, radius, 2.0 * cylinder.half_length)});
  ElasticWorldSettings settings{info().name, p.time_step, {0.0, 0.0, -p.gravity}, Stepping::velocity_impulse, p.envelope};
  settings.penalty = {p.contact, p.penalty_stiffness};
  settings.remembers_fastest = true;
  return std::make_unique<ElasticWorld>(std::move(settings),
                                        std::vector<ElasticBody>{elastic_body(model, Vector3::Zero(), Matrix3::Identity())},
                                        std::move(cylinders));
}

}  // namespace ccp
