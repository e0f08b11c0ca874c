#include "problems/scenes/ball_box.hpp"

#include <fmt/format.h>

#include <numbers>
#include <utility>
#include <vector>

#include "core/text.hpp"
#include "problems/dynamics/elementary.hpp"
#include "problems/dynamics/shaped_contacts.hpp"
#include "problems/dynamics/world.hpp"
#include "problems/random.hpp"

namespace ccp {
namespace {

constexpr double floor_clearance = 0.15;  // gap under the lowest layer without jitter, over the radius
constexpr const char* balls_source = "Mangoni's thesis, Tab. 5.2";

/// Diameter of the cylinder that is as high as wide and has one cell of the grid for each sphere, m.
double column_diameter(const BallBox::Parameters& p) {
  const double cell = p.spacing * p.radius;
  return cube_root(4.0 * p.spheres * cell * cell * cell / std::numbers::pi);
}

std::vector<Vector3> ball_centres(const BallBox::Parameters& p, Random& random) {
  const double cell = p.spacing * p.radius, reach = 0.5 * column_diameter(p);
  const int sites = static_cast<int>(reach / cell);
  std::vector<Vector3> centres;
  for (int layer = 0;; ++layer)
    for (int j = -sites; j <= sites; ++j)
      for (int i = -sites; i <= sites; ++i) {
        const Vector3 site(cell * i, cell * j, (1.0 + floor_clearance) * p.radius + cell * layer);
        if (site.head<2>().squaredNorm() > reach * reach) continue;
        centres.push_back(site);
        if (p.jitter > 0.0) centres.back() += p.jitter * p.radius * random.in_ball();
        if (std::ssize(centres) == p.spheres) return centres;
      }
}

}  // namespace

BallBox::BallBox() {
  Parameters& p = parameters_;
  fields_
      .add("spheres", &p.spheres, Range::closed(1.0, 1e6), "number of spheres; 64, 280, 595 and 1190 in the thesis",
           "Mangoni's thesis, Tab. 5.3")
      .add("radius", &p.radius, Range::positive(), "m", "radius of every sphere", balls_source)
      .add("diameter", &p.diameter, Range::positive(), "m", "diameter of the cylinder", balls_source)
      .add("density", &p.density, Range::positive(), "kg/m³", "density of every sphere", balls_source)
      .add("spacing", &p.spacing, Range::closed(2.0, 10.0), "", "distance of neighbours on the grid, over the radius",
           "ours")
      .add("jitter", &p.jitter, Range::closed(0.0, 0.14), "", "largest random shift of a centre, over the radius", "ours")
      .add("friction", &p.friction, Range::non_negative(), "",
           "friction coefficient of every contact; 0: a contact is a single unilateral row",
           "Mangoni's thesis, sec. 5.3: none")
      .add("envelope", &p.envelope, Range::positive(), "m",
           "pairs nearer than this are contacts; spheres that approach by more in a step would tunnel", "ours")
      .add("gravity", &p.gravity, Range::non_negative(), "m/s²", "acceleration of gravity, downwards", "ours")
      .add("time_step", &p.time_step, Range::positive(), "s", "length of the step h", "Mangoni's thesis, Tab. 5.3");
}

const SceneInfo& BallBox::info() const {
  static const SceneInfo scene{"ball_box", "Spheres that fall into a cylinder, in time",
                               "Mangoni's thesis, sec. 5.3.1, Tabs. 5.1 to 5.3"};
  return scene;
}

std::optional<std::string> BallBox::check() const {
  const Parameters& p = parameters_;
  if (p.spacing < 2.0 * (1.0 + p.jitter))
    return fmt::format("spheres would overlap at the start: 'spacing' is {}, expected at least 2 + 2 'jitter', {}",
                       format_double(p.spacing), format_double(2.0 * (1.0 + p.jitter)));
  const double width = column_diameter(p), room = p.diameter - 2.0 * (1.0 + p.jitter) * p.radius;
  if (!(width <= room))
    return fmt::format(
        "'spheres' is {}: their centres would fill a cylinder {:.3g} m wide, expected at most the {:.3g} m "
        "that 'diameter' leaves: fewer spheres or a larger 'diameter'",
        p.spheres, width, room);
  const double lowest = (floor_clearance + p.jitter) * p.radius;
  if (p.envelope < lowest)
    return fmt::format("'envelope' is {} m, expected at least {} m, the first gap over the floor", format_double(p.envelope),
                       format_double(lowest));
  return std::nullopt;
}

std::unique_ptr<Motion> BallBox::do_motion(std::uint64_t seed) const {
  const Parameters& p = parameters_;
  const double mass = ball_mass(p.radius, p.density);
  WorldParts parts;
  Random random(seed);
  for (const Vector3& centre : ball_centres(p, random))
    parts.bodies.emplace_back(moving_sphere(mass, p.radius)).position = centre;
  parts.obstacles = {resting(Vector3::Zero()), resting(Vector3::Zero())};
  give_surfaces(parts, {std::vector<Shape>(parts.bodies.size(), Sphere{p.radius}),
                        {HalfSpace{}, CylinderCavity{0.5 * p.diameter}},
                        p.envelope,
                        p.friction});
  return std::make_unique<World>(WorldSettings{info().name, p.time_step, {0.0, 0.0, -p.gravity}}, std::move(parts));
}

}  // namespace ccp
